// Text for a terminal. Issue text is written by strangers: nothing in it may move the cursor, change the
// colours, reverse the reading direction or break a table.

// Escape sequences: strings (titles, links) up to their end, CSI (colours, cursor), the short ones. A run never
// goes past the beginning of the next sequence, so that any text is read once.
const ESCAPES =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-Z\\^-~]/g;
// Controls, broken UTF-16, line separators and everything that turns the direction of text.
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One safe line. */
export function clean(text: string): string {
  return text
    .replaceAll(ESCAPES, '')
    .replaceAll(/[\t\r\n\v\f\u2028\u2029]+/g, ' ')
    .replaceAll(UNSAFE, '');
}

/** Safe text that keeps its lines. */
export function cleanLines(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => clean(line.replaceAll('\t', '    ')))
    .join('\n');
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;
// East Asian Wide and Fullwidth, as coarse as a terminal needs.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  const point = grapheme.codePointAt(0) ?? 0;
  const wide = WIDE.some(([from, to]) => point >= from && point <= to);
  return wide || EMOJI.test(grapheme) ? 2 : 1;
}

/** Columns that a clean line takes. */
export function width(text: string): number {
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += graphemeWidth(segment);
  return sum;
}

/** At most this many columns, with an ellipsis where something was cut. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (width(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = graphemeWidth(segment);
    if (used + more > columns - 1) break;
    kept += segment;
    used += more;
  }
  return `${kept}…`;
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

const GAP = 2;

/**
 * Rows as aligned lines. Cells are cleaned here. The last column takes what is left of the line and is
 * cut to it; the others keep their width.
 */
export function table(rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map(clean));
  const last = Math.max(0, ...cells.map((row) => row.length)) - 1;
  const widths = Array.from({ length: Math.max(0, last) }, (_, index) =>
    Math.max(...cells.map((row) => width(row[index] ?? ''))),
  );
  return cells.map((row) => {
    const head = widths.map((size, index) => pad(row[index] ?? '', size + GAP)).join('');
    return cut(`${head}${row[last] ?? ''}`.trimEnd(), columns);
  });
}
