import { describe, expect, it } from 'vitest';
import { NOW, task } from '../../../test/support/planning.ts';
import type { Question } from '../attempt/question.ts';
import type { Fact, FactBody } from '../facts.ts';
import { DAY_MS, freshMarker, readMarker } from './notice-marker.ts';
import {
  inOrder,
  laterNoticeOf,
  messageOf,
  type Notice,
  type NoticeKind,
  noticeOf,
  refusalOf,
  stillNeeds,
} from './notices.ts';

const ID = 'o~r~7~implement.1';
const of = { taskId: ID, agentId: 'hana', fence: 1 };
const fact = (body: FactBody, at = NOW): Fact => ({ seq: 12, at, ...body });
const completed = { summary: null, prNumber: null, workedMs: 1, state: 'done' } as const;

describe('a fact that needs a person', () => {
  it.each<[string, FactBody, Partial<Notice> | null]>([
    [
      'a dead task',
      { taskId: ID, type: 'dead', state: 'dead', reason: 'too_many_review_rounds' },
      { id: 'dead-12', kind: 'dead', agentId: null, detail: 'reviews kept asking for changes' },
    ],
    [
      'a lease that ran out',
      { ...of, type: 'expired', state: 'ready', attempt: 1 },
      { id: 'stopped-12', kind: 'stopped', agentId: 'hana', detail: null },
    ],
    [
      'a question',
      { ...of, type: 'asked', state: 'leased', questionId: 'q1', question: 'Port?', expiresAt: 1 },
      { id: 'question-12', kind: 'question', agentId: 'hana', detail: 'Port?' },
    ],
    [
      'a task held by the label',
      { taskId: ID, type: 'held', state: 'held', reason: 'excluded_label:needs-human' },
      { kind: 'needs_human', detail: 'it has the label needs-human' },
    ],
    [
      'a new task held by the label',
      {
        taskId: ID,
        type: 'accepted',
        state: 'held',
        kind: 'implement',
        priority: 50,
        reason: 'excluded_label:needs-human',
      },
      { kind: 'needs_human', detail: 'it has the label needs-human' },
    ],
    [
      'a task without progress',
      { taskId: ID, type: 'held', state: 'held', reason: 'no_progress' },
      { kind: 'needs_human', detail: expect.stringContaining('left the same files') },
    ],
    [
      'a task without budget',
      { taskId: ID, type: 'held', state: 'held', reason: 'budget' },
      { kind: 'needs_human', detail: expect.stringContaining('used up what it may cost') },
    ],
    [
      'a task held for something else',
      { taskId: ID, type: 'held', state: 'held', reason: 'no_deliverables' },
      null,
    ],
    ['a task that is ready', { taskId: ID, type: 'ready', state: 'ready', reason: null }, null],
    ['a finished task', { ...of, ...completed, type: 'completed', verdict: 'approve' }, null],
  ])('is %s', (_title, body, expected) => {
    const found = noticeOf(fact(body));
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject({ taskId: ID, ...expected });
  });

  it('is an approval, after a while', () => {
    const done = { ...of, ...completed, type: 'completed' } as const;
    expect(laterNoticeOf(fact({ ...done, verdict: 'approve' }))).toEqual({
      id: 'approved-12',
      kind: 'approved',
      taskId: ID,
      agentId: 'hana',
      detail: null,
    });
    expect(laterNoticeOf(fact({ ...done, verdict: 'request_changes' }))).toBeNull();
    expect(laterNoticeOf(fact({ ...done, verdict: null }))).toBeNull();
    expect(noticeOf(fact({ taskId: ID, type: 'dead', state: 'dead', reason: 'x' }))).not.toBeNull();
  });

  it('is a write that the forge refused for good, once a day', () => {
    const failed = { type: 'ledger_failed', repository: 'o/r', number: 7, error: 'no' } as const;
    const never = freshMarker(0);
    const refused = fact({ ...failed, final: true });
    expect(refusalOf(refused, never)).toMatchObject({
      id: 'ledger-12',
      kind: 'ledger',
      taskId: null,
      detail: 'o/r#7: no',
    });
    expect(refusalOf(refused, { ...never, refusedAt: NOW - DAY_MS + 1 })).toBeNull();
    expect(refusalOf(refused, { ...never, refusedAt: NOW - DAY_MS })).not.toBeNull();
    expect(refusalOf(fact({ ...failed, final: false }), never)).toBeNull();
    expect(
      refusalOf(fact({ taskId: ID, type: 'dead', state: 'dead', reason: 'x' }), never),
    ).toBeNull();
  });
});

