// colours.js -- what colours stand for. Told apart by all common kinds of colour blindness, on
// white and on black; the same as in tools/cleave/map_svg.cpp.

const placeColours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442", "#d55e00", "#8a8a8a"];
const stepColours = ["#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725"];

function classOf(value, limits) {
  let i = 0;
  while (i < limits.length && value > limits[i]) ++i;
  return i;
}

class Colours {
  constructor(history) {
    this.history = history;
    this.by = "place";
  }

  get palette() {
    return this.by === "place" ? placeColours : stepColours;
  }

  // The number of a span's colour at a moment.
  of(span, moment) {
    const history = this.history;
    const owner = history.owner[span];
    if (this.by === "place") return history.summary.places[history.place[owner]].colour;
    if (this.by === "size") return classOf(history.size[owner], history.summary.size_limits);
    const age = history.times[moment] - history.times[history.allocated[owner]];
    return classOf(age, history.summary.age_limits);
  }

  name(colour) {
    if (this.by === "place") {
      const place = this.history.summary.places.find((one) => one.colour === colour);
      return colour === placeColours.length - 1 || !place ? "other places" : place.name;
    }
    const limits = this.by === "size" ? this.history.summary.size_limits : this.history.summary.age_limits;
    const words = this.by === "size" ? bytesInWords : timeInWords;
    if (colour < limits.length) return "up to " + words(limits[colour]);
    return this.by === "size" ? "larger" : "older";
  }
}
