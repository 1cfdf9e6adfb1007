// Finds what can be broken in a source file, and writes a source in which each of these mutants can be switched on:
// `$mutant(7) ? broken : original`. One text holds them all, so that nothing is compiled again from run to run.

import { parseSync } from 'oxc-parser';

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly original: string;
  readonly mutated: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Change {
  readonly kind: string;
  readonly text: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
};
const ASSIGNMENTS: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=' };
const METHODS = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    toLowerCase: 'toUpperCase',
    min: 'max',
    max: 'min',
    has: '',
    filter: '',
    slice: '',
    sort: '',
    toSorted: '',
    reverse: '',
    trim: '',
  }),
);
/** Types, and what is written for people, is no behaviour that a test should spell again. */
const SKIPPED = /^(?:TS(?!AsExpression|NonNull|Satisfies)|Import|ExportAll)/;

/** A fallback for what only the compiler cannot know to be there: an element of a list, or an empty text or list. */
function isUnknowable(node: Node, source: string): boolean {
  if (node.type !== 'LogicalExpression' || node['operator'] !== '??') return false;
  const [left, right] = [node['left'] as Node, node['right'] as Node];
  const isElement =
    left.type === 'MemberExpression' &&
    left['computed'] === true &&
    (left['property'] as Node).type !== 'Literal';
  return isElement || /^(?:''|\[\]|-1)$/.test(source.slice(right.start, right.end));
}

/** How a verb, a loop or an error is called in messages; and what only the compiler asks for in a pattern. */
function isName(node: Node, parent: Node | null): boolean {
  if (node.type !== 'Literal' || parent === null) return false;
  if (parent.type === 'AssignmentPattern') return node['value'] === '';
  const named = parent.type === 'Property' ? parent['key'] : parent['left'];
  const key = isNode(named) && named.type === 'MemberExpression' ? named['property'] : named;
  return isNode(key) && key['name'] === 'name';
}

function isSentence(text: string): boolean {
  return text.includes(' ');
}

/** What can be made of this node, as texts of the same kind of thing. */
function changesOf(node: Node, source: string, parent: Node | null): Change[] {
  const text = (part: unknown) => source.slice((part as Node).start, (part as Node).end);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, operator, right } = node as unknown as {
        left: Node;
        operator: string;
        right: Node;
      };
      if (isUnknowable(node, source)) return [];
      if (operator === '??') return [{ kind: 'no fallback', text: text(left) }];
      // Joined texts are mostly messages; only numbers are calculated with.
      if (operator === '+' && /['"`]/.test(text(node))) return [];
      return (OPERATORS[operator] ?? []).map((other) => ({
        kind: `${operator} → ${other}`,
        text: `(${text(left)}) ${other} (${text(right)})`,
      }));
    }
    case 'UnaryExpression':
      if (node['operator'] !== '!' && node['operator'] !== '-') return [];
      return [{ kind: `no ${node['operator']}`, text: text(node['argument']) }];
    case 'UpdateExpression': {
      const { operator, argument, prefix } = node as unknown as {
        operator: string;
        argument: Node;
        prefix: boolean;
      };
      const other = operator === '++' ? '--' : '++';
      return [
        {
          kind: `${operator} → ${other}`,
          text: prefix ? other + text(argument) : text(argument) + other,
        },
      ];
    }
    case 'AssignmentExpression': {
      const other = ASSIGNMENTS[String(node['operator'])];
      if (other === undefined) return [];
      return [
        { kind: 'assignment', text: `${text(node['left'])} ${other} ${text(node['right'])}` },
      ];
    }
    case 'Literal': {
      const { value } = node as unknown as { value: unknown };
      if (typeof value === 'boolean') return [{ kind: 'boolean', text: String(!value) }];
      if (typeof value !== 'string' || isSentence(value)) return [];
      return [{ kind: 'string', text: value === '' ? "'mutant'" : "''" }];
    }
    case 'ArrayExpression':
      return (node['elements'] as unknown[]).length === 0
        ? []
        : [{ kind: 'empty array', text: '[]' }];
    case 'ConditionalExpression':
      return [
        { kind: 'always', text: text(node['consequent']) },
        { kind: 'never', text: text(node['alternate']) },
      ];
    case 'CallExpression': {
      const { callee } = node as unknown as { callee: Node };
      if (callee.type !== 'MemberExpression' || callee['computed'] === true) return [];
      const { object, property } = callee as unknown as { object: Node; property: Node };
      const other = METHODS.get(text(property));
      if (other === undefined || isChained(parent)) return [];
      if (text(property) === 'has') return [{ kind: 'not has', text: `!${text(node)}` }];
      const args = source.slice(callee.end, node.end);
      return [
        {
          kind: other === '' ? `no ${text(property)}` : `${text(property)} → ${other}`,
          text: other === '' ? text(object) : `${text(object)}.${other}${args}`,
        },
      ];
    }
    default:
      return [];
  }
}

