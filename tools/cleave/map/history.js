// history.js -- the spans of a recording, and what lives at a moment (docs/design/replay.md).
//
// The numbers of the page stand in columns: base64 of numbers of seven bits to a byte, low
// ones first. A number that may be negative is doubled, with its sign in the lowest bit.

const none = 0xffffffff;
const endings = ["live", "freed", "cut", "cut", "joined", "grown", "overwritten"];

function columnBytes(name) {
  const text = document.getElementById("column-" + name).textContent.trim();
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < decoded.length; ++i) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}

// Reads the numbers of a column, one after the other.
class Column {
  constructor(name) {
    this.bytes = columnBytes(name);
    this.at = 0;
  }

  next() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.bytes[this.at++];
      // No shift: numbers may have more than 32 bits.
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }

  nextSigned() {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

// The first index of sorted numbers, of those before `end`, that is more than `value`.
function firstAbove(sorted, value, end) {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

class History {
  constructor(summary) {
    this.summary = summary;
    this.pageBytes = summary.page_bytes;
    this.readMoments(summary.moments);
    this.readAllocations(summary.allocations);
    this.readSpans(summary.spans);
    this.readRanges(summary.ranges);
    this.sumLive();
    this.keyframes = new Map();
    this.keyframeStep = Math.max(256, Math.ceil(summary.moments / 256));
  }

  get last() {
    return this.times.length - 1;
  }

  readMoments(n) {
    this.times = new Float64Array(n);
    this.held = new Float64Array(n);
    const times = new Column("times");
    const held = new Column("held");
    for (let m = 1; m < n; ++m) {
      this.times[m] = this.times[m - 1] + times.next();
      this.held[m] = this.held[m - 1] + held.nextSigned() * this.pageBytes;
    }
  }

  readAllocations(n) {
    this.address = new Float64Array(n);
    this.size = new Float64Array(n);
    this.place = new Uint32Array(n);
    this.thread = new Uint32Array(n);
    this.allocated = new Uint32Array(n);
    const column = new Column("allocations");
    let address = this.summary.base;
    let moment = 0;
    for (let i = 0; i < n; ++i) {
      this.allocated[i] = moment += column.next();
      this.address[i] = address += column.nextSigned();
      this.size[i] = column.next();
      this.place[i] = column.next();
      this.thread[i] = column.next();
    }
  }

  readSpans(n) {
    this.begin = new Float64Array(n);
    this.bytes = new Float64Array(n);
    this.born = new Uint32Array(n);
    this.died = new Uint32Array(n);
    this.owner = new Uint32Array(n);
    this.parent = new Uint32Array(n);
    this.how = new Uint8Array(n);
    const column = new Column("spans");
    let owners = 0;
    for (let i = 0; i < n; ++i) {
      const above = column.next();
      if (above === 0) {
        // The first span of the next allocation.
        const owner = owners++;
        this.parent[i] = none;
        this.owner[i] = owner;
        this.begin[i] = this.address[owner];
        this.bytes[i] = this.size[owner];
        this.born[i] = this.allocated[owner];
      } else {
        const parent = i - above;
        this.parent[i] = parent;
        this.owner[i] = this.owner[parent];
        this.begin[i] = this.address[this.owner[i]] + column.next();
        this.bytes[i] = column.next();
        this.born[i] = this.died[parent] + column.next();
      }
      const end = column.next();
      this.how[i] = end % 8;
      this.died[i] = end === 0 ? none : this.born[i] + Math.floor(end / 8);
    }
  }

  // The folded reservation: only what was ever in use, end to end.
  readRanges(n) {
    this.rangeBegin = new Float64Array(n);
    this.rangeFold = new Float64Array(n + 1);
    const column = new Column("ranges");
    let end = this.summary.base;
    for (let i = 0; i < n; ++i) {
      const begin = end + column.nextSigned();
      const bytes = column.next();
      this.rangeBegin[i] = begin;
      this.rangeFold[i + 1] = this.rangeFold[i] + bytes;
      end = begin + bytes;
    }
    this.folded = this.rangeFold[n];
    this.fold = new Float64Array(this.begin.length);
    // Most begin in the range of the one before.
    let low = 1;
    let high = 0;
    let shift = 0;
    for (let i = 0; i < this.fold.length; ++i) {
      const begin = this.begin[i];
      if (begin < low || begin >= high) {
        const range = Math.max(0, firstAbove(this.rangeBegin, begin, n) - 1);
        low = this.rangeBegin[range];
        high = low + this.rangeFold[range + 1] - this.rangeFold[range];
        shift = low - this.rangeFold[range];
      }
      this.fold[i] = begin - shift;
    }
  }

  sumLive() {
    const change = new Float64Array(this.times.length + 1);
    for (let i = 0; i < this.begin.length; ++i) {
      change[this.born[i]] += this.bytes[i];
      if (this.died[i] !== none) change[this.died[i]] -= this.bytes[i];
    }
    this.live = new Float64Array(this.times.length);
    for (let m = 1; m < this.live.length; ++m) this.live[m] = this.live[m - 1] + change[m];
  }

  foldOf(address) {
    const range = Math.max(0, firstAbove(this.rangeBegin, address, this.rangeBegin.length) - 1);
    return this.rangeFold[range] + (address - this.rangeBegin[range]);
  }

  addressOf(fold) {
    const n = this.rangeBegin.length;
    const range = Math.min(n - 1, firstAbove(this.rangeFold, fold, n + 1) - 1);
    return this.rangeBegin[range] + (fold - this.rangeFold[range]);
  }

  // The last moment that is not after a time.
  momentAt(time) {
    return Math.max(0, firstAbove(this.times, time, this.times.length) - 1);
  }

  livesAt(i, moment) {
    return this.born[i] <= moment && moment < this.died[i];
  }

  // The spans that live at a moment, in the order of their birth. The last list is kept.
  aliveAt(moment) {
    if (this.aliveMoment === moment) return this.alive;
    const start = Math.floor(moment / this.keyframeStep) * this.keyframeStep;
    const frame = this.keyframe(start);
    const first = firstAbove(this.born, start, this.born.length);
    const last = firstAbove(this.born, moment, this.born.length);
    const result = new Uint32Array(frame.length + last - first);
    let n = 0;
    for (const i of frame) if (moment < this.died[i]) result[n++] = i;
    for (let i = first; i < last; ++i) if (moment < this.died[i]) result[n++] = i;
    this.aliveMoment = moment;
    this.alive = result.subarray(0, n);
    return this.alive;
  }

  // What lives at the first moment of a step; made when it is asked for.
  keyframe(start) {
    let frame = this.keyframes.get(start);
    if (!frame) {
      const last = firstAbove(this.born, start, this.born.length);
      const all = new Uint32Array(last);
      let n = 0;
      for (let i = 0; i < last; ++i) if (start < this.died[i]) all[n++] = i;
      frame = all.slice(0, n);
      if (this.keyframes.size >= 64) this.keyframes.delete(this.keyframes.keys().next().value);
      this.keyframes.set(start, frame);
    }
    return frame;
  }

  // The spans of one allocation by parent, each list by birth and address.
  treeOf(owner) {
    const children = new Map();
    for (let i = 0; i < this.owner.length; ++i) {
      if (this.owner[i] !== owner) continue;
      const list = children.get(this.parent[i]);
      if (list) list.push(i);
      else children.set(this.parent[i], [i]);
    }
    for (const list of children.values()) {
      list.sort((a, b) => this.born[a] - this.born[b] || this.begin[a] - this.begin[b]);
    }
    return children;
  }

  placeName(owner) {
    return this.summary.places[this.place[owner]].name;
  }
}
