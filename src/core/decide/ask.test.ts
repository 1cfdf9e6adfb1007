import { describe, expect, it } from 'vitest';
import { decide, lease, leased, NOW, past, TASK, task } from '../../../test/support/decide.ts';
import { MOST_OPEN_QUESTIONS, QUESTIONS_KEPT, type Question } from '../attempt/question.ts';
import type { TaskRow } from '../rows/task-row.ts';
import { answer, ask, whose } from './ask.ts';
import { heartbeat } from './heartbeat.ts';

const question = (id: string, over: Partial<Question> = {}): Question => ({
  id,
  agentId: 'a1',
  fence: 5,
  question: 'Which port?',
  askedAt: 1,
  answer: null,
  answeredAt: null,
  ...over,
});
const asking = (row: TaskRow | null, over: object = {}) =>
  decide(
    ask,
    { taskId: TASK, token: 't1', question: 'Which host?', askMs: 90_000, ...over },
    { tasks: row === null ? [] : [row] },
  );
const answering = (row: TaskRow, over: object = {}, now = NOW) =>
  decide(
    answer,
    { taskId: TASK, questionId: 'q1', answer: '8080', ...over },
    { tasks: [row], now },
  );
const beating = (row: TaskRow, now = NOW) =>
  decide(heartbeat, { taskId: TASK, token: 't1', progress: null }, { tasks: [row], now });
const comments = (decision: ReturnType<typeof asking> | ReturnType<typeof answering>) =>
  decision.ledger?.writes.map(({ event }) => event);

describe('a holder that asks', () => {
  it('waits for an answer before it asks more than a few, and may repeat what it asked', () => {
    const open = Array.from({ length: MOST_OPEN_QUESTIONS }, (_, index) =>
      question(`q${index + 1}`, { question: `Number ${index + 1}?` }),
    );
    const row = leased({ questions: open });
    expect(asking(row)).toEqual({ answer: { outcome: 'too_many' } });
    expect(asking(row, { question: 'Number 2?' }).answer).toEqual({
      outcome: 'ok',
      questionId: 'q2',
    });
    const [first, ...others] = open as [Question, ...Question[]];
    for (const free of [
      { ...first, answer: 'Yes.', answeredAt: 2 },
      { ...first, fence: 4 },
    ]) {
      expect(asking(leased({ questions: [free, ...others] })).answer).toMatchObject({
        outcome: 'ok',
      });
    }
  });

  it('is paused for the time of a question, or for as long as its lease lives anyway', () => {
    const asked = asking(leased());
    expect(asked.answer).toEqual({ outcome: 'ok', questionId: 'q1' });
    expect(asked.tasks?.[0]).toMatchObject({
      lease: { answered: true, pausedUntil: NOW + 90_000, expiresAt: NOW + 90_000 },
      questions: [{ id: 'q1', question: 'Which host?', askedAt: NOW, answer: null, fence: 5 }],
    });
    const short = asking(leased({ lease: lease({ answered: false }) }), { askMs: 10 });
    expect(short.tasks?.[0]?.lease).toMatchObject({
      answered: true,
      pausedUntil: NOW + 10,
      expiresAt: NOW + 50_000,
    });
  });

  it('gets the same question again while it is open, and a new one otherwise', () => {
    const same = { question: 'Which port?' };
    const id = (row: TaskRow) => {
      const { answer: given } = asking(row, same);
      return given.outcome === 'ok' ? given.questionId : given.outcome;
    };
    expect(id(leased({ questions: [question('q1')] }))).toBe('q1');
    expect(id(leased({ questions: [question('q1', { answer: 'x' })] }))).toBe('q2');
    expect(id(leased({ questions: [question('q1', { fence: 4 })] }))).toBe('q2');
    expect(id(leased({ questions: [question('q1', { question: 'Else?' })] }))).toBe('q2');
  });

  it('has the comments of its other open questions written again', () => {
    const questions = [
      question('q1'),
      question('q2', { answer: 'x' }),
      question('q3', { fence: 4 }),
    ];
    expect(comments(asking(leased({ questions })))).toEqual(['asked-q1', 'asked-q4']);
  });

  it('keeps the last questions alone', () => {
    const questions = Array.from({ length: QUESTIONS_KEPT }, (_, n) =>
      question(`q${n + 1}`, { answer: 'Yes.', answeredAt: 2 }),
    );
    const kept = asking(leased({ questions })).tasks?.[0]?.questions ?? [];
    expect(kept).toHaveLength(QUESTIONS_KEPT);
    expect([kept[0]?.id, kept.at(-1)?.id]).toEqual(['q2', `q${QUESTIONS_KEPT + 1}`]);
  });

  it.each<[string, TaskRow | null, object, string]>([
    ['no such task', null, {}, 'not_found'],
    ['another token', leased(), { token: 't2' }, 'lease_lost'],
    ['no lease', task(), {}, 'lease_lost'],
    ['another agent', leased(), { agentId: 'a2' }, 'forbidden'],
    ['the agent itself', leased(), { agentId: 'a1' }, 'ok'],
  ])('%s: %#', (_title, row, over, outcome) => {
    expect(asking(row, over).answer.outcome).toBe(outcome);
  });
});