const notice = (kind: NoticeKind, over: Partial<Notice> = {}): Notice => ({
  id: `${kind}-1`,
  kind,
  taskId: ID,
  agentId: 'hana',
  detail: null,
  ...over,
});

describe('when the message leaves', () => {
  const held = (reason: string) => task(ID, 'held', { reason });
  /** By the lease with fence 5. */
  const asking = (over: Partial<Question>) => {
    const asked = { id: 'q1', agentId: 'a1', fence: 5, question: 'Tabs?', askedAt: 1 };
    const question = { ...asked, answer: null, answeredAt: null, ...over };
    return task(ID, 'leased', { fence: 5, questions: [question] });
  };
  it.each<[NoticeKind, Parameters<typeof stillNeeds>[1], 'open' | 'closed', boolean, boolean]>([
    ['ledger', null, 'closed', false, true],
    ['stopped', task(ID, 'ready'), 'open', true, true],
    ['stopped', task(ID, 'ready'), 'open', false, false],
    ['question', asking({ fence: 5 }), 'open', false, true],
    ['question', asking({ fence: 5, answer: 'Tabs.', answeredAt: 9 }), 'open', false, false],
    ['question', asking({ fence: 4 }), 'open', false, false],
    ['question', task(ID, 'leased'), 'open', false, false],
    ['question', task(ID, 'ready'), 'open', true, false],
    ['question', null, 'open', true, false],
    ['dead', task(ID, 'dead'), 'open', false, true],
    ['dead', task(ID, 'ready'), 'open', true, false],
    ['needs_human', held('excluded_label:needs-human'), 'open', false, true],
    ['needs_human', held('budget'), 'open', false, true],
    ['needs_human', held('no_deliverables'), 'open', true, false],
    ['needs_human', task(ID, 'ready', { reason: 'budget' }), 'open', true, false],
    ['approved', task(ID, 'done'), 'open', false, true],
    ['approved', task(ID, 'done'), 'closed', true, false],
  ])(
    '%s of %o, issue %s, lapsed %s: still needs somebody: %s',
    (kind, about, state, lapsed, needs) => {
      expect(stillNeeds(notice(kind), about, state, lapsed)).toBe(needs);
    },
  );
});

