// An issue body as lines that people see: comments cut out, code and quotes marked, headings found.
// A stranger wrote the text, so everything here takes linear time and nothing is trusted to be closed.

/** What is read of a body: twice what GitHub allows. The rest is as if it were not there. */
const BODY_READ = 131_072;
/** More lines than anybody writes: a hundred thousand empty ones are work too. */
const LINES_READ = 20_000;

export interface BodyLine {
  readonly text: string;
  readonly within: 'text' | 'code' | 'quote';
  /** The level of a heading, 1 to 6; its text is then without the marks. Null: not a heading. */
  readonly heading: number | null;
}

/**
 * Every kind of line break counts. A fence may be indented as deep as it likes, since lists indent it. One that
 * is never closed, and a comment that begins a line and is never closed, run to the end, as in Markdown.
 */
export function readLines(body: string): BodyLine[] {
  const raw = body.slice(0, BODY_READ).split(/\r\n|[\n\r\u0085\u2028\u2029]/, LINES_READ);
  const lastClose = raw.findLastIndex((line) => line.includes(COMMENT_CLOSE));
  const lines: BodyLine[] = [];
  let fence: string | null = null;
  let inComment = false;
  for (const [index, line] of raw.entries()) {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null;
      else lines.push({ text: line, within: 'code', heading: null });
      continue;
    }
    const cut = cutComments(line, inComment, lastClose > index);
    inComment = cut.open;
    fence = opensFence(cut.text);
    if (fence === null) pushLine(lines, cut.text);
  }
  return lines;
}

const BLANK: BodyLine = { text: '', within: 'text', heading: null };

function pushLine(lines: BodyLine[], text: string): void {
  const shown = text.trimStart();
  const indent = text.length - shown.length;
  const first = indent > 3 ? undefined : shown[0];
  if (shown === '') lines.push(BLANK);
  else if (first === '>') {
    lines.push({ text: text.replaceAll('>', ' '), within: 'quote', heading: null });
  } else if (first === '#') pushHeading(lines, text, shown);
  else if (first === '=' || first === '-') pushUnderline(lines, text);
  else lines.push({ text, within: 'text', heading: null });
}

function pushHeading(lines: BodyLine[], text: string, shown: string): void {
  const marks = /^#{1,6}(?=[ \t]|$)/.exec(shown)?.[0].length;
  if (marks === undefined) lines.push({ text, within: 'text', heading: null });
  else lines.push({ text: cutClosingMarks(shown.slice(marks)), within: 'text', heading: marks });
}

/** Makes a heading of the line above. Only of a paragraph of one line: nobody looks for a longer title. */
function pushUnderline(lines: BodyLine[], text: string): void {
  const [before, title] = [lines.at(-2) ?? BLANK, lines.at(-1) ?? BLANK];
  const underlines = /^ {0,3}(?:=+|-+)[ \t]*$/.test(text);
  if (!underlines || !isParagraph(title) || isParagraph(before)) {
    lines.push({ text, within: 'text', heading: null });
    return;
  }
  const heading = text.trimStart()[0] === '=' ? 1 : 2;
  lines[lines.length - 1] = { text: title.text.trim(), within: 'text', heading };
}

const LIST_MARK = /^[ \t]{0,40}(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;

/** Without list marks, of a few levels, and without the box of a task list. */
export function cutListMarks(text: string): { text: string; marked: boolean; checked: boolean } {
  let rest = text;
  for (let level = 0; level < 4; level += 1) {
    const mark = LIST_MARK.exec(rest)?.[0];
    if (mark === undefined) break;
    rest = rest.slice(mark.length);
  }
  const marked = rest !== text;
  const box = marked ? /^[ \t]{0,8}\[([ xX])\](?=[ \t]|$)/.exec(rest) : null;
  if (box !== null) rest = rest.slice(box[0].length);
  return { text: rest, marked, checked: box !== null && box[1] !== ' ' };
}

function isParagraph({ text, within, heading }: BodyLine): boolean {
  if (within !== 'text' || heading !== null || text.trim() === '') return false;
  return !/^(?: {4}|\t)/.test(text) && !cutListMarks(text).marked;
}

/** `Title ##` is `Title`, `C#` stays. */
function cutClosingMarks(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '#') end -= 1;
  const before = trimmed[end - 1];
  return end === 0 || before === ' ' || before === '\t' ? trimmed.slice(0, end).trim() : trimmed;
}

/** The marks that begin a fence, or null. */
function opensFence(line: string): string | null {
  if (!line.includes('```') && !line.includes('~~~')) return null;
  const rest = cutListMarks(line).text.trimStart();
  const marks = /^(?:`{3,}|~{3,})/.exec(rest)?.[0] ?? null;
  if (marks === null) return null;
  return marks[0] === '`' && rest.includes('`', marks.length) ? null : marks;
}

function closesFence(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith(fence) && trimmed === (fence[0] ?? '').repeat(trimmed.length);
}

const COMMENT_OPEN = '<!--';
const COMMENT_CLOSE = '-->';

/**
 * Cuts comments out of a line, but not what stands in `code`. A comment in mid-line that is closed nowhere is
 * text; with a close further down it is a comment: better to overlook what shows than to obey what is hidden.
 */
function cutComments(
  line: string,
  inComment: boolean,
  closedLater: boolean,
): { text: string; open: boolean } {
  if (!inComment && !line.includes(COMMENT_OPEN)) return { text: line, open: false };
  const kept: string[] = [];
  let at = 0;
  if (inComment) {
    const close = line.indexOf(COMMENT_CLOSE);
    if (close === -1) return { text: '', open: true };
    at = close + COMMENT_CLOSE.length;
  }
  const lastRun = lastTickRuns(line);
  let from = at;
  while (at < line.length) {
    if (line[at] === '`') {
      const length = tickRun(line, at);
      at += length;
      if ((lastRun.get(length) ?? -1) < at) continue;
      // A run of the same length follows, and whatever is passed on the way to it is not looked at again.
      while (tickRun(line, at) !== length) at += Math.max(1, tickRun(line, at));
      at += length;
    } else if (line.startsWith(COMMENT_OPEN, at)) {
      const close = line.indexOf(COMMENT_CLOSE, at + 2);
      // Asked once a line at most: without a close, the line ends here.
      if (close === -1 && !closedLater && line.slice(0, at).trim() !== '') break;
      kept.push(line.slice(from, at));
      if (close === -1) return { text: kept.join(' '), open: true };
      at = close + COMMENT_CLOSE.length;
      from = at;
    } else at += 1;
  }
  kept.push(line.slice(from));
  return { text: kept.join(' '), open: false };
}

function tickRun(line: string, from: number): number {
  let end = from;
  while (line[end] === '`') end += 1;
  return end - from;
}

/** Where the last run of backticks of each length begins. */
function lastTickRuns(line: string): Map<number, number> {
  const runs = new Map<number, number>();
  for (let at = line.indexOf('`'); at !== -1; ) {
    const length = tickRun(line, at);
    runs.set(length, at);
    at = line.indexOf('`', at + length);
  }
  return runs;
}
