// Edits the text of an issue file as somebody asked for it: only what was named changes, and the outcome
// is read again before it is believed.

import { isDeepStrictEqual } from 'node:util';
import { isScalar, isSeq, type Pair } from 'yaml';
import type { IssueChange } from '../../../core/forge.ts';
import { editLabels } from './edit-labels.ts';
import { colonOffset, layOut, Malformed, readFrontMatter } from './front-matter.ts';
import { type IssueText, readIssueText, replaceProse } from './issue-file.ts';

/** YAML as it is written behind `name: `; null removes the line. */
type Field = readonly [name: 'state' | 'priority' | 'blocked_by', value: string | null];

function fieldsOf({ state, priority, blockedBy }: IssueChange): Field[] {
  return [
    ...(state === undefined ? [] : [['state', state] as const]),
    ...(priority === undefined ? [] : [['priority', priority] as const]),
    ...(blockedBy === undefined
      ? []
      : [['blocked_by', blockedBy.length === 0 ? null : `[${blockedBy.join(', ')}]`] as const]),
  ];
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline + 1;
}

/** From the first character of the value to its last; an empty span behind the colon where there is none. */
function valueSpan(pair: Pair, colon: number): { start: number; end: number; block: boolean } {
  const node = pair.value;
  const range = (isScalar(node) || isSeq(node) ? node.range : null) ?? null;
  const empty = range === null || (isScalar(node) && node.source === '');
  if (empty) return { start: colon + 1, end: colon + 1, block: false };
  return { start: range[0], end: range[1], block: isSeq(node) && node.flow !== true };
}

function setField(text: string, [name, value]: Field): string {
  const { yaml, eol, top } = layOut(text);
  const line = `${name}: ${value}${eol}`;
  if (yaml === null) {
    if (value === null) return text;
    return `${text.slice(0, top)}---${eol}${line}---${eol}${text.slice(top)}`;
  }
  const { map } = readFrontMatter(text.slice(yaml.start, yaml.end));
  const pair = map?.items.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined) {
    return value === null ? text : text.slice(0, yaml.end) + line + text.slice(yaml.end);
  }
  const colon = colonOffset(pair);
  if (colon === null) return text;
  const span = valueSpan(pair, colon);
  const at = (offset: number) => yaml.start + offset;
  const lastLine = Math.max(colon, span.block ? span.end - 1 : span.end);
  if (value === null) {
    return text.slice(0, lineStart(text, at(colon))) + text.slice(nextLine(text, at(lastLine)));
  }
  // A list on lines of its own becomes one on the line of its name.
  if (span.block) {
    return `${text.slice(0, at(colon) + 1)} ${value}${eol}${text.slice(nextLine(text, at(lastLine)))}`;
  }
  const gap = span.start === colon + 1 ? ' ' : '';
  return text.slice(0, at(span.start)) + gap + value + text.slice(at(span.end));
}

function expected(before: IssueText, change: IssueChange): IssueText {
  const { add = [], remove = [] } = change.labels ?? {};
  const key = (label: string) => label.toLowerCase();
  const gone = new Set(remove.map(key).filter((label) => !add.map(key).includes(label)));
  const kept = before.labels.filter((label) => !gone.has(key(label)));
  const known = new Set(kept.map(key));
  return {
    ...before,
    ...(change.title === undefined ? {} : { title: change.title.trim() }),
    ...(change.priority === undefined ? {} : { priority: change.priority }),
    ...(change.state === undefined ? {} : { state: change.state }),
    ...(change.blockedBy === undefined ? {} : { blockedBy: [...new Set(change.blockedBy)] }),
    labels: [...kept, ...add.filter((label) => !known.has(key(label)))],
  };
}

export function editIssueText(text: string, change: IssueChange): string {
  const before = readIssueText(text);
  const { title, body } = change;
  let edited = change.labels === undefined ? text : editLabels(text, change.labels);
  for (const field of fieldsOf(change)) edited = setField(edited, field);
  edited = replaceProse(edited, {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(body === undefined ? {} : { body }),
  });
  const { body: _, ...after } = readIssueText(edited);
  const { body: __, ...wanted } = expected(before, change);
  if (!isDeepStrictEqual({ ...after }, { ...wanted })) {
    throw new Malformed('the front matter is written in a way that cannot be changed safely');
  }
  return edited;
}