describe('a message', () => {
  it('says what is most urgent first, and each issue and each agent once', () => {
    const other = 'o~r~8~implement.1';
    const found = inOrder([
      notice('approved', { taskId: other }),
      notice('needs_human'),
      notice('stopped', { id: 'stopped-1', taskId: other }),
      notice('stopped', { id: 'stopped-2', taskId: 'o~r~9~implement.1' }),
      notice('dead'),
      notice('ledger', { id: 'ledger-1', taskId: null }),
      notice('ledger', { id: 'ledger-2', taskId: null }),
      notice('question', { taskId: 'o~r~7~review.1' }),
    ]);
    expect(found.map(({ id }) => id)).toEqual([
      'question-1',
      'stopped-1',
      'ledger-1',
      'ledger-2',
      'approved-1',
    ]);
  });

  const subject = { repository: 'o/r', number: 7, title: 'A title', url: 'https://x.example/7' };
  const lineOf = (one: Notice, about: typeof subject | null = subject) =>
    messageOf([{ notice: one, subject: about }], 'now').text.split('\n')[1];

  it.each<[Notice, string]>([
    [notice('question', { detail: 'Port?' }), '• hana asks about o/r#7 “A title”: Port?'],
    [notice('question', { agentId: null }), '• An agent asks about o/r#7 “A title”'],
    [notice('dead', { detail: 'x' }), '• o/r#7 “A title” is set aside after its last attempt: x'],
    [notice('stopped'), '• hana stopped: its lease on o/r#7 “A title” ran out'],
    [
      notice('stopped', { agentId: null }),
      '• An agent stopped: its lease on o/r#7 “A title” ran out',
    ],
    [notice('ledger', { detail: 'no' }), '• Ledger writes keep failing: no'],
    [notice('needs_human'), '• o/r#7 “A title” needs a person'],
    [notice('approved'), '• o/r#7 “A title” is approved by hana and still open'],
    [
      notice('approved', { agentId: null }),
      '• o/r#7 “A title” is approved by an agent and still open',
    ],
  ])('says %o in one sentence, with its address', (one, line) => {
    expect(lineOf(one)).toBe(`${line} https://x.example/7`);
  });

  it('names no address that is none, and no issue that is not known', () => {
    expect(lineOf(notice('needs_human'), { ...subject, url: 'backlog/7.md' })).toBe(
      '• o/r#7 “A title” needs a person',
    );
    expect(lineOf(notice('needs_human'), null)).toBe('• A task needs a person');
  });

  it('keeps what strangers wrote short, on one line, and harmless', () => {
    const title = `<!channel> & co\u2028\n\t ${'x'.repeat(200)}`;
    const line = lineOf(notice('needs_human', { detail: '😀'.repeat(301) }), { ...subject, title });
    expect(line).toContain(`“&lt;!channel&gt; &amp; co ${'x'.repeat(103)}…”`);
    expect(line).toContain(`: ${'😀'.repeat(299)}… `);
    const fits = lineOf(notice('needs_human', { detail: '😀'.repeat(300) }));
    expect(fits).toContain(`: ${'😀'.repeat(300)} `);
  });

  it.each([
    [1, 'Banto: 1 thing needs a person', 2, undefined],
    [20, 'Banto: 20 things need a person', 21, undefined],
    [23, 'Banto: 23 things need a person', 22, '… and 3 more'],
  ])('of %i notices is no longer than people read', (count, head, lines, last) => {
    const told = Array.from({ length: count }, () => ({ notice: notice('dead'), subject }));
    const message = messageOf(told, 'now');
    const text = message.text.split('\n');
    expect([text[0], text.length]).toEqual([head, lines]);
    if (last !== undefined) expect(text.at(-1)).toBe(last);
    expect(message.notices).toHaveLength(count);
  });

  it('says everything to programs, too', () => {
    const message = messageOf(
      [
        { notice: notice('dead', { detail: 'x' }), subject },
        { notice: notice('ledger', { taskId: null, agentId: null }), subject: null },
      ],
      '2026-11-15',
    );
    expect(message.sent_at).toBe('2026-11-15');
    expect(message.notices).toEqual([
      {
        id: 'dead-1',
        kind: 'dead',
        task_id: ID,
        agent_id: 'hana',
        repository: 'o/r',
        issue_id: 7,
        title: 'A title',
        issue_url: 'https://x.example/7',
        detail: 'x',
      },
      {
        id: 'ledger-1',
        kind: 'ledger',
        task_id: null,
        agent_id: null,
        repository: null,
        issue_id: null,
        title: null,
        issue_url: null,
        detail: null,
      },
    ]);
  });
});

describe('how far people were told', () => {
  const marker = { now: 4, later: 3, failingTold: true, refusedAt: 9 };
  it.each<[unknown, unknown]>([
    [marker, marker],
    [
      { now: 4, later: 3 },
      { now: 4, later: 3, failingTold: false, refusedAt: 0 },
    ],
    [
      { ...marker, failingTold: 'yes', refusedAt: 'x' },
      { ...marker, failingTold: false, refusedAt: 0 },
    ],
    [{ ...marker, now: '4' }, null],
    [{ ...marker, later: 1.5 }, null],
    [null, null],
    ['told', null],
    [undefined, null],
  ])('is read from %j as %j', (stored, expected) => {
    expect(readMarker(stored)).toEqual(expected);
  });

  it('begins at the last fact', () => {
    expect(freshMarker(8)).toEqual({ now: 8, later: 8, failingTold: false, refusedAt: 0 });
  });
});
