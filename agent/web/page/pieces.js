/**
 * Pieces as SVG: a drawn set for the usual ones, letters with colours for the rest.
 *
 * Each is markup in a square of 100 units around the origin. Colours are CSS variables that the class of a tone sets
 * (board.css); every tone but white and black has a mark of its own as well, so that no one has to tell colours apart.
 */

/** @typedef {{shape: string, owner: number|null, text?: string}} Piece */

const TONE_WORDS = [
  ["white", /white|light|silver|ivory/],
  ["black", /black|dark/],
  ["red", /red/],
  ["orange", /orange|brown/],
  ["blue", /blue|cyan|sky/],
  ["green", /green|teal/],
  ["yellow", /yellow|gold/],
  ["purple", /purple|violet|pink|magenta/],
  ["grey", /gr[ae]y/],
];
const TONES = ["blue", "orange", "green", "purple", "yellow", "red", "white", "black", "grey"];

const MARKS = {
  blue: '<circle class="mark" r="13"/>',
  red: '<path class="mark" d="M-16 0H16M0-16V16"/>',
  orange: '<path class="mark" d="M-14 12 14-12"/>',
  green: '<path class="mark" d="M0-17 16 12H-16Z"/>',
  purple: '<path class="mark" d="M-13-13H13V13H-13Z"/>',
  yellow: '<path class="mark" d="M-16-6H16M-16 8H16"/>',
  grey: '<path class="mark" d="M-13-13 13 13M13-13-13 13"/>',
};

const BASE = "M-28 36h56v-6q0-6-8-7h-40q-8 1-8 7z";

/** Outlines of chessmen, with lines inside them. */
const CHESSMEN = {
  pawn: [`${BASE}M-16 22q4-18 6-28h20q2 10 6 28zM-14-7h28q3-6-5-9a14 14 0 1 0-18 0q-8 3-5 9z`, "M-10-6H10M-16 22H16"],
  rook: [`${BASE}M-19 22l4-36h30l4 36zM-22-14v-22h10v8h7v-8h10v8h7v-8h10v22z`, "M-16-14H16M-19 22H19"],
  knight: [
    `${BASE}M-18 22C-18 6-2 0-4-12c-8 6-14 7-18 6l-6-5c0-6 8-17 12-23l1-9 9 5c18-2 32 16 30 60z`,
    "M-18 22H24M-11-22l1 1M2-30c12 6 14 26 13 44",
  ],
  bishop: [
    `${BASE}M-16 22q4-10 4-16h24q0 6 4 16zM-14 6q-8-8-6-18 4-12 20-24 16 12 20 24 2 10-6 18zM0-35a6 6 0 1 1 .1 0z`,
    "M-14 6H14M-16 22H16M0-24V-8M-8-16H8",
  ],
  queen: [
    `${BASE}M-20 22q2-6-2-14l-12-30 16 14 2-24 12 22 4-28 4 28 12-22 2 24 16-14-12 30q-4 8-2 14z`,
    "M-22 8Q0 0 22 8M-20 22H20",
  ],
  "chess-king": [
    `${BASE}M-20 22q2-6-4-12c-22-22 6-38 20-22v-14h-8v-8h8v-8h8v8h8v8h-8v14c14-16 42 0 20 22q-6 6-4 12z`,
    "M-24 10Q0 2 24 10M-20 22H20M0-8V4",
  ],
};

/** A wall on a piece: it stands upright, so that one sees whose piece it is on. */
export const UPRIGHT_WALL = '<g class="piece"><rect class="wall" x="-50" y="-15" width="100" height="30" rx="3"/><path class="wall-line" d="M-50 0H50M-18-15V0M18-15V0M0 0V15"/></g>';

/**
 * Returns the tone of each role: that of a colour in its name, else one that is not taken.
 * @param {string[]} roles
 * @returns {string[]}
 */
export function roleTones(roles) {
  const named = roles.map(toneOf);
  const free = TONES.filter((tone) => !named.includes(tone));
  return named.map((tone) => tone ?? free.shift() ?? "grey");
}

/** Returns the tone of a colour that a text names. */
function toneOf(text) {
  return TONE_WORDS.find(([, words]) => words.test(String(text).toLowerCase()))?.[0];
}

/**
 * Returns the markup of a piece.
 * @param {Piece} piece
 * @param {string[]} tones of the roles
 */
export function pieceMarkup(piece, tones) {
  const tone = pieceTone(piece, tones);
  return `<g class="piece tone-${tone}">${shapeMarkup(piece, tone)}</g>`;
}

/** Returns the tone of a piece: that of its owner, else that of a colour in its name. */
function pieceTone(piece, tones) {
  const owner = piece.owner === null || piece.owner === undefined ? undefined : tones[piece.owner];
  return owner ?? toneOf(piece.text ?? "") ?? "grey";
}

function shapeMarkup(piece, tone) {
  const mark = MARKS[tone] ?? "";
  const text = piece.text ?? "";
  switch (piece.shape) {
    case "stone":
      return `<circle class="body" r="40"/>${mark}`;
    case "man":
      return `<circle class="body" r="40"/><circle class="line" r="31"/>${mark}`;
    case "king":
      return '<circle class="body" r="40"/><circle class="line" r="34"/><path class="crown" d="M-20 14v-26l10 10 10-16 10 16 10-10v26z"/>';
    case "marble":
      return `<circle class="body" r="34"/><path class="line" d="M-22-12a25 25 0 0 1 14-13"/>${mark}`;
    case "mark":
      return '<circle class="ring" r="30"/>';
    case "arrow":
      return '<path class="body" d="M0-36 30 2H12V36H-12V2H-30Z"/>';
    case "trail":
      return `<rect class="body faint" x="-38" y="-38" width="76" height="76" rx="10"/>${mark}`;
    case "wall":
      return '<rect class="wall" x="-48" y="-48" width="96" height="96" rx="4"/><path class="wall-line" d="M-48-16H48M-48 16H48M0-48V-16M-24-16V16M24-16V16M0 16V48"/>';
    case "card":
      return cardMarkup(text);
    case "number":
      return textMarkup(text, 84, 56, "ink");
    default:
      return CHESSMEN[piece.shape] ? chessman(piece.shape) : letterMarkup(text);
  }
}

/** A card stands upright, or lies on its side for a word. */
function cardMarkup(text) {
  const [width, height] = [...text].length > 3 ? [94, 56] : [60, 84];
  const rect = `<rect class="card" x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="8"/>`;
  return rect + textMarkup(text, width - 8, 40, "ink");
}

function chessman(shape) {
  const [outline, lines] = CHESSMEN[shape];
  return `<path class="body" d="${outline}"/><path class="line" d="${lines}"/>`;
}

/** A letter stands alone; a word stands on a plate, on which it is read more easily. */
function letterMarkup(text) {
  if ([...text].length <= 2) return textMarkup(text, 84, 74, "letter");
  return `<rect class="body" x="-44" y="-24" width="88" height="48" rx="12"/>${textMarkup(text, 78, 34, "on-body")}`;
}

/** Returns a text in the middle of the square, small enough for a width. */
function textMarkup(text, width, size, style) {
  const letters = [...text];
  const shown = letters.length > 12 ? `${letters.slice(0, 11).join("")}…` : text;
  const fitted = Math.min(size, (width / Math.max(1, Math.min(letters.length, 12))) * 1.4);
  return `<text class="${style}" font-size="${fitted.toFixed(1)}" dy="0.36em">${escapeText(shown)}</text>`;
}

/** Returns a text as it stands in markup. */
export function escapeText(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
