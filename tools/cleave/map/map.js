// map.js -- the reservation as a grid of cells, from all of it down to single bytes.
//
// A cell is a power of two of bytes of the folded reservation. It is filled from its foot as
// far as it is live, in the colour of the piece with most of it. Cells of one piece touch.

const cellSide = 14;
const labelWidth = 122;

class HeapMap {
  constructor(canvas, history, colours) {
    this.canvas = canvas;
    this.history = history;
    this.colours = colours;
    this.moment = 0;
    this.cellBytes = 1;
    this.top = 0;
    this.cursor = 0;
    this.selected = none;
    this.isWhole = true;
  }

  // After the size of the canvas has changed.
  resize() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.label = this.width > 520 ? labelWidth : 0;
    this.columns = Math.max(8, Math.floor((this.width - this.label) / cellSide));
    // Round rows, so that addresses and pages stand below each other: 32, 48, 64, 96 cells.
    const power = 2 ** Math.floor(Math.log2(this.columns));
    this.columns = this.columns >= power * 1.5 ? power * 1.5 : power;
    this.rows = Math.max(2, Math.floor(this.height / cellSide));
    this.side = Math.min(cellSide * 1.6, (this.width - this.label) / this.columns);
    if (this.isWhole) this.whole();
    else this.moveTo(this.top);
  }

  get cells() {
    return this.columns * this.rows;
  }

  whole() {
    this.cellBytes = 1;
    while (this.cellBytes * this.cells < this.history.folded) this.cellBytes *= 2;
    this.largest = this.cellBytes;
    this.top = 0;
    this.isWhole = true;
  }

  moveTo(top) {
    const row = this.columns * this.cellBytes;
    const end = Math.ceil(this.history.folded / row) * row - this.rows * row;
    this.top = Math.max(0, Math.min(end, Math.floor(top / this.cellBytes) * this.cellBytes));
  }

  // In for positive steps; what is at `fold` stays where it is.
  zoom(steps, fold) {
    const cell = Math.max(0, Math.min(this.cells - 1, Math.floor((fold - this.top) / this.cellBytes)));
    const wanted = Math.max(1, this.cellBytes / 2 ** steps);
    let widest = 1;
    while (widest * this.cells < this.history.folded) widest *= 2;
    if (wanted >= widest) return this.whole();
    this.isWhole = false;
    this.cellBytes = wanted;
    this.moveTo(fold - cell * wanted);
  }

  show(fold) {
    if (fold >= this.top && fold < this.top + this.cells * this.cellBytes) return;
    this.moveTo(fold - Math.floor(this.rows / 2) * this.columns * this.cellBytes);
  }

  setCursor(fold) {
    this.cursor = Math.max(0, Math.min(this.history.folded - 1, fold));
    this.show(this.cursor);
  }

  foldAt(x, y) {
    const column = Math.floor((x - this.label) / this.side);
    const row = Math.floor(y / cellSide);
    if (column < 0 || column >= this.columns || row < 0 || row >= this.rows) return -1;
    const fold = this.top + (row * this.columns + column) * this.cellBytes;
    return fold < this.history.folded ? fold : -1;
  }

  // What the cell at `fold` holds: live bytes, how many pieces, and the largest of them.
  cellAt(fold) {
    const history = this.history;
    const begin = this.top + Math.floor((fold - this.top) / this.cellBytes) * this.cellBytes;
    const end = begin + this.cellBytes;
    const cell = { begin, live: 0, pieces: 0, most: 0, span: none, pageLive: 0 };
    const page = Math.floor(begin / history.pageBytes) * history.pageBytes;
    for (const i of history.aliveAt(this.moment)) {
      const first = history.fold[i];
      const last = first + history.bytes[i];
      const onPage = Math.min(last, page + history.pageBytes) - Math.max(first, page);
      if (onPage > 0) cell.pageLive += onPage;
      const bytes = Math.min(last, end) - Math.max(first, begin);
      if (bytes <= 0) continue;
      cell.live += bytes;
      ++cell.pieces;
      if (bytes > cell.most) {
        cell.most = bytes;
        cell.span = i;
      }
    }
    return cell;
  }

  // The piece that begins nearest behind or before the cursor.
  neighbour(direction) {
    const history = this.history;
    let best = none;
    for (const i of history.aliveAt(this.moment)) {
      const distance = (history.fold[i] - this.cursor) * direction;
      if (distance <= 0) continue;
      if (best === none || distance < (history.fold[best] - this.cursor) * direction) best = i;
    }
    return best;
  }

  // Fills this.live, this.most and this.span for the cells in view, and this.pages, which of
  // the pages in view have a live byte, where cells are smaller than pages.
  measure() {
    const { fold: folds, bytes: sizes, pageBytes } = this.history;
    const { cells, cellBytes, top } = this;
    const live = (this.live = new Float64Array(cells));
    const most = (this.most = new Float64Array(cells));
    const span = (this.span = new Uint32Array(cells).fill(none));
    const end = top + cells * cellBytes;
    this.firstPage = Math.floor(top / pageBytes);
    const small = cellBytes < pageBytes;
    this.pages = small ? new Uint8Array(Math.ceil(end / pageBytes) - this.firstPage) : null;
    for (const i of this.history.aliveAt(this.moment)) {
      const first = folds[i];
      const last = first + sizes[i];
      if (small) this.markPages(first, last);
      if (last <= top || first >= end) continue;
      const from = first <= top ? 0 : Math.floor((first - top) / cellBytes);
      const to = last >= end ? cells - 1 : Math.floor((last - 1 - top) / cellBytes);
      for (let c = from; c <= to; ++c) {
        const begin = top + c * cellBytes;
        const bytes = Math.min(last, begin + cellBytes) - Math.max(first, begin);
        live[c] += bytes;
        if (bytes > most[c]) {
          most[c] = bytes;
          span[c] = i;
        }
      }
    }
  }

  markPages(first, last) {
    const pageBytes = this.history.pageBytes;
    const from = Math.max(0, Math.floor(first / pageBytes) - this.firstPage);
    const to = Math.min(this.pages.length - 1, Math.floor((last - 1) / pageBytes) - this.firstPage);
    for (let p = from; p <= to; ++p) this.pages[p] = 1;
  }

  draw() {
    this.measure();
    const scale = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue("--" + name);
    const free = colour("free");
    const dead = colour("dead");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = colour("panel");
    context.fillRect(0, 0, this.width, this.height);
    const palette = this.colours.palette;
    for (let c = 0; c < this.cells; ++c) {
      const fold = this.top + c * this.cellBytes;
      if (fold >= this.history.folded) break;
      const x = this.label + (c % this.columns) * this.side;
      const y = Math.floor(c / this.columns) * cellSide;
      const span = this.span[c];
      const joins = c % this.columns !== 0 && c > 0 && span !== none && this.span[c - 1] === span;
      const left = joins ? x - 1.5 : x;
      const width = this.side - 1 + (x - left);
      const height = cellSide - 1.5;
      context.fillStyle = span !== none || this.isHeld(fold) ? dead : free;
      context.fillRect(x, y, this.side - 1, height);
      if (span === none) continue;
      // A byte of a large cell is seen, too.
      const filled = Math.max(1.5, (height * Math.min(this.live[c], this.cellBytes)) / this.cellBytes);
      context.fillStyle = palette[this.colours.of(span, this.moment)];
      context.fillRect(left, y + height - filled, width, filled);
    }
    this.drawFolds(context, colour("soft"));
    this.drawLabels(context, colour("soft"));
    this.drawFrames(context, colour("text"), colour("focus"));
  }

  // On a page with a live byte, in views of less than pages.
  isHeld(fold) {
    return this.pages !== null &&
      this.pages[Math.floor(fold / this.history.pageBytes) - this.firstPage] === 1;
  }

  cornerOf(fold) {
    const c = Math.floor((fold - this.top) / this.cellBytes);
    if (c < 0 || c >= this.cells) return null;
    return { x: this.label + (c % this.columns) * this.side, y: Math.floor(c / this.columns) * cellSide };
  }

  // A bar where addresses were left out, and a tick where a page begins.
  drawFolds(context, colour) {
    const folds = this.history.rangeFold;
    context.fillStyle = colour;
    const end = this.top + this.cells * this.cellBytes;
    const first = firstAbove(folds, this.top, folds.length);
    let drawn = -1;
    for (let i = first; i < folds.length - 1 && folds[i] < end; ++i) {
      const corner = this.cornerOf(folds[i]);
      const cell = corner.y * this.width + corner.x;
      if (cell !== drawn) context.fillRect(corner.x - 1.5, corner.y - 1, 2, cellSide + 0.5);
      drawn = cell;
    }
    if (this.pages === null || this.cellBytes * this.columns > 32 * this.history.pageBytes) return;
    for (let p = this.firstPage; p * this.history.pageBytes < Math.min(end, this.history.folded); ++p) {
      const corner = this.cornerOf(p * this.history.pageBytes);
      if (corner) context.fillRect(corner.x - 1, corner.y, 1, cellSide - 1.5);
    }
  }

  drawLabels(context, colour) {
    if (this.label === 0) return;
    context.fillStyle = colour;
    context.font = "11px ui-monospace, monospace";
    context.textBaseline = "middle";
    for (let row = 0; row < this.rows; row += this.rows > 12 ? 2 : 1) {
      const fold = this.top + row * this.columns * this.cellBytes;
      if (fold >= this.history.folded) break;
      context.fillText(addressInWords(this.history.addressOf(fold)), 2, row * cellSide + cellSide / 2);
    }
  }

  isSelected(c) {
    const span = c < 0 || c >= this.cells ? none : this.span[c];
    return span !== none && this.history.owner[span] === this.selected;
  }

  // The sides on which the neighbour is not selected.
  drawOutline(context, c) {
    const x = this.label + (c % this.columns) * this.side - 1;
    const y = Math.floor(c / this.columns) * cellSide - 1;
    const column = c % this.columns;
    if (!this.isSelected(c - this.columns)) context.fillRect(x, y, this.side + 1, 2);
    if (!this.isSelected(c + this.columns)) context.fillRect(x, y + cellSide - 0.5, this.side + 1, 2);
    if (column === 0 || !this.isSelected(c - 1)) context.fillRect(x, y, 2, cellSide + 1);
    if (column === this.columns - 1 || !this.isSelected(c + 1)) {
      context.fillRect(x + this.side - 1, y, 2, cellSide + 1);
    }
  }

  drawFrames(context, text, focus) {
    if (this.selected !== none) {
      context.fillStyle = text;
      for (let c = 0; c < this.cells; ++c) if (this.isSelected(c)) this.drawOutline(context, c);
    }
    const corner = document.activeElement === this.canvas ? this.cornerOf(this.cursor) : null;
    if (!corner) return;
    context.strokeStyle = focus;
    context.lineWidth = 2.5;
    context.strokeRect(corner.x - 1.5, corner.y - 1.5, this.side + 2, cellSide + 1.5);
  }
}
