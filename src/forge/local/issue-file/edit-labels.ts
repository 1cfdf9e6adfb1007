// Adds and removes labels in the text of an issue file by splicing the labels list and nothing else:
// style, indentation, comments and every other byte stay.

import { isDeepStrictEqual } from 'node:util';
import { isScalar, type Pair, parse, type YAMLMap, type YAMLSeq } from 'yaml';
import type { LabelChange } from '../../../core/forge.ts';
import { colonOffset, labelList, layOut, Malformed, readFrontMatter } from './front-matter.ts';
import { readIssueText } from './issue-file.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text with exactly these labels added and removed; the same text where nothing is to be done. */
export function editLabels(text: string, change: LabelChange): string {
  const before = readIssueText(text);
  const key = (label: string) => label.toLowerCase();
  const present = new Set(before.labels.map(key));
  const add = [...new Map(change.add.map((label) => [key(label), label])).values()].filter(
    (label) => label !== '' && !present.has(key(label)),
  );
  const kept = new Set(change.add.map(key));
  const remove = new Set(change.remove.map(key).filter((it) => present.has(it) && !kept.has(it)));
  if (add.length === 0 && remove.size === 0) return text;

  // Adding first keeps a list that is about to lose its last item in its style and indentation.
  let edited = addLabels(text, add);
  for (;;) {
    const shorter = removeOne(edited, remove);
    if (shorter === null) break;
    edited = shorter;
  }
  const labels = [...before.labels.filter((label) => !remove.has(key(label))), ...add];
  if (!isDeepStrictEqual({ ...readIssueText(edited) }, { ...before, labels })) {
    throw new Malformed('the labels are written in a way that cannot be changed safely');
  }
  return edited;
}

function splice(text: string, span: Span, insert: string): string {
  return text.slice(0, span.start) + insert + text.slice(span.end);
}

function insertAt(text: string, at: number, insert: string): string {
  return splice(text, { start: at, end: at }, insert);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The start of the line after the one that `at` is on. */
function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline + 1;
}

function blankBetween(text: string, start: number, end: number): boolean {
  return /^[ \t]*$/.test(text.slice(start, end));
}

/** The labels of the front matter with all offsets moved to those of the whole text. */
function locate(text: string) {
  const layout = layOut(text);
  const { start, end } = layout.yaml ?? { start: 0, end: 0 };
  const front = readFrontMatter(text.slice(start, end));
  const span = (node: { range?: readonly number[] | null | undefined }): Span => ({
    start: start + (node.range?.[0] ?? 0),
    end: start + (node.range?.[1] ?? 0),
  });
  return { layout, ...front, offset: start, span };
}
type Located = ReturnType<typeof locate>;

function addLabels(text: string, labels: readonly string[]): string {
  if (labels.length === 0) return text;
  const found = locate(text);
  const { layout, map, labels: pair } = found;
  const flow = `[${labels.map(quote).join(', ')}]`;
  if (layout.yaml === null) {
    const lines = ['---', `labels: ${flow}`, '---', ''];
    return insertAt(text, layout.top, lines.join(layout.eol));
  }
  if (pair !== null) return addToPair(text, found, pair, labels);
  if (map === null) return insertAt(text, layout.yaml.end, `labels: ${flow}${layout.eol}`);
  return addPair(text, found, map, `labels: ${flow}`);
}

function addPair(text: string, found: Located, map: YAMLMap, entry: string): string {
  const { start } = found.span(map);
  if (map.flow) return insertAt(text, start + 1, map.items.length > 0 ? `${entry}, ` : entry);
  const line = lineStart(text, start);
  const indent = /^[ ]*/.exec(text.slice(line, start))?.[0] ?? '';
  return insertAt(text, line, `${indent}${entry}${found.layout.eol}`);
}

function addToPair(text: string, found: Located, pair: Pair, labels: readonly string[]): string {
  const list = labelList(pair);
  const quoted = labels.map(quote);
  if (list?.flow) return addToFlow(text, found, list, quoted);
  const last = list?.items.at(-1);
  if (isScalar(last)) {
    const dash = text.lastIndexOf('-', found.span(last).start - 1);
    const indent = text.slice(lineStart(text, dash), dash);
    return insertAt(text, itemEnd(text, found.span(last)), block(quoted, indent, found));
  }
  if (isScalar(pair.value) && pair.value.source) {
    return splice(text, found.span(pair.value), `[${quoted.join(', ')}]`);
  }
  const colon = found.offset + (colonOffset(pair) ?? 0);
  if (found.map?.flow) return insertAt(text, colon + 1, ` [${quoted.join(', ')}]`);
  const keyLine = lineStart(text, colon);
  const indent = /^ */.exec(text.slice(keyLine, colon))?.[0] ?? '';
  return insertAt(text, nextLine(text, colon), block(quoted, `${indent}  `, found));
}

