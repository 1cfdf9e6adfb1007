// Where the front matter of an issue file lies and what it says. Offsets stay those of the file's text,
// so that the labels can be replaced without touching another byte.

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

export interface Layout {
  readonly eol: '\n' | '\r\n';
  /** Where the text begins after a byte order mark. */
  readonly top: number;
  /** The YAML between the two `---` lines; null where there is no front matter. */
  readonly yaml: { readonly start: number; readonly end: number } | null;
  readonly bodyStart: number;
}

export interface Fields {
  readonly labels: readonly string[];
  readonly priority: 'high' | 'normal' | 'low' | null;
  readonly state: 'open' | 'closed';
  readonly blockedBy: readonly number[];
}

export interface FrontMatter {
  readonly fields: Fields;
  readonly map: YAMLMap | null;
  readonly labels: Pair | null;
}

/** Something a person has to fix in the file; the message is the sentence they read. */
export class Malformed extends Error {}

/** Far more than any list of labels needs. */
const MOST_YAML = 8192;
/** As on GitHub. */
const MOST_LABELS = 100;
const FENCE = /^---[ \t]*$/;
const NO_FIELDS: Fields = { labels: [], priority: null, state: 'open', blockedBy: [] };

export function layOut(text: string): Layout {
  const top = text.startsWith('\uFEFF') ? 1 : 0;
  const eol = /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
  let lineStart = top;
  let yamlStart: number | null = null;
  while (lineStart < text.length) {
    const newline = text.indexOf('\n', lineStart);
    const next = newline === -1 ? text.length : newline + 1;
    const isFence = FENCE.test(text.slice(lineStart, next).replace(/\r?\n$/, ''));
    if (yamlStart === null) {
      if (!isFence) return { eol, top, yaml: null, bodyStart: top };
      yamlStart = next;
    } else if (isFence) {
      return { eol, top, yaml: { start: yamlStart, end: lineStart }, bodyStart: next };
    }
    lineStart = next;
  }
  if (yamlStart === null) return { eol, top, yaml: null, bodyStart: top };
  throw new Malformed('the front matter begins with a --- line, but no second --- line ends it');
}

export function readFrontMatter(yamlText: string): FrontMatter {
  const doc = parseYaml(yamlText);
  const error = doc.errors[0];
  if (error !== undefined && STACK_FULL.test(error.message)) throw nestedTooDeep();
  if (error !== undefined) {
    const line = yamlText.slice(0, error.pos[0]).split('\n').length + 1;
    throw new Malformed(`the front matter is not valid YAML: ${error.message} (line ${line})`);
  }
  const map = doc.contents;
  if (map === null || (isScalar(map) && map.value === null && map.source === '')) {
    return { fields: NO_FIELDS, map: null, labels: null };
  }
  if (!isMap(map)) throw new Malformed('the front matter is not a list of `name: value` lines');
  refuseTwice(map);
  const pair = (name: string) =>
    map.items.find((item) => isScalar(item.key) && item.key.value === name) ?? null;
  const labels = pair('labels');
  const fields: Fields = {
    labels: labels === null ? [] : readLabels(labels),
    priority: readWord(pair('priority'), 'priority', ['high', 'normal', 'low']),
    state: readWord(pair('state'), 'state', ['open', 'closed']) ?? 'open',
    blockedBy: readNumbers(pair('blocked_by')),
  };
  return { fields, map, labels };
}

/**
 * The parser's own check for keys that stand twice compares all with all, and its messages quote the text: both
 * grow with the square of a stranger's file.
 */
function parseYaml(text: string): Document.Parsed {
  if (text.length > MOST_YAML) throw new Malformed('the front matter is larger than 8 KiB');
  const options = { keepSourceTokens: true, uniqueKeys: false, prettyErrors: false } as const;
  try {
    return withoutStacks(() => parseDocument(text, { ...options, logLevel: 'silent' }));
  } catch (cause) {
    if (cause instanceof RangeError) throw nestedTooDeep();
    throw cause;
  }
}

/** Lists in lists in lists, thousands deep; the parser throws this, or reports it as an error of the text. */
const STACK_FULL = /call stack/;
const nestedTooDeep = () => new Malformed('the front matter is nested too deep');

/** The parser makes an error of each wrong character: stack traces for thousands of them take half a second. */
function withoutStacks<T>(parse: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function refuseTwice(map: YAMLMap): void {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    if (!isScalar(key)) continue;
    if (seen.has(key.value)) {
      throw new Malformed(`the front matter is not valid YAML: ${String(key.value)} stands twice`);
    }
    seen.add(key.value);
  }
}

/** `labels:` with nothing behind the colon. */
function isBlank(pair: Pair): boolean {
  return pair.value === null || (isScalar(pair.value) && pair.value.value === null);
}

/** The list of labels, or null where the key is there without one. Only call on what `readFrontMatter` accepted. */
export function labelList(pair: Pair): YAMLSeq | null {
  return isSeq(pair.value) ? pair.value : null;
}

const LABELS_WANTED = 'labels must be a list of words, like `labels: [bug, docs]`';

function readLabels(pair: Pair): string[] {
  if (isBlank(pair)) {
    // Anchors, tags and keys without a colon leave no place where a list could be put.
    const plain = !isScalar(pair.value) || (!pair.value.anchor && !pair.value.tag);
    if (plain && colonOffset(pair) !== null) return [];
    throw new Malformed(LABELS_WANTED);
  }
  const list = labelList(pair);
  if (list === null || list.anchor || list.tag) throw new Malformed(LABELS_WANTED);
  if (list.items.length > MOST_LABELS) {
    throw new Malformed(`an issue has at most ${MOST_LABELS} labels`);
  }
  const labels = new Map<string, string>();
  for (const item of list.items) {
    if (!isScalar(item) || typeof item.value !== 'string' || item.anchor || item.tag) {
      throw new Malformed(`${LABELS_WANTED}; put numbers and special words in quotes`);
    }
    const key = item.value.toLowerCase();
    if (!labels.has(key)) labels.set(key, item.value);
  }
  return [...labels.values()];
}

export function colonOffset(pair: Pair): number | null {
  const colon = pair.srcToken?.sep?.find((token) => token.type === 'map-value-ind');
  return colon === undefined ? null : colon.offset;
}

function readWord<Word extends string>(
  pair: Pair | null,
  name: string,
  words: readonly Word[],
): Word | null {
  if (pair === null || isBlank(pair)) return null;
  const value = isScalar(pair.value) ? String(pair.value.value).toLowerCase() : '';
  const word = words.find((word) => word === value);
  if (word === undefined) throw new Malformed(`${name} must be one of ${words.join(', ')}`);
  return word;
}

function readNumbers(pair: Pair | null): number[] {
  if (pair === null || isBlank(pair)) return [];
  const items: unknown[] = isSeq(pair.value) ? pair.value.items : [pair.value];
  const numbers = items.map((item) => {
    const match = /^#?([1-9]\d{0,14})$/.exec(isScalar(item) ? String(item.value) : '');
    if (match === null) {
      throw new Malformed('blocked_by must be a list of issue numbers, like `[7, 12]` or `["#7"]`');
    }
    return Number(match[1]);
  });
  return [...new Set(numbers)];
}
