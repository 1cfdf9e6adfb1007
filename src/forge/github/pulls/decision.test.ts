import { describe, expect, it } from 'vitest';
import type { GithubReview } from '../shapes.ts';
import { decide } from './decision.ts';

let id = 0;
const review = (state: string, second: number, over: object = {}): GithubReview => ({
  id: ++id,
  state,
  body: '',
  submitted_at: `2026-11-15T10:00:${String(second).padStart(2, '0')}Z`,
  author_association: 'COLLABORATOR',
  user: { login: 'ann', type: 'User' },
  ...over,
});
const by = (login: string, more: object = {}) => ({ user: { login, type: 'User' }, ...more });
const at = (second: number) => Date.UTC(2026, 10, 15, 10, 0, second);
const decision = (...reviews: GithubReview[]) => decide(reviews, [], 'hana').decision;

describe('the decision of people', () => {
  it('is the last word', () => {
    expect(decision()).toBeNull();
    expect(decision(review('COMMENTED', 1), review('PENDING', 2))).toBeNull();
    expect(decision(review('APPROVED', 1))).toBe('approved');
    expect(decision(review('CHANGES_REQUESTED', 1), review('APPROVED', 2))).toBe('approved');
    expect(decision(review('APPROVED', 2), review('CHANGES_REQUESTED', 3, by('bob')))).toBe(
      'changes_requested',
    );
    expect(decision(review('CHANGES_REQUESTED', 2, by('bob')), review('APPROVED', 2))).toBe(
      'changes_requested',
    );
    expect(decision(review('APPROVED', 1), review('COMMENTED', 2))).toBe('approved');
    expect(decision(review('DISMISSED', 1))).toBeNull();
  });

  it('is not made by strangers, bots, or the author', () => {
    expect(decision(review('APPROVED', 1, { author_association: 'NONE' }))).toBeNull();
    expect(decision(review('APPROVED', 1, { author_association: 'CONTRIBUTOR' }))).toBeNull();
    expect(decision(review('APPROVED', 1, { user: { login: 'b', type: 'Bot' } }))).toBeNull();
    expect(decision(review('APPROVED', 1, by('hana')))).toBeNull();
    expect(decision(review('APPROVED', 1, { user: null }))).toBeNull();
  });

  it('brings what everybody who still asks for changes has said', () => {
    const first = review('CHANGES_REQUESTED', 1, { body: 'rename it' });
    const second = review('CHANGES_REQUESTED', 2, { ...by('bob'), body: '' });
    const settled = review('CHANGES_REQUESTED', 1, { ...by('eve'), body: 'never mind' });
    const comments = [
      { pull_request_review_id: second.id, path: 'a.ts', line: 3, body: 'why?' },
      { pull_request_review_id: second.id, path: 'b.ts', line: null, body: 'hm' },
      { pull_request_review_id: 999, path: 'c.ts', line: 1, body: 'other' },
    ];
    const reviews = [first, settled, review('APPROVED', 1, by('eve')), second];
    expect(decide(reviews, comments, 'hana')).toEqual({
      decision: 'changes_requested',
      decidedAt: at(2),
      comments: ['rename it', 'a.ts:3: why?', 'b.ts: hm'],
    });
  });
});
