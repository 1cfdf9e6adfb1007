import { describe, expect, it } from 'vitest';
import { issue, NOW, task } from '../../../test/support/planning.ts';
import type { Question } from '../attempt/question.ts';
import type { TaskDetail } from '../store.ts';
import type { Attempt, Task } from '../task.ts';
import { commentKey, commentText } from './comment.ts';

const ID = 'o~r~7~implement.1';
const attempt = (over: Partial<Attempt>): Attempt => ({
  agentId: 'hana',
  fence: 1,
  branch: null,
  startedAt: NOW,
  endedAt: NOW,
  outcome: 'failed',
  note: null,
  progress: [],
  usage: null,
  ...over,
});
const detail = (over: Partial<Task> = {}, attempts: Attempt[] = []): TaskDetail => ({
  task: task(ID, 'dead', over),
  issue: { ...issue(), wanted: [], written: [], writtenAt: null, seenAt: NOW },
  matchLabels: [],
  attempts,
  history: [],
  nextHistoryCursor: null,
});
const question = (id: string, over: Partial<Question> = {}): Question => ({
  id,
  agentId: 'hana',
  fence: 1,
  question: 'Which port?',
  askedAt: NOW,
  answer: null,
  answeredAt: null,
  ...over,
});

describe('a comment on a task that was set aside', () => {
  it('says why, what was tried, what was asked for, and how to go on', () => {
    const attempts = [
      attempt({ note: 'no disk' }),
      attempt({ agentId: 'kenji', outcome: 'expired' }),
      attempt({ agentId: 'ben', outcome: 'released', note: 'gave it back' }),
    ];
    const over = { reason: 'too_many_review_rounds', reviewComments: ['add a test', 'and docs'] };
    expect(commentText(detail(over, attempts), 'dead')).toBe(
      [
        `Banto: the task \`${ID}\` was set aside, because reviews kept asking for changes.`,
        '- `hana`: failed\n\n```text\nno disk\n```\n- `kenji`: expired',
        'The last review asked for:\n\n```text\nadd a test\n```\n\n```text\nand docs\n```',
        `To let agents try again: \`banto requeue ${ID}\`.`,
      ].join('\n\n'),
    );
  });

  it('is short where there is nothing more to say', () => {
    expect(commentText(detail(), 'dead')).toBe(
      [
        `Banto: the task \`${ID}\` was set aside, because it cannot go on.`,
        `To let agents try again: \`banto requeue ${ID}\`.`,
      ].join('\n\n'),
    );
  });

  it.each([
    ['plain', '```'],
    ['`` two', '```'],
    ['``` three', '````'],
    ['` and ````` five', '``````'],
  ])('shows the words %j of an agent as they are, between %j', (note, fence) => {
    const text = commentText(detail({}, [attempt({ note })]), 'dead');
    expect(text).toContain(`\n\n${fence}text\n${note}\n${fence}\n`);
  });

  it('cuts what is very long', () => {
    const text = (length: number) =>
      commentText(detail({}, [attempt({ note: 'x'.repeat(length) })]), 'dead') ?? '';
    expect(text(2000)).toContain(`\n${'x'.repeat(2000)}\n`);
    expect(text(2001)).toContain(`\n${'x'.repeat(2000)}…\n`);
  });
});

describe('a comment on what a task cost', () => {
  it('says how much', () => {
    const used = {
      inputTokens: 700,
      outputTokens: 300,
      cachedTokens: 5,
      costMicroUsd: 2_500_000,
      turns: 4,
    };
    expect(commentText(detail({ used }), 'budget')).toContain(
      'So far: $2.50, 1000 tokens, 4 turns.',
    );
    expect(commentText(detail(), 'budget')).toContain('So far: $0.00, 0 tokens, 0 turns.');
  });
});

describe('a comment with a question', () => {
  const asked = (questions: Question[], how: string | null = null) =>
    commentText(detail({ questions }), 'asked-q1', how);

  it('says how to answer it', () => {
    const command = `\`banto answer ${ID} --question q1 "…"\``;
    const head =
      'Banto: the agent `hana`, which works on this, asks:\n\n```text\nWhich port?\n```\n\n';
    expect(asked([question('q1')])).toBe(`${head}To answer: ${command}. The agent waits for it.`);
    expect(asked([question('q1')], 'write below')).toBe(
      `${head}To answer, write below. Or: ${command}. The agent waits for it.`,
    );
  });

  it.each<[string, Partial<Question>, boolean]>([
    ['another one is open', {}, true],
    ['the other one was answered', { answer: '1' }, false],
    ['the other one is of an earlier lease', { fence: 0 }, false],
  ])('asks for its name in the answer where %s', (_title, over, named) => {
    const text = asked([question('q1'), question('q2', over)], 'write below') ?? '';
    expect(text.includes('begin the answer with `q1:`')).toBe(named);
  });

  it('shows the answer once it is there', () => {
    expect(asked([question('q1', { answer: '8080' })])).toBe(
      'Banto: the agent `hana` asked:\n\n```text\nWhich port?\n```\n\nThe answer:\n\n```text\n8080\n```',
    );
  });

  it('is nothing where the question was forgotten', () => {
    expect(asked([question('q2')])).toBeNull();
  });
});

it('a comment is named by its event and its task', () => {
  expect(commentKey('dead', ID)).toBe(`dead:${ID}`);
});