describe('an answer', () => {
  const paused = lease({ pausedUntil: NOW + 90_000, expiresAt: NOW + 90_000 });

  it('ends the pause with the last question, and the lease has its whole time again', () => {
    const both = [question('q1'), question('q2')];
    const first = answering(leased({ lease: paused, questions: both }));
    expect(first.tasks?.[0]?.lease).toEqual(paused);
    expect(first.tasks?.[0]?.questions).toMatchObject([
      { answer: '8080', answeredAt: NOW },
      { answer: null, answeredAt: null },
    ]);
    expect(comments(first)).toEqual(['asked-q1']);
    const last = answering(leased({ lease: paused, questions: [question('q1')] }), { by: 'ben' });
    expect(last.tasks?.[0]?.lease).toMatchObject({ pausedUntil: null, expiresAt: NOW + 60_000 });
    expect(last.facts).toMatchObject([
      { type: 'answered', state: 'leased', expiresAt: NOW + 60_000, by: 'ben' },
    ]);
  });

  it('changes no lease that was not paused, has run out, or is gone', () => {
    const questions = [question('q1', { fence: 4 })];
    expect(answering(leased({ questions })).tasks?.[0]?.lease).toEqual(lease());
    const late = answering(
      leased({ lease: paused, questions: [question('q1')] }),
      {},
      NOW + 90_000,
    );
    expect(late.tasks?.[0]?.lease).toEqual(paused);
    const gone = answering(task({ questions }));
    expect(gone.tasks?.[0]).toMatchObject({ lease: null, state: 'ready' });
    expect(gone.facts).toMatchObject([{ type: 'answered', expiresAt: null }]);
  });

  it('is given once', () => {
    const row = leased({ questions: [question('q1', { answer: '8080', answeredAt: 2 })] });
    expect(answering(row)).toMatchObject({ answer: { outcome: 'ok' } });
    expect(answering(row).tasks).toBeUndefined();
    expect(answering(row, { answer: 'no' }).answer.outcome).toBe('conflict');
    expect(answering(leased()).answer.outcome).toBe('no_question');
  });
});

describe('a heartbeat of a holder that waits for an answer', () => {
  const paused = (over: object = {}) =>
    leased({
      lease: lease({ pausedUntil: NOW + 90_000, expiresAt: NOW + 90_000 }),
      updatedAt: NOW - 1000,
      ...over,
    });
  const expiresAt = (row: TaskRow) => beating(row).tasks?.[0]?.lease?.expiresAt;

  it('keeps the pause while one of its questions is open', () => {
    const answered = question('q1', { answer: 'x' });
    expect(expiresAt(paused({ questions: [question('q2')] }))).toBe(NOW + 90_000);
    expect(expiresAt(paused({ questions: [answered, question('q2')] }))).toBe(NOW + 90_000);
    expect(expiresAt(paused({ questions: [answered] }))).toBe(NOW + 60_000);
    expect(expiresAt(paused({ questions: [question('q2', { fence: 4 })] }))).toBe(NOW + 60_000);
    const short = lease({ pausedUntil: NOW + 10 });
    expect(expiresAt(leased({ lease: short, questions: [question('q1')] }))).toBe(NOW + 60_000);
  });

  it('brings the answers of its own lease', () => {
    const questions = [
      question('q1', { answer: 'old', fence: 4 }),
      question('q2', { answer: 'new' }),
      question('q3'),
    ];
    const { answer: given } = beating(paused({ questions }));
    expect(given).toMatchObject({ outcome: 'ok', answers: [{ id: 'q2', answer: 'new' }] });
  });

  it('is written down as often as that of any other', () => {
    const seconds = 600;
    const long = lease({ seconds, pausedUntil: NOW + 900_000, expiresAt: NOW + 900_000 });
    const recorded = (updatedAt: number) =>
      beating(leased({ lease: long, updatedAt, questions: [question('q1')] })).facts !== undefined;
    expect(recorded(NOW - 1)).toBe(false);
    expect(recorded(NOW - 599_000)).toBe(true);
  });
});

describe('a token', () => {
  it.each<[string, string, object, object]>([
    ['the live lease', 't1', {}, { outcome: 'ok', fence: 5 }],
    ['an earlier one', 't0', {}, { outcome: 'ok', fence: 4 }],
    ['nobody', 't9', {}, { outcome: 'lease_lost' }],
    ['another agent', 't1', { agentId: 'a2' }, { outcome: 'forbidden' }],
  ])('of %s', (_title, token, over, expected) => {
    const row = leased({ past: [past({ token: 't0', fence: 4 })] });
    expect(decide(whose, { taskId: TASK, token, ...over }, { tasks: [row] }).answer).toEqual(
      expected,
    );
  });
});
