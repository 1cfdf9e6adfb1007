import { describe, expect, it } from 'vitest';
import { mayBePaused, pausedFor, pausedName, pausedSetting } from './paused.ts';

describe('hand-out that is paused for some', () => {
  it('is a setting with the name of a repository or an agent', () => {
    expect(pausedName(pausedSetting('octo/park'))).toBe('octo/park');
    expect(pausedName('flags:maintenance')).toBeNull();
    expect(pausedName('flags:debug:enabled')).toBeNull();
    expect(['octo/park', 'park', 'a.b-c_1'].every(mayBePaused)).toBe(true);
    expect(['', '/', 'a/', 'a/b/c', 'a b', 'a:b', 'x'.repeat(101)].some(mayBePaused)).toBe(false);
  });

  it('stops an agent, or a request that asks for nothing else', () => {
    const paused = new Set(['a1', 'octo/park']);
    const of = (agentId: string, repositories: string[] | null) =>
      pausedFor({ agentId, repositories }, paused)?.detail ?? null;
    expect(of('a1', null)).toMatch(/a1 is paused/);
    expect(of('a2', null)).toBeNull();
    expect(of('a2', [])).toBeNull();
    expect(of('a2', ['octo/park'])).toMatch(/octo\/park is paused/);
    expect(of('a2', ['octo/park', 'octo/shop'])).toBeNull();
    expect(pausedFor({ agentId: 'a1', repositories: null }, new Set())).toBeNull();
  });
});