function block(quoted: readonly string[], indent: string, found: Located): string {
  return quoted.map((label) => `${indent}- ${label}${found.layout.eol}`).join('');
}

/** The end of the last line of a block item; block scalars already end behind their line break. */
function itemEnd(text: string, item: Span): number {
  return text[item.end - 1] === '\n' ? item.end : nextLine(text, item.end);
}

function addToFlow(text: string, found: Located, list: YAMLSeq, quoted: readonly string[]): string {
  const last = list.items.at(-1);
  if (!isScalar(last)) return insertAt(text, found.span(list).start + 1, quoted.join(', '));
  const { start, end } = found.span(last);
  // One label on each line stays that way.
  const gap = /\r?\n[ \t]*$/.exec(text.slice(found.span(list).start, start))?.[0] ?? ' ';
  return insertAt(text, end, quoted.map((label) => `,${gap}${label}`).join(''));
}

/** Removes one item whose label is among these; null when none is left. */
function removeOne(text: string, remove: ReadonlySet<string>): string | null {
  const found = locate(text);
  const list = found.labels === null ? null : labelList(found.labels);
  const items = (list?.items ?? []).filter(isScalar);
  const index = items.findIndex((item) => remove.has(String(item.value).toLowerCase()));
  if (list === null || index === -1) return null;
  const spans = items.map(found.span);
  return list.flow
    ? removeFromFlow(text, found.span(list), spans, index)
    : removeFromBlock(text, spans[index] ?? found.span(list));
}

function removeFromBlock(text: string, item: Span): string {
  const dash = text.lastIndexOf('-', item.start - 1);
  const end = itemEnd(text, item);
  const comment = /^[ \t]+(#.*)/.exec(text.slice(item.end, end));
  if (comment !== null) {
    return splice(
      text,
      { start: dash, end: end - text.slice(item.end, end).trimStart().length },
      '',
    );
  }
  return splice(text, { start: lineStart(text, dash), end }, '');
}

function removeFromFlow(text: string, list: Span, items: readonly Span[], index: number): string {
  const item = items[index] ?? list;
  const nextStart = items[index + 1]?.start ?? list.end - 1;
  const after = findComma(text, item.end, nextStart);
  if (after !== null) {
    const isLast = items[index + 1] === undefined;
    const swallowsSpace = !isLast && blankBetween(text, after + 1, nextStart);
    const end = swallowsSpace ? nextStart : after + 1;
    if (blankBetween(text, item.end, after)) return cut(text, [{ start: item.start, end }]);
    return cut(text, [item, { start: after, end: after + 1 }]);
  }
  const before = findComma(text, items[index - 1]?.end ?? list.start + 1, item.start);
  if (before === null) return cut(text, [item]);
  if (text.slice(before + 1, item.start).trim() === '') {
    return cut(text, [{ start: before, end: item.end }]);
  }
  return cut(text, [{ start: before, end: before + 1 }, item]);
}

/** Cuts spans out, and the line with them where nothing but white space would be left of it. */
function cut(text: string, spans: readonly Span[]): string {
  let result = text;
  for (const span of spans.toReversed()) {
    const start = lineStart(result, span.start);
    const end = nextLine(result, span.end);
    const emptiesLine =
      blankBetween(result, start, span.start) && result.slice(span.end, end).trim() === '';
    result = splice(result, emptiesLine ? { start, end } : span, '');
  }
  return result;
}

/** A comma between two items, not one inside a comment. */
function findComma(text: string, start: number, end: number): number | null {
  let inComment = false;
  for (let at = start; at < end; at += 1) {
    const char = text[at];
    if (char === '\n') inComment = false;
    else if (char === '#') inComment = true;
    else if (char === ',' && !inComment) return at;
  }
  return null;
}

const PLAIN = /^[\p{L}_][\p{L}\p{N}_./+-]*(?:[ :][\p{L}\p{N}_./+-]+)*$/u;
const WORDS_OF_OLD_YAML = /^(?:y|n|yes|no|on|off)$/i;

/** Plain where every reader of YAML agrees that it is text, in double quotes elsewhere. */
function quote(label: string): string {
  if (PLAIN.test(label) && !WORDS_OF_OLD_YAML.test(label) && parse(label) === label) return label;
  return JSON.stringify(label).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
