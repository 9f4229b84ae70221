// tables.js -- the legend, the pinned pages, the tree of cuts, and the canvases as tables.
//
// Names come from files. They reach the page as text alone, never as marks.

function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function fillTable(table, rows) {
  table.tBodies[0].replaceChildren(...rows.map((cells) => {
    const row = element("tr");
    row.append(...cells);
    return row;
  }));
}

function colourKey(colour) {
  const key = element("span", undefined, "key");
  key.style.background = colour;
  return key;
}

function fillLegend(table, history, colours, moment) {
  const bytes = new Float64Array(placeColours.length);
  const pieces = new Float64Array(placeColours.length);
  for (const i of history.aliveAt(moment)) {
    const colour = colours.of(i, moment);
    bytes[colour] += history.bytes[i];
    ++pieces[colour];
  }
  const rows = [];
  for (let colour = 0; colour < bytes.length; ++colour) {
    if (pieces[colour] === 0) continue;
    const name = element("th");
    name.scope = "row";
    name.append(colourKey(colours.palette[colour]), colours.name(colour));
    rows.push([name, element("td", bytesInWords(bytes[colour]), "n"),
      element("td", pieces[colour].toLocaleString("en"), "n")]);
  }
  fillTable(table, rows);
}

// "[0, 64)": where in its allocation a span lies.
function rangeInWords(history, span) {
  const from = history.begin[span] - history.address[history.owner[span]];
  return "[" + from.toLocaleString("en") + ", " + (from + history.bytes[span]).toLocaleString("en") + ")";
}

function fillPins(table, history, go) {
  fillTable(table, history.summary.pins.map((pin) => {
    const owner = history.owner[pin.keeper];
    const page = element("th", addressInWords(pin.page));
    page.scope = "row";
    const show = element("button", "Show");
    show.type = "button";
    show.setAttribute("aria-label", "Show page " + addressInWords(pin.page));
    show.addEventListener("click", () => go(pin.from, pin.page, pin.keeper));
    const cell = element("td");
    cell.append(show);
    const until = pin.to === none ? "to the end" : "to " + timeInWords(history.times[pin.to]);
    return [page, element("td", timeInWords(pin.length), "n"), element("td", bytesInWords(pin.live), "n"),
      element("td", "bytes " + rangeInWords(history, pin.keeper) + " of " +
        bytesInWords(history.size[owner]) + ", from " + history.placeName(owner)),
      element("td", timeInWords(history.times[pin.from]) + " " + until), cell];
  }));
}

function fillSamples(table, history, axis) {
  const rows = [];
  for (let i = 0; i <= 20; ++i) {
    const m = axis.momentAt(i / 20);
    const time = element("th", timeInWords(history.times[m]));
    time.scope = "row";
    rows.push([time, element("td", bytesInWords(history.live[m]), "n"),
      element("td", bytesInWords(history.held[m]), "n"),
      element("td", shareInWords(history.held[m] - history.live[m], history.held[m]), "n")]);
  }
  fillTable(table, rows);
}

function fillPieces(table, history, map) {
  const end = map.top + map.cells * map.cellBytes;
  const seen = Array.from(history.aliveAt(map.moment)).filter(
    (i) => history.fold[i] < end && history.fold[i] + history.bytes[i] > map.top);
  seen.sort((a, b) => history.bytes[b] - history.bytes[a] || history.begin[a] - history.begin[b]);
  fillTable(table, seen.slice(0, 25).map((i) => {
    const owner = history.owner[i];
    const address = element("th", addressInWords(history.begin[i]));
    address.scope = "row";
    return [address, element("td", bytesInWords(history.bytes[i]), "n"),
      element("td", bytesInWords(history.size[owner]), "n"), element("td", history.placeName(owner)),
      element("td", timeInWords(history.times[history.allocated[owner]]))];
  }));
}

// The tree of cuts of an allocation, as nested lists, with the piece that was chosen in view.
// Large ones are shown in part.
const mostNodes = 400;

function fillTree(box, history, owner, chosen, moment, go) {
  const children = history.treeOf(owner);
  let left = mostNodes;
  const list = (parent) => {
    const all = element("ul");
    for (const span of children.get(parent) || []) {
      if (left-- <= 0) break;
      const item = element("li");
      const alive = history.livesAt(span, moment);
      const button = element("button", rangeInWords(history, span), alive ? "alive" : "");
      button.type = "button";
      button.append(element("span", fateInWords(history, span, alive), "soft"));
      button.addEventListener("click", () => go(history.born[span], history.begin[span], span));
      if (span === chosen) button.setAttribute("aria-current", "true");
      item.append(button);
      if (children.has(span)) item.append(list(span));
      all.append(item);
    }
    return all;
  };
  const head = element("p", bytesInWords(history.size[owner]) + " at " +
    addressInWords(history.address[owner]) + ", from " + history.placeName(owner) + ", allocated at " +
    timeInWords(history.times[history.allocated[owner]]), "hint");
  box.replaceChildren(head, list(none));
  let spans = 0;
  for (const siblings of children.values()) spans += siblings.length;
  if (spans > mostNodes) {
    box.append(element("p", "The first " + mostNodes + " of " + countInWords(spans, "piece") + ".", "hint"));
  }
  const current = box.querySelector("[aria-current]");
  box.scrollTop = 0;
  if (current) box.scrollTop = current.getBoundingClientRect().top - box.getBoundingClientRect().top - 40;
}

function fateInWords(history, span, alive) {
  const from = timeInWords(history.times[history.born[span]]);
  const died = history.died[span];
  const seen = history.how[span] === 3 ? " (inferred from a free)" : "";
  const end = died === none ? "never freed" : endings[history.how[span]] + " at " + timeInWords(history.times[died]) + seen;
  return (alive ? "live now; " : "") + "from " + from + ", " + end;
}
