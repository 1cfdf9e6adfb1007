// Reads an issue file: front matter, a title line, the rest is the body. What cannot be read is reported, not guessed.

import { type Fields, layOut, Malformed, readFrontMatter } from './front-matter.ts';

export const MAX_FILE_BYTES = 1024 * 1024;

export interface IssueText extends Fields {
  readonly title: string;
  readonly body: string;
}

const FENCED_CODE = /^ {0,3}(```|~~~)/;
const HEADING_MARK = /^ {0,3}#(?=[ \t])/;
const LOWER_HEADING = /^ {0,3}#{2,6}[ \t]+/;

/** Decodes bytes that can be written back unchanged; a byte order mark stays in the text. */
export function decodeFile(bytes: Uint8Array): string {
  if (bytes.length > MAX_FILE_BYTES) throw new Malformed('the file is larger than 1 MiB');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Malformed('the file is not UTF-8 text', { cause });
  }
}

export function readIssueText(text: string): IssueText {
  if (text.trim() === '') throw new Malformed('the file is empty');
  const layout = layOut(text);
  const { fields } = readFrontMatter(
    layout.yaml === null ? '' : text.slice(layout.yaml.start, layout.yaml.end),
  );
  const prose = readProse(text.slice(layout.bodyStart));
  if (prose.title === '') throw new Malformed('the file has no title line');
  return { ...fields, ...prose };
}

/** Title and body of a text without front matter; an empty title where there is none. */
function readProse(text: string): { title: string; body: string } {
  const lines = text.split(/\r?\n/);
  const heading = titleHeading(lines);
  const first = lines.findIndex((line) => line.trim() !== '');
  const at = heading ?? first;
  const line = lines[at];
  if (line === undefined) return { title: '', body: '' };
  const title = titleIn(line) ?? line.replace(LOWER_HEADING, '').trim();
  // `## Deliverables` on top serves as the title, but stays the heading of its section.
  const keepsLine = heading === null && LOWER_HEADING.test(line);
  const rest = keepsLine ? lines : [...lines.slice(0, at), ...lines.slice(at + 1)];
  return { title, body: rest.join('\n').replace(/^(?:[ \t]*\n)+/, '') };
}

/** The text with another title or body; front matter, and with a new title the body, stay as they are. */
export function replaceProse(text: string, change: { title?: string; body?: string }): string {
  const { bodyStart, eol } = layOut(text);
  const [head, prose] = [text.slice(0, bodyStart), text.slice(bodyStart)];
  if (change.body !== undefined) {
    const title = change.title ?? readProse(prose).title;
    const body = change.body.trim().replaceAll(/\r?\n/g, eol);
    return `${head}# ${title}${eol}${body === '' ? '' : `${eol}${body}${eol}`}`;
  }
  if (change.title === undefined) return text;
  const lines = prose.split(eol);
  const heading = titleHeading(lines);
  const at = heading ?? lines.findIndex((line) => line.trim() !== '');
  // `## Deliverables` that served as the title stays: it is the heading of its section.
  const keepsLine = heading === null && LOWER_HEADING.test(lines[at] ?? '');
  lines.splice(at, keepsLine ? 0 : 1, `# ${change.title}`, ...(keepsLine ? [''] : []));
  return head + lines.join(eol);
}

function titleHeading(lines: readonly string[]): number | null {
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = FENCED_CODE.exec(line)?.[1] ?? null;
    if (mark !== null) fence = fence === null ? mark : fence === mark ? null : fence;
    else if (fence === null && (titleIn(line) ?? '') !== '') return index;
  }
  return null;
}

/** The text of a heading of the first level, without its marks: `# Title ##` is `Title`, `# C#` stays `C#`. */
function titleIn(line: string): string | null {
  const mark = HEADING_MARK.exec(line)?.[0];
  if (mark === undefined) return null;
  const text = line.slice(mark.length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  const closes =
    end < text.length && (end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t');
  return closes ? text.slice(0, end).trim() : text;
}
