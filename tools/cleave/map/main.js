// main.js -- the page: what is shown, the controls, the keys.
//
// `state` says what is shown; whoever changes it calls render(), which draws at the next frame.
// The canvas carries the state as data- attributes, for tests and for the curious.

const byId = (id) => document.getElementById(id);
const summary = JSON.parse(byId("summary").textContent);
const history_ = new History(summary);
const colours = new Colours(history_);
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

// Where a moment stands between 0 and 1: by time, or by the number of its event.
const axis = {
  by: history_.times[history_.last] > 0 ? "time" : "events",
  momentAt(position) {
    if (this.by === "events") return Math.round(position * history_.last);
    return history_.momentAt(position * history_.times[history_.last]);
  },
  positionOf(moment) {
    if (this.by === "events") return history_.last === 0 ? 0 : moment / history_.last;
    return history_.times[moment] / Math.max(1, history_.times[history_.last]);
  },
};

const map = new HeapMap(byId("map"), history_, colours);
const curves = new Curves(byId("curves"), history_, axis);
const state = { moment: summary.peak, playing: false, position: 0, tree: none, span: none, told: 0, pointer: null };
// At speed 1 the whole recording takes so long.
const wholeSeconds = 20;

let asked = false;
function render() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

function draw() {
  map.moment = state.moment;
  map.draw();
  curves.draw(state.moment);
  showNumbers();
  fillLegend(byId("legend"), history_, colours, state.moment);
  if (!state.playing) showTables();
  showCell();
  byId("scale").textContent = "a cell is " + bytesInWords(map.cellBytes);
  Object.assign(byId("map").dataset, {
    moment: state.moment, cellBytes: map.cellBytes, top: map.top, columns: map.columns, rows: map.rows,
    side: map.side, label: map.label, cursor: map.cursor, playing: state.playing, colours: colours.by,
  });
  document.body.dataset.ready = "true";
}

function showTables() {
  if (byId("view-details").open) fillPieces(byId("pieces"), history_, map);
  if (byId("curve-details").open) fillSamples(byId("samples"), history_, axis);
  if (state.tree !== none && state.treeMoment !== state.moment) showTree();
}

function momentInWords() {
  const m = state.moment;
  return timeInWords(history_.times[m]) + ", " + bytesInWords(history_.live[m]) + " live, " +
    bytesInWords(history_.held[m]) + " held, " +
    shareInWords(history_.held[m] - history_.live[m], history_.held[m]) + " pinned";
}

function showNumbers() {
  const m = state.moment;
  const pinned = history_.held[m] - history_.live[m];
  byId("now-time").textContent = timeInWords(history_.times[m]);
  byId("now-event").textContent = m.toLocaleString("en") + " of " + history_.last.toLocaleString("en");
  byId("now-live").textContent = bytesInWords(history_.live[m]);
  byId("now-held").textContent = bytesInWords(history_.held[m]);
  byId("now-pinned").textContent = bytesInWords(pinned) + " (" + shareInWords(pinned, history_.held[m]) + ")";
  byId("now-pieces").textContent = history_.aliveAt(m).length.toLocaleString("en");
  const slider = byId("slider");
  if (document.activeElement !== slider || state.playing || !state.dragged) {
    slider.value = Math.round(state.position * slider.max);
  }
  slider.setAttribute("aria-valuetext", momentInWords());
}

// The live region: when something was asked for, and each two seconds of playing.
function tell(text) {
  byId("told").textContent = text;
  state.told = performance.now();
}

function goTo(moment) {
  state.moment = Math.max(0, Math.min(history_.last, moment));
  state.position = axis.positionOf(state.moment);
  state.dragged = false;
  render();
}

function goToPosition(position) {
  state.position = Math.max(0, Math.min(1, position));
  state.moment = axis.momentAt(state.position);
  render();
}

function pause() {
  if (!state.playing) return;
  state.playing = false;
  byId("play").textContent = "Play";
  byId("play").setAttribute("aria-pressed", "false");
  tell("Paused at " + momentInWords());
  render();
}

