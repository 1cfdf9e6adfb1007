import { describe, expect, it } from 'vitest';
import { candidates, demandKey, mayHave } from './demand.ts';
import type { Bucket } from './match.ts';

const bucket = (over: Partial<Bucket> = {}): Bucket => ({
  repository: 'octo/park',
  kind: 'implement',
  priority: 50,
  authors: [],
  only: null,
  labels: ['python'],
  ...over,
});

const seeker = (agentId: string, createdAt = 0, over: object = {}) => ({
  agentId,
  createdAt,
  capabilities: ['python'],
  kinds: null,
  repositories: null,
  ...over,
});

describe('demand', () => {
  it.each([
    ['another agent', { agentId: 'kenji' }, true],
    ['another instant', { createdAt: 9 }, true],
    ['other capabilities', { capabilities: ['rust'] }, false],
    ['other kinds', { kinds: ['review'] }, false],
    ['other repositories', { repositories: ['octo/park'] }, false],
  ])('is the same or not for %s', (_, over, same) => {
    const key = demandKey(seeker('hana', 0, over));
    expect(key === demandKey(seeker('hana'))).toBe(same);
  });

  it.each([
    ['a label of theirs', {}, true],
    ['none of their labels', { labels: ['rust'] }, false],
    ['what is reserved for somebody', { only: 'mio', labels: ['rust'] }, true],
    [
      'a change of their own, which others could review',
      { kind: 'review', authors: ['hana'] },
      false,
    ],
  ] as const)('is suited by %s', (_, over, suits) => {
    expect(mayHave(seeker('hana'), bucket(over))).toBe(suits);
  });

  it('for reviews is suited by a review, whoever wrote the change', () => {
    const review = bucket({ kind: 'review', authors: ['hana'], labels: [] });
    expect(mayHave(seeker('hana', 0, { capabilities: ['review'] }), review)).toBe(true);
  });
});

describe('the candidates of a pairing', () => {
  const names = (waiting: readonly { agentId: string }[]) => waiting.map(({ agentId }) => agentId);

  it('are, of each demand, as many agents as there are tasks, those that wait longest', () => {
    const python = [seeker('c', 3), seeker('a', 1), seeker('b', 2)];
    const docs = [seeker('d', 4, { capabilities: ['python', 'docs'] })];
    expect(names(candidates([python, docs], [bucket()], 2))).toEqual(['a', 'b', 'd']);
  });

  it('are nobody whose demand nothing suits', () => {
    const rust = [seeker('a', 1, { capabilities: ['rust'] })];
    expect(candidates([rust, []], [bucket()], 5)).toEqual([]);
  });

  it('count an agent once, however often it waits, and take all of its tickets along', () => {
    const python = [seeker('a', 1), seeker('a', 2), seeker('b', 3), seeker('c', 4)];
    const docs = [seeker('a', 5, { capabilities: ['docs', 'python'] })];
    const found = candidates([python, docs], [bucket()], 2);
    expect(names(found)).toEqual(['a', 'a', 'b', 'a']);
  });

  it('are nobody who is out, and others come in their places', () => {
    const python = [seeker('a', 1), seeker('b', 2), seeker('c', 3), seeker('author', 4)];
    const named = [bucket({ authors: ['author'] })];
    const isOut = ({ agentId }: { agentId: string }) => agentId === 'a' || agentId === 'author';
    expect(names(candidates([python], named, 1, isOut))).toEqual(['b']);
  });

  it('are always those whom a bucket names, and they take no other’s place', () => {
    const python = [seeker('author', 1), seeker('a', 2), seeker('b', 3), seeker('mio', 4)];
    const named = [bucket({ authors: ['author'] }), bucket({ only: 'mio' })];
    expect(names(candidates([python], named, 1))).toEqual(['author', 'a', 'mio']);
  });
});