const isChained = (parent: Node | null) => parent?.type === 'ChainExpression';

/** Conditions are tried with both outcomes, beside what is changed inside them. */
function conditionOf(node: Node): Node | null {
  if (!['IfStatement', 'WhileStatement', 'ForStatement'].includes(node.type)) return null;
  return isNode(node['test']) ? node['test'] : null;
}

export function mutate(
  file: string,
  source: string,
  firstId: number,
): { text: string; mutants: Mutant[] } {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  const conditions = new Set<Node>();

  function add(node: Node, { kind, text }: Change): number {
    const id = firstId + mutants.length;
    const original = source.slice(node.start, node.end);
    const line = source.slice(0, node.start).split('\n').length;
    mutants.push({ id, file, line, kind, original, mutated: text });
    return id;
  }

  /** Whether the node stands where any expression may stand. */
  function isValue(node: Node, parent: Node | null, field: string): boolean {
    if (parent === null) return false;
    if (field === 'key' || field === 'property' || field === 'id' || field === 'label')
      return false;
    if (field === 'left' && parent.type === 'AssignmentExpression') return false;
    if (parent.type === 'UpdateExpression' || parent.type === 'ImportExpression') return false;
    if (parent.type === 'ExpressionStatement') return node.type !== 'Literal';
    // The spine of an optional chain is one thing.
    return !(field === 'object' || field === 'callee') || node.type !== 'ChainExpression';
  }

  function write(node: Node, parent: Node | null, field: string, inChain: boolean): string {
    if (isForLog(node, source) || isName(node, parent)) return source.slice(node.start, node.end);
    const condition = conditionOf(node);
    if (condition !== null) conditions.add(condition);
    let out = '';
    let at = node.start;
    for (const [name, child] of childrenOf(node)) {
      if (child.start < at) continue;
      const spine =
        (node.type === 'ChainExpression' || inChain) &&
        (name === 'expression' || name === 'object' || name === 'callee');
      const isNever = name === 'right' && isUnknowable(node, source);
      out += source.slice(at, child.start);
      out += isNever ? source.slice(child.start, child.end) : write(child, node, name, spine);
      at = child.end;
    }
    out += source.slice(at, node.end);
    if (node.type === 'ExpressionStatement' && isCall(node['expression'])) {
      const id = add(node, { kind: 'no statement', text: ';' });
      return `if ($mutant(${id})) {} else { ${out} }`;
    }
    if (inChain || !isValue(node, parent, field)) return out;
    const changes = changesOf(node, source, parent);
    if (conditions.has(node)) {
      const isLoop = parent?.type !== 'IfStatement';
      changes.push({ kind: 'condition', text: 'false' });
      if (!isLoop) changes.push({ kind: 'condition', text: 'true' });
    }
    return changes.reduceRight(
      (rest, change) => {
        const id = add(node, change);
        return `($mutant(${id}) ? (${change.text}) : ${rest})`;
      },
      changes.length === 0 ? out : `(${out})`,
    );
  }

  const text = write(program as unknown as Node, null, '', false);
  return {
    text:
      source.slice(0, (program as unknown as Node).start) +
      text +
      source.slice((program as unknown as Node).end),
    mutants,
  };
}

/** A line of the log is a text for people, too, and so is what only decides about one. */
function isForLog(node: Node, source: string): boolean {
  if (node.type === 'IfStatement') {
    return node['alternate'] === null && isForLog(node['consequent'] as Node, source);
  }
  const text = source.slice(node.start, node.end);
  return (
    node.type === 'ExpressionStatement' &&
    /^(?:context\.)?log\.(?:debug|info|warn|error)\(/.test(text)
  );
}

function isCall(node: unknown): boolean {
  if (!isNode(node)) return false;
  const inner =
    node.type === 'ChainExpression' || node.type === 'AwaitExpression'
      ? (node['expression'] ?? node['argument'])
      : node;
  return isNode(inner) && (inner.type === 'CallExpression' || inner.type === 'ChainExpression');
}

/** In order of place, without types. */
function childrenOf(node: Node): [string, Node][] {
  const found: [string, Node][] = [];
  for (const [field, value] of Object.entries(node)) {
    if (field === 'parent') continue;
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child) && !SKIPPED.test(child.type)) found.push([field, child]);
    }
  }
  return found.sort(([, a], [, b]) => a.start - b.start);
}