function play() {
  if (state.position >= 1) goToPosition(0);
  state.playing = true;
  state.dragged = false;
  byId("play").textContent = "Pause";
  byId("play").setAttribute("aria-pressed", "true");
  let before = performance.now();
  const step = (now) => {
    if (!state.playing) return;
    const passed = now - before;
    // Those who want less motion get two pictures a second.
    if (passed > 0 && (!calm.matches || passed >= 500)) {
      before = now;
      goToPosition(state.position + (passed / 1000 / wholeSeconds) * Number(byId("speed").value));
      if (now - state.told > 2000) tell(momentInWords());
      if (state.position >= 1) return pause();
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function cellInWords(fold) {
  if (history_.folded === 0) return "Nothing was ever in use.";
  const cell = map.cellAt(fold);
  const address = addressInWords(history_.addressOf(cell.begin));
  if (cell.span === none) {
    if (cell.pageLive > 0 && map.cellBytes < history_.pageBytes) {
      return address + ": not live, on a page with " + bytesInWords(cell.pageLive) + " live";
    }
    return address + ": not in use";
  }
  const span = cell.span;
  const owner = history_.owner[span];
  const lines = [];
  if (map.cellBytes > 1 && (cell.pieces > 1 || cell.live < map.cellBytes)) {
    lines.push(address + ": " + bytesInWords(cell.live) + " of " + bytesInWords(map.cellBytes) +
      " live in " + countInWords(cell.pieces, "piece") + "; the largest:");
  }
  const part = history_.bytes[span] === history_.size[owner] ? ""
    : ", bytes " + rangeInWords(history_, span) + " of " + bytesInWords(history_.size[owner]);
  const since = history_.times[history_.allocated[owner]];
  lines.push(bytesInWords(history_.bytes[span]) + " at " + addressInWords(history_.begin[span]) + part);
  lines.push("from " + history_.placeName(owner) + ", thread " + history_.thread[owner]);
  lines.push("since " + timeInWords(since) + ", for " + timeInWords(history_.times[state.moment] - since));
  return lines.join("\n");
}

function showCell() {
  const focused = document.activeElement === byId("map");
  byId("cell").textContent = focused ? cellInWords(map.cursor).replaceAll("\n", "; ") : "";
  const tip = byId("tip");
  const fold = state.pointer ? map.foldAt(state.pointer.x, state.pointer.y) : -1;
  tip.hidden = fold < 0;
  if (fold < 0) return;
  tip.textContent = cellInWords(fold);
  const box = tip.getBoundingClientRect();
  const { pageX, pageY } = state.pointer;
  tip.style.left = Math.max(4, Math.min(pageX + 16, window.innerWidth - box.width - 8)) + "px";
  tip.style.top = (pageY + 20 + box.height > window.innerHeight ? pageY - box.height - 12 : pageY + 20) + "px";
}

function showTree() {
  state.treeMoment = state.moment;
  fillTree(byId("tree"), history_, state.tree, state.span, state.moment, goToSpan);
}

function goToSpan(moment, address, span) {
  pause();
  state.span = span;
  state.tree = map.selected = history_.owner[span];
  goTo(moment);
  const fold = history_.foldOf(address);
  if (map.cellBytes > 64) map.zoom(Math.log2(map.cellBytes / 64), fold);
  map.setCursor(fold);
  showTree();
  tell(momentInWords());
}

function choose(fold) {
  const cell = map.cellAt(fold);
  map.setCursor(fold);
  state.span = cell.span;
  state.tree = map.selected = cell.span === none ? none : history_.owner[cell.span];
  if (state.tree === none) byId("tree").replaceChildren(element("p", "Choose a piece of the map.", "hint"));
  else showTree();
  render();
}

function zoom(steps, fold) {
  map.zoom(steps, fold);
  tell("A cell is " + bytesInWords(map.cellBytes));
  render();
}

function listenToMap() {
  const canvas = byId("map");
  const pointers = new Map();
  let pinch = 0;
  let dragged = null;
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, pageX: event.clientX, pageY: event.clientY };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 2) pinch = distance();
    dragged = { y: place(event).y, top: map.top, far: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    state.pointer = event.pointerType === "touch" ? null : place(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, place(event));
    if (pointers.size === 2) {
      dragged.far = true;
      const ratio = distance() / pinch;
      if (ratio > 1.6 || ratio < 0.625) {
        const [a, b] = [...pointers.values()];
        zoom(ratio > 1 ? 1 : -1, Math.max(0, map.foldAt((a.x + b.x) / 2, (a.y + b.y) / 2)));
        pinch = distance();
      }
    } else if (pointers.size === 1 && dragged) {
      const rows = Math.round((dragged.y - place(event).y) / cellSide);
      if (rows !== 0) dragged.far = true;
      if (dragged.far) map.moveTo(dragged.top + rows * map.columns * map.cellBytes);
    }
    render();
  });
  const up = (event) => {
    if (pointers.size === 1 && dragged && !dragged.far && event.type === "pointerup") {
      const at = place(event);
      const fold = map.foldAt(at.x, at.y);
      if (fold >= 0) choose(fold);
    }
    pointers.delete(event.pointerId);
    if (pointers.size === 0) dragged = null;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => {
    state.pointer = null;
    render();
  });
  let turned = 0;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey) {
      map.moveTo(map.top + Math.sign(event.deltaY || event.deltaX) * 3 * map.columns * map.cellBytes);
      return render();
    }
    // Touch pads send many small turns.
    turned += event.deltaMode === 0 ? event.deltaY : event.deltaY * 40;
    if (Math.abs(turned) < 60) return;
    const at = place(event);
    const fold = map.foldAt(at.x, at.y);
    zoom(turned < 0 ? 1 : -1, fold < 0 ? map.cursor : fold);
    turned = 0;
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const row = map.columns * map.cellBytes;
    const moves = {
      ArrowLeft: -map.cellBytes, ArrowRight: map.cellBytes, ArrowUp: -row, ArrowDown: row,
      PageUp: -row * map.rows, PageDown: row * map.rows, Home: -history_.folded, End: history_.folded,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) {
      map.setCursor(map.cursor + moves[event.key]);
    } else if (event.key === "Enter") {
      choose(map.cursor);
    } else if (event.key === "n" || event.key === "p") {
      const span = map.neighbour(event.key === "n" ? 1 : -1);
      if (span !== none) map.setCursor(history_.fold[span]);
    } else {
      return;
    }
    event.preventDefault();
    render();
  });
  canvas.addEventListener("focus", render);
  canvas.addEventListener("blur", render);
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = "Theme: " + theme;
  state.theme = theme;
  render();
}

