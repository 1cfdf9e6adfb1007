// A few lines of ours inside somebody's file, between marks. Taking them out gives the file back byte by byte.

export interface Marks {
  readonly begin: string;
  readonly end: string;
}

export const MARKDOWN: Marks = { begin: '<!-- banto:begin -->', end: '<!-- banto:end -->' };
export const TOML: Marks = { begin: '# banto:begin', end: '# banto:end' };

/** One mark without the other, or several: nobody can say what is ours. */
export const BROKEN = Symbol('broken');

/** From the first character of the opening mark to the last one of the closing mark. */
type Found = { readonly from: number; readonly to: number } | null | typeof BROKEN;

function find(text: string, { begin, end }: Marks): Found {
  const from = text.indexOf(begin);
  const closes = text.indexOf(end);
  if (from === -1 && closes === -1) return null;
  const once = text.indexOf(begin, from + 1) === -1 && text.indexOf(end, closes + 1) === -1;
  if (from === -1 || closes < from || !once) return BROKEN;
  return { from, to: closes + end.length };
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

export function putBlock(text: string | null, body: string, marks: Marks): string | typeof BROKEN {
  const block = `${marks.begin}\n${body}\n${marks.end}`;
  if (text === null || text === '') return `${block}\n`;
  const eol = lineEnd(text);
  const own = block.replaceAll('\n', eol);
  const found = find(text, marks);
  if (found === BROKEN) return BROKEN;
  if (found !== null) return text.slice(0, found.from) + own + text.slice(found.to);
  // Whether the text had a line end of its own is kept as whether the block has one.
  return text.endsWith('\n') ? `${text}${eol}${own}${eol}` : `${text}${eol}${eol}${own}`;
}

/** Null: nothing but our block was there, so that the file is ours too. */
export function takeBlock(text: string, marks: Marks): string | null | typeof BROKEN {
  const found = find(text, marks);
  if (found === null) return text;
  if (found === BROKEN) return BROKEN;
  const after = text.slice(found.to);
  const before = text.slice(0, found.from);
  const rest = after.replace(/^\r?\n/, '');
  if (before === '') return rest === '' ? null : rest;
  const hadLineEnd = rest !== '' || after.endsWith('\n');
  return before.replace(hadLineEnd ? /\r?\n$/ : /\r?\n\r?\n$/, '') + rest;
}

export function hasBlock(text: string | null, marks: Marks): boolean {
  return text !== null && find(text, marks) !== null;
}
