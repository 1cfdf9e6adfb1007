// What an issue body says to Banto: whether it names deliverables, a branch, dependencies. Pure, and in
// linear time for any text. Nothing read here is safe to use unchecked.

import { type BodyLine, cutListMarks, readLines } from './body-lines.ts';

/** Of a line that is to mean something, so much is looked at. */
const LINE_READ = 1000;
const TITLE_READ = 200;
const DEPENDENCIES_READ = 100;

/**
 * A heading of any level with one of these texts, and something under it before the next heading of its level
 * or above. Compared without case, width, emphasis, numbering (`3.`, `2.1)`) and what is neither letter nor
 * digit at the ends (a colon, an emoji); of `成果物 (Deliverables)` or `成果物 / Deliverables` either part may
 * match. Something is a line with a letter or a digit beside its list mark; GitHub's `_No response_` is not.
 */
export function hasDeliverables(body: string, headings: readonly string[]): boolean {
  const wanted = new Set(headings.map(plainTitle));
  wanted.delete('');
  // The level of the deliverables heading above, while there is one.
  let under: number | null = null;
  for (const line of readLines(body)) {
    if (line.heading !== null && (under === null || line.heading <= under)) {
      under = titlesOf(line.text).some((title) => wanted.has(title)) ? line.heading : null;
    } else if (under !== null && saysSomething(line)) {
      return true;
    }
  }
  return false;
}

function saysSomething(line: BodyLine): boolean {
  const text = line.within === 'code' ? line.text : cutListMarks(line.text).text;
  return /[\p{L}\p{N}]/u.test(text) && text.trim() !== '_No response_';
}

function titlesOf(text: string): string[] {
  if (text.length > TITLE_READ) return [];
  return [text, ...text.normalize('NFKC').split(/[()/]/)].map(plainTitle);
}

function plainTitle(text: string): string {
  const bare = text.slice(0, TITLE_READ).normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
  const unmarked = trimMarks(bare.replace(/[*_`~]/g, ''));
  const unnumbered = unmarked.replace(/^\d{1,4}(?:[.-]\d{1,4}){0,4}(?=[^\p{L}\p{N}])/u, '');
  return trimMarks(unnumbered).replace(/\s+/g, ' ');
}

/** Without what is neither letter nor digit at either end. */
function trimMarks(text: string): string {
  return /[\p{L}\p{N}].*(?<=[\p{L}\p{M}\p{N}])/su.exec(text)?.[0] ?? '';
}

// Controls, marks of direction and of no width: they change how text looks, not what it says.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

const BRANCH_LABEL =
  /^[*_]{0,3}(?:(?:feature |working )?branch(?: name)?|(?:作業)?ブランチ名?)(?: ?[(（][^()（）:：]{1,40}[)）])?[*_]{0,3}/i;

/**
 * The first `Branch: name`, or name under a heading `Branch`, outside code, comments and quotes. The name is one
 * word or stands in backticks; a line with more words than that is prose, and the search goes on.
 * The name is as written: whether it may be used is for `ref-name.ts` to say.
 */
export function branchFromBody(body: string): string | null {
  let named = false;
  for (const line of readLines(body)) {
    if (line.text === '') continue;
    const text = plainLine(line);
    const below = named;
    named = false;
    if (text === null) continue;
    const label = BRANCH_LABEL.exec(text)?.[0] ?? null;
    const rest = label === null ? '' : text.slice(label.length).replace(/^ ?[:：]/, ':');
    if (label !== null && rest.startsWith(':')) {
      const name = branchName(rest.slice(1));
      if (name !== null) return name;
    }
    if (line.heading !== null) named = label !== null && /^[: *_]{0,8}$/.test(rest);
    else if (below) {
      const name = branchName(text);
      if (name !== null) return name;
    }
  }
  return null;
}

/** Ready to be read for a label, spaces collapsed; null: code, a quote, or indented like code. */
function plainLine(line: BodyLine): string | null {
  if (line.within !== 'text') return null;
  const { text, marked } = cutListMarks(trimInvisible(line.text.slice(0, LINE_READ)));
  if (!marked && /^(?: {4}|\t)/.test(line.text)) return null;
  return text.replace(/[ \t\u3000]+/g, ' ').trim();
}

function branchName(text: string): string | null {
  const bare = text.replace(/^(?:\*{1,3}|_{1,3}(?= ))/, '').trim();
  const quoted = /^[*_]{0,3}`([^`]{1,300})`/.exec(bare)?.[1];
  const name = trimInvisible(quoted ?? bare.replace(/^\*{1,3}|\*{1,3}$/g, '').trim()).trim();
  return name === '' || /\s/.test(name) || name.includes('`') ? null : name;
}

/** Marks of direction at the ends come from editors; inside a name they are left for the check to refuse. */
function trimInvisible(text: string): string {
  if (text.search(INVISIBLE) === -1) return text;
  let [from, to] = [0, text.length];
  while (from < to && text.charAt(from).search(INVISIBLE) === 0) from += 1;
  while (from < to && text.charAt(to - 1).search(INVISIBLE) === 0) to -= 1;
  return text.slice(from, to);
}

const DEPENDENCY_LABEL = /^[*_]{0,3}(?:blocked by|depends on)[*_]{0,3} ?:?[*_]{0,3} ?/i;
const REFERENCE = /([\w.-]{1,100}(?:\/[\w.-]{1,100})?)?#(\d{1,9})(?![\w/])/y;
const SEPARATOR = /(?: ?(?:,|、|&|\band\b|と) ?){1,2}| /iy;

/**
 * Numbers after `Blocked by` or `Depends on` at the beginning of a line, outside code, comments and quotes:
 * sorted, each once, at most 100. References to other repositories do not count, nor do checked boxes.
 */
export function dependenciesFromBody(body: string, repository: string): number[] {
  const own = repository.toLowerCase();
  const numbers = new Set<number>();
  for (const line of readLines(body)) {
    if (!/blocked|depends/i.test(line.text)) continue;
    const text = plainLine(line);
    if (text === null || cutListMarks(line.text).checked) continue;
    let at = DEPENDENCY_LABEL.exec(text)?.[0].length ?? text.length;
    while (at < text.length && numbers.size < DEPENDENCIES_READ) {
      REFERENCE.lastIndex = at;
      const [reference, elsewhere, digits] = REFERENCE.exec(text) ?? [];
      if (reference === undefined) break;
      const number = Number(digits);
      if (number > 0 && (elsewhere === undefined || elsewhere.toLowerCase() === own)) {
        numbers.add(number);
      }
      at += reference.length;
      SEPARATOR.lastIndex = at;
      at += SEPARATOR.exec(text)?.[0].length ?? text.length;
    }
  }
  return [...numbers].sort((a, b) => a - b);
}