function nextTheme() {
  const themes = ["auto", "light", "dark"];
  setTheme(themes[(themes.indexOf(state.theme) + 1) % themes.length]);
}

function setColours(by) {
  colours.by = by;
  byId("colours").value = by;
  render();
}

function changeSpeed(steps) {
  const speed = byId("speed");
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + steps));
  tell("Speed " + speed.value);
}

const commands = {
  togglePlay: () => (state.playing ? pause() : play()),
  step(by) {
    pause();
    goTo(state.moment + by);
    tell(momentInWords());
  },
  peak() {
    pause();
    goTo(summary.peak);
    tell("The peak: " + momentInWords());
  },
  whole() {
    map.whole();
    tell("The whole map");
    render();
  },
};

const keys = {
  " ": commands.togglePlay,
  ",": () => commands.step(-1),
  ".": () => commands.step(1),
  "<": () => changeSpeed(-1),
  ">": () => changeSpeed(1),
  k: commands.peak,
  "+": () => zoom(1, map.cursor),
  "=": () => zoom(1, map.cursor),
  "-": () => zoom(-1, map.cursor),
  0: commands.whole,
  c: () => setColours({ place: "size", size: "age", age: "place" }[colours.by]),
  t: nextTheme,
  m: () => byId("map").focus(),
  "?": () => byId("keys").showModal(),
};

function listenToControls() {
  const on = (id, kind, act) => byId(id).addEventListener(kind, act);
  on("play", "click", commands.togglePlay);
  on("back", "click", () => commands.step(-1));
  on("forward", "click", () => commands.step(1));
  on("peak", "click", commands.peak);
  on("in", "click", () => zoom(1, map.cursor));
  on("out", "click", () => zoom(-1, map.cursor));
  on("whole", "click", commands.whole);
  on("theme", "click", nextTheme);
  on("help", "click", () => byId("keys").showModal());
  on("keys-close", "click", () => byId("keys").close());
  on("colours", "change", () => setColours(byId("colours").value));
  on("axis", "change", () => {
    axis.by = byId("axis").value;
    curves.sample();
    goTo(state.moment);
  });
  on("slider", "input", () => {
    pause();
    state.dragged = true;
    goToPosition(byId("slider").value / byId("slider").max);
  });
  on("slider", "change", () => tell(momentInWords()));
  on("view-details", "toggle", render);
  on("curve-details", "toggle", render);
  const seek = (event) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    pause();
    const box = byId("curves").getBoundingClientRect();
    goToPosition((event.clientX - box.left) / box.width);
  };
  on("curves", "pointerdown", seek);
  on("curves", "pointermove", seek);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    const target = event.target;
    // Buttons, lists and the like keep their own keys.
    const own = target.closest("button, select, summary, input");
    if (own && (event.key === " " || own.tagName === "SELECT")) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.defaultPrevented) return;
    event.preventDefault();
    act();
  });
  window.addEventListener("resize", layOut);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
}

function layOut() {
  map.resize();
  curves.resize();
  render();
}

function about() {
  byId("about").textContent = summary.file + (summary.program ? ", of " + summary.program : "") + ": " +
    countInWords(history_.last, "event") + " in " + timeInWords(history_.times[history_.last]);
  const notes = byId("notes");
  notes.textContent = summary.notes.join(" ");
  notes.hidden = summary.notes.length === 0;
  byId("pins-about").textContent = summary.pinned_pages === 0
    ? "None: no free left at most half of a page live."
    : "A free left at most half of a page live " + countInWords(summary.pinned_pages, "time") +
      ". The longest, until the page was empty or filled again:";
}

function start() {
  about();
  byId("axis").value = axis.by;
  setTheme("auto");
  listenToMap();
  listenToControls();
  fillPins(byId("pins"), history_, goToSpan);
  goTo(summary.start);
  layOut();
}

start();
