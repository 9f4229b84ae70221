"use strict";
// words.js -- numbers in words; in full, since they are read aloud too.

const byteUnits = ["KiB", "MiB", "GiB", "TiB", "PiB"];

function bytesInWords(bytes) {
  if (bytes < 1024) return bytes + (bytes === 1 ? " byte" : " bytes");
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit + 1 < byteUnits.length; ++unit) value /= 1024;
  return (Number.isInteger(value) ? value : value.toFixed(1)) + " " + byteUnits[unit];
}

function timeInWords(nanoseconds) {
  let value = nanoseconds;
  let unit = 0;
  // What would be rounded to 1000 of a unit is one of the next.
  for (; value >= 999.95 && unit < 3; ++unit) value /= 1000;
  return Number(value.toPrecision(4)) + " " + ["ns", "µs", "ms", "s"][unit];
}

function addressInWords(address) {
  return "0x" + address.toString(16);
}

function shareInWords(part, whole) {
  return (whole === 0 ? 0 : Math.round((part * 100) / whole)) + " %";
}

function countInWords(n, one) {
  return n.toLocaleString("en") + " " + one + (n === 1 ? "" : "s");
}
