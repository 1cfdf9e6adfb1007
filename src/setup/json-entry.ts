// One entry of ours in somebody's JSON file, comments and layout left as they are.

import { isDeepStrictEqual } from 'node:util';
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

export interface Entry {
  /** Where it stands: the container, then its name in it. */
  readonly at: readonly [string, string];
  readonly value: unknown;
  /** What a new file begins with. */
  readonly preamble?: Readonly<Record<string, unknown>>;
}

/** Somebody has another entry of that name, which is left as it is. */
export const FOREIGN = Symbol('foreign');
const PARSING = { allowTrailingComma: true };

export class NotJson extends Error {}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function read(text: string, container: string): { root: Json; entries: Json } {
  const errors: ParseError[] = [];
  const root: unknown = parse(text, errors, PARSING);
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new NotJson(`it is not JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isObject(root)) throw new NotJson('it is JSON, but no object');
  const entries = root[container] ?? {};
  if (!isObject(entries)) throw new NotJson(`"${container}" in it is no object`);
  return { root, entries };
}

function unitOf(text: string): string {
  return /^([ \t]+)["}/]/m.exec(text)?.[1] ?? '  ';
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** A line of its own for the property where the object has lines; otherwise it stays on its one line. */
function insert(text: string, object: Node, name: string, value: unknown): string {
  const first = object.children?.at(0);
  const last = object.children?.at(-1);
  const inside = text.slice(object.offset + 1, first?.offset ?? endOf(object) - 1);
  const at = last === undefined ? object.offset + 1 : endOf(last);
  const comma = last === undefined ? '' : ',';
  if (!inside.includes('\n')) {
    const added = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return `${text.slice(0, at)}${comma}${comma === '' ? '' : ' '}${added}${text.slice(at)}`;
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = unitOf(text);
  const edge = /[ \t]*$/.exec(inside)?.[0] ?? '';
  const indent = first === undefined ? edge + unit : edge;
  const lines = JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
  const added = `${eol}${indent}${JSON.stringify(name)}: ${lines}`;
  return `${text.slice(0, at)}${comma}${added}${text.slice(at)}`;
}

/** The inverse of `insert`. A comment that somebody wrote beside the property stays. */
function cut(text: string, object: Node, name: string): string {
  const properties = object.children ?? [];
  const index = properties.findIndex((property) => property.children?.[0]?.value === name);
  const property = properties[index];
  if (property === undefined) return text;
  const previous = properties[index - 1];
  const next = properties[index + 1];
  const from = previous === undefined ? object.offset + 1 : endOf(previous);
  const gap = text.slice(from, property.offset);
  if (previous === undefined && next !== undefined) {
    return text.slice(0, property.offset) + text.slice(next.offset);
  }
  const start = /^[\s,]*$/.test(gap) ? from : property.offset;
  return text.slice(0, start) + text.slice(endOf(property));
}

function nodeAt(text: string, ...path: string[]): Node | undefined {
  const root = parseTree(text, [], PARSING);
  return root === undefined ? undefined : findNodeAtLocation(root, path);
}

function add(text: string, { at: [container, name], value }: Entry): string {
  const entries = nodeAt(text, container);
  if (entries !== undefined) return insert(text, entries, name, value);
  const root = nodeAt(text);
  return root === undefined ? text : insert(text, root, container, { [name]: value });
}

function fresh({ at: [container, name], value, preamble = {} }: Entry): string {
  return `${JSON.stringify({ ...preamble, [container]: { [name]: value } }, null, 2)}\n`;
}

function isBlank(text: string | null): text is null {
  return text === null || text.trim() === '';
}

export function hasEntry(text: string | null, { at: [container, name] }: Entry): boolean {
  return !isBlank(text) && read(text, container).entries[name] !== undefined;
}

export function putEntry(text: string | null, entry: Entry): string | typeof FOREIGN {
  if (isBlank(text)) return fresh(entry);
  const [container, name] = entry.at;
  const present = read(text, container).entries[name];
  if (present === undefined) return add(text, entry);
  return isDeepStrictEqual(present, entry.value) ? text : FOREIGN;
}

/** Null: nothing but our entry was there, so that the file is ours too. */
export function takeEntry(text: string, entry: Entry): string | null | typeof FOREIGN {
  if (isBlank(text)) return text;
  const [container, name] = entry.at;
  const { entries } = read(text, container);
  if (entries[name] === undefined) return text;
  if (!isDeepStrictEqual(entries[name], entry.value)) return FOREIGN;
  if (text === fresh(entry)) return null;
  const held = nodeAt(text, container);
  const root = nodeAt(text);
  if (held === undefined || root === undefined) return text;
  const without = cut(text, held, name);
  if (Object.keys(entries).length > 1) return without;
  // The container is ours too, unless the file looks as it does when it was there before.
  const emptied = cut(text, root, container);
  return add(emptied, entry) !== text && add(without, entry) === text ? without : emptied;
}
