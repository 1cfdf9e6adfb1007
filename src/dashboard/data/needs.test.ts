import { describe, expect, test } from 'vitest';
import type { Agent, Card, Queue } from './contract.ts';
import { findNeeds } from './needs.ts';

const AT = '2026-11-15T20:00:00.000Z';

function card(over: Partial<Card>): Card {
  const issue_id = over.issue_id ?? 7;
  return {
    task_id: `shop~${issue_id}~implement.1`,
    repository: 'shop',
    issue_id,
    issue_url: 'https://example.invalid/7',
    issue_state: 'open',
    kind: 'implement',
    round: 1,
    state: 'ready',
    reason: null,
    priority: 50,
    attempts: 0,
    title: 'Fix the login',
    labels: [],
    branch_name: 'feature/issue-7',
    pr_number: null,
    only_agent: null,
    ready_at: null,
    since: AT,
    question: null,
    cost_usd: null,
    lease: null,
    done_by: null,
    verdict: null,
    ...over,
  };
}

const agent = (status: Agent['status']): Agent => ({
  agent_id: 'ann',
  capabilities: [],
  first_seen_at: AT,
  last_seen_at: AT,
  holds: [],
  waiting: false,
  status,
});

const kinds = (cards: readonly Card[], agents: readonly Agent[] = [], failing = 0, hours = 1) =>
  findNeeds({
    now: Date.parse(AT) + hours * 3_600_000,
    cards,
    agents,
    queue: { outbox: { pending: failing, failing } } as Queue,
    ledgerFailure: null,
  }).map(({ kind }) => kind);

describe('what needs a person', () => {
  test('nothing, as long as everything goes its way', () => {
    const going: Partial<Card>[] = [
      { state: 'ready' },
      { issue_id: 8, state: 'leased' },
      { issue_id: 9, state: 'held', reason: 'blocked_by:#7' },
      { issue_id: 10, state: 'held', reason: 'excluded_label:epic' },
      { issue_id: 11, state: 'delayed', reason: 'retry' },
      { issue_id: 12, state: 'done', verdict: 'approve', issue_state: 'closed' },
      { issue_id: 13, state: 'done', verdict: 'request_changes' },
      { issue_id: 14, state: 'cancelled', reason: 'issue_closed' },
    ];
    expect(kinds(going.map(card), [agent('active'), agent('idle')])).toEqual([]);
  });

  test('the most urgent comes first', () => {
    const cards = [
      card({ issue_id: 1, state: 'done', verdict: 'approve' }),
      card({ issue_id: 2, state: 'held', reason: 'no_deliverables' }),
      card({ issue_id: 3, state: 'held', reason: 'excluded_label:needs-human' }),
      card({ issue_id: 4, state: 'held', reason: 'budget' }),
      card({ issue_id: 8, state: 'held', reason: 'no_progress' }),
      card({ issue_id: 5, state: 'dead', reason: 'no luck' }),
      card({
        issue_id: 6,
        state: 'leased',
        question: { question_id: 'q', question: 'Which?', asked_at: AT },
      }),
    ];
    expect(kinds(cards, [agent('zombie')], 2)).toEqual([
      'question',
      'dead',
      'stuck',
      'budget',
      'stopped',
      'ledger',
      'human',
      'held',
      'approved',
    ]);
  });

  test('an agent that stopped is told of for a day, and as long as it holds a task', () => {
    expect(kinds([], [agent('zombie')], 0, 23)).toEqual(['stopped']);
    expect(kinds([], [agent('zombie')], 0, 25)).toEqual([]);
    expect(kinds([], [{ ...agent('zombie'), holds: ['a'] }], 0, 25)).toEqual(['stopped']);
  });

  test('an issue asks once, by the task that is most urgent', () => {
    const dead = card({ task_id: 'shop~7~fix.1', kind: 'fix', state: 'dead', reason: 'no luck' });
    const held = card({ state: 'held', reason: 'excluded_label:needs-human' });
    expect(kinds([held, dead])).toEqual(['dead']);
  });
});
