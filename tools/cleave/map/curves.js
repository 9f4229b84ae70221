// curves.js -- live and held bytes over time, with a line at the moment.

class Curves {
  constructor(canvas, history, axis) {
    this.canvas = canvas;
    this.history = history;
    this.axis = axis;
    canvas.setAttribute("aria-label", this.describe());
  }

  describe() {
    const history = this.history;
    const peak = history.summary.peak;
    return "Live and held bytes over " + timeInWords(history.times[history.last]) + ". Most live: " +
      bytesInWords(history.live[peak]) + " at " + timeInWords(history.times[peak]) + ". At the end: " +
      bytesInWords(history.live[history.last]) + " live, " + bytesInWords(history.held[history.last]) + " held.";
  }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.sample();
  }

  // The most live and held bytes behind each pixel.
  sample() {
    const n = Math.max(1, Math.floor(this.width));
    this.live = new Float64Array(n);
    this.held = new Float64Array(n);
    let moment = 0;
    for (let x = 0; x < n; ++x) {
      const last = this.axis.momentAt((x + 1) / n);
      for (let m = moment; m <= last; ++m) {
        if (this.history.live[m] > this.live[x]) this.live[x] = this.history.live[m];
        if (this.history.held[m] > this.held[x]) this.held[x] = this.history.held[m];
      }
      // A pixel without events is as it was.
      moment = Math.min(last, this.history.last);
    }
    this.most = 1;
    for (const bytes of this.held) this.most = Math.max(this.most, bytes);
  }

  draw(moment) {
    const scale = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue("--" + name);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = colour("free");
    context.fillRect(0, 0, this.width, this.height);
    const room = this.height - 8;
    const y = (bytes) => this.height - 2 - (bytes / this.most) * (room - 4);
    const line = (values, name, filled) => {
      context.strokeStyle = context.fillStyle = colour(name);
      context.lineWidth = 1.5;
      const path = new Path2D();
      for (let x = 0; x < values.length; ++x) path.lineTo(x, y(values[x]));
      context.stroke(path);
      if (!filled) return;
      path.lineTo(values.length, this.height);
      path.lineTo(0, this.height);
      context.globalAlpha = 0.3;
      context.fill(path);
      context.globalAlpha = 1;
    };
    line(this.held, "held", false);
    line(this.live, "live", true);
    context.fillStyle = colour("soft");
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(bytesInWords(this.most), 6, 4);
    context.fillStyle = colour("text");
    const at = Math.min(this.width - 1, this.axis.positionOf(moment) * this.width);
    context.fillRect(at - 0.75, 0, 1.5, this.height);
  }
}
