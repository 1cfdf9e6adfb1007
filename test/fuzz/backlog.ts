// Backlog files: front matter, titles and bodies as people, tools and enemies write them.

import { isDeepStrictEqual } from 'node:util';
import { handoffOf } from '../../src/core/attempt/history.ts';
import { readable } from '../../src/core/issue-text/readable.ts';
import { planIssue } from '../../src/core/plan/plan.ts';
import { promptFor } from '../../src/core/prompt/prompt.ts';
import { bareTemplates } from '../../src/core/prompt/prompt-template.ts';
import type { Lease } from '../../src/core/task.ts';
import { editLabels } from '../../src/forge/local/issue-file/edit-labels.ts';
import { Malformed } from '../../src/forge/local/issue-file/front-matter.ts';
import { decodeFile, readIssueText } from '../../src/forge/local/issue-file/issue-file.ts';
import { context, issue, task } from '../support/planning.ts';
import type { Dice } from './dice.ts';
import { hostileText } from './hostile.ts';

const FRONT = [
  'labels: [python]',
  'labels: [a, b, "c d"]',
  'labels:\n  - a\n  - b',
  'labels: &x [a]',
  'labels: *x',
  'labels: !!set {a}',
  'labels: {a: b}',
  'labels: |\n  a\n  b',
  'labels: ["\\uD800"]',
  'labels:',
  'priority: high',
  'priority: [1]',
  'state: open',
  'state: closed',
  'blocked_by: [7, 12]',
  'blocked_by: "#7"',
  'blocked_by: 99999999999999999999',
  '? a\n: b',
  '<<: {a: b}',
  '__proto__: 1',
  '- a',
  '%YAML 1.2',
  '...',
  '# a comment',
  'a: "unclosed',
  '\ta: b',
  'x: &a [*a]',
];
const BODY = [
  '# A title',
  '## Deliverables',
  '### 成果物',
  '- it works',
  'Branch: feature/x',
  '**Branch**: `a;b`',
  'ブランチ名: x',
  'Blocked by #7, #8 and octo/park#9',
  'Depends on #1',
  '```',
  '~~~',
  '<!-- a -->',
  '<!--',
  '    code',
  '> quote',
  '---',
  '- [x] Blocked by #3',
  '\r',
];

export function backlogFile(dice: Dice, size: number): Buffer {
  const lines: string[] = [];
  const some = (from: readonly string[], most: number) => {
    const count = dice.int(most);
    for (let n = 0; n < count; n += 1) {
      const line = dice.pick(from);
      lines.push(dice.chance(0.8) ? line : `${line}${hostileText(dice, size)}`);
    }
  };
  if (dice.chance(0.8)) {
    lines.push(dice.chance(0.95) ? '---' : hostileText(dice, 20));
    some(FRONT, 5);
    if (dice.chance(0.1)) {
      const keys = dice.int(Math.ceil(size / 8));
      for (let n = 0; n < keys; n += 1) lines.push(`k${n}: 1`);
    }
    if (dice.chance(0.95)) lines.push('---');
  }
  some(BODY, 8);
  if (dice.chance(0.3)) lines.push(hostileText(dice, size));
  const eol = dice.pick(['\n', '\n', '\r\n', '\r']);
  const bytes = Buffer.from(lines.join(eol));
  if (dice.chance(0.97) || bytes.length === 0) return bytes;
  bytes[dice.int(bytes.length)] = 0xff;
  return bytes;
}

const LEASE: Lease = {
  agentId: 'a1',
  token: 't',
  fence: 1,
  seconds: 600,
  leasedAt: 0,
  expiresAt: 600_000,
  requestId: null,
};

/** The way of a file from its bytes to the prompt; what is malformed is said to be, and nothing else is thrown. */
export function takeFile(bytes: Buffer): void {
  try {
    const text = decodeFile(bytes);
    const read = readIssueText(text);
    const given = readable(issue({ ...read }));
    const planned = planIssue(given, null, context());
    const handOut = { task: task('o~r~7~implement.1', 'leased'), issue: given, lease: LEASE };
    promptFor(bareTemplates(), handOut, handoffOf([]));
    JSON.stringify(planned);
    const marked = readIssueText(editLabels(text, { add: ['in-progress'], remove: [] }));
    if (!marked.labels.includes('in-progress')) throw new Error('the label was not written');
    if (!isDeepStrictEqual([marked.title, marked.body], [read.title, read.body])) {
      throw new Error('writing a label changed the text');
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
}
