/**
 * Where the places of a board are drawn: their middles, outlines and neighbours, in units of which a square has 100.
 *
 * Views count y upward from the lower edge of the board, as people do; drawings count it downward.
 */

export const UNIT = 100;

const ROOT = Math.sqrt(3);
const SCALES = { squares: 1, hexagons: 0.92, graph: 0.78, track: 0.9 };

/** The places of one board, as they are drawn. */
export class Geometry {
  /**
   * @param {object} board of a GameView
   * @param {boolean} flipped draws the board turned by half
   */
  constructor(board, flipped) {
    const sign = flipped ? -1 : 1;
    this.board = board;
    /** @type {{x: number, y: number}[]} */
    this.middles = board.places.map(({ x, y }) => ({ x: sign * x * UNIT, y: -sign * y * UNIT }));
    this.distance = board.style === "squares" ? UNIT : nearest(this.middles);
    this.outline = this.#outline();
    this.bounds = this.#bounds();
  }

  /** How large a piece is drawn, where 1 fills a square. */
  get scale() {
    return SCALES[this.board.style] * Math.min(1.6, this.distance / UNIT);
  }

  /**
   * Returns the place that one comes to from another by an arrow key: the nearest one that lies that way.
   * @param {number} from
   * @param {number} dx
   * @param {number} dy downward
   * @returns {number} `from` where there is none
   */
  neighbour(from, dx, dy) {
    let best = from, cost = Infinity;
    const origin = this.middles[from];
    this.middles.forEach(({ x, y }, place) => {
      const along = (x - origin.x) * dx + (y - origin.y) * dy;
      const aside = Math.abs((x - origin.x) * dy) + Math.abs((y - origin.y) * dx);
      if (place === from || along <= 1 || aside > along * 1.8 || this.board.places[place].blocked) return;
      const found = along + 2 * aside;
      if (found < cost) [best, cost] = [place, found];
    });
    return best;
  }

  /** Returns the places in rows from top to bottom, each from left to right. */
  rows() {
    const rows = new Map();
    this.middles.forEach(({ y }, place) => {
      const key = Math.round(y);
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key).push(place);
    });
    const sorted = [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
    for (const row of sorted) row.sort((a, b) => this.middles[a].x - this.middles[b].x);
    return sorted;
  }

  /** The markup of a place's outline around the origin. */
  #outline() {
    const style = this.board.style;
    if (style === "hexagons") return `<path class="place-shape" d="${this.#hexagon()}"/>`;
    if (style === "graph") return `<circle class="place-shape" r="${(this.distance * 0.36).toFixed(1)}"/>`;
    const half = this.distance / 2, round = style === "track" ? this.distance * 0.14 : 0;
    return `<rect class="place-shape" x="${-half}" y="${-half}" width="${2 * half}" height="${2 * half}" rx="${round}"/>`;
  }

  /** Returns the path of a hexagon whose sides face the nearest places. */
  #hexagon() {
    const angle = facing(this.middles, this.distance);
    const radius = this.distance / ROOT;
    const corners = [0, 1, 2, 3, 4, 5].map((i) => {
      const at = angle + Math.PI / 6 + (i * Math.PI) / 3;
      return `${(radius * Math.cos(at)).toFixed(2)} ${(radius * Math.sin(at)).toFixed(2)}`;
    });
    return `M${corners.join("L")}Z`;
  }

  /** Returns what all places lie in. */
  #bounds() {
    const half = this.board.style === "hexagons" ? this.distance / ROOT : this.distance / 2;
    const xs = this.middles.map(({ x }) => x), ys = this.middles.map(({ y }) => y);
    const [left, right] = [Math.min(...xs) - half, Math.max(...xs) + half];
    const [top, bottom] = [Math.min(...ys) - half, Math.max(...ys) + half];
    return { left, right, top, bottom };
  }
}

/** Returns the smallest distance of two places. */
function nearest(middles) {
  let best = Infinity;
  middles.forEach((a, i) => {
    for (let j = i + 1; j < middles.length; j++) {
      best = Math.min(best, Math.hypot(a.x - middles[j].x, a.y - middles[j].y) || Infinity);
    }
  });
  return Number.isFinite(best) ? Math.min(best, 2 * UNIT) : UNIT;
}

/** Returns the angle from a place to one of its nearest. */
function facing(middles, distance) {
  for (const a of middles) {
    for (const b of middles) {
      const away = Math.hypot(a.x - b.x, a.y - b.y);
      if (away > 0 && away < distance * 1.02) return Math.atan2(b.y - a.y, b.x - a.x);
    }
  }
  return 0;
}
