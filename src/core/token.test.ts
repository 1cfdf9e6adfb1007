import { describe, expect, it } from 'vitest';
import { readToken, scopeFor, tokenIdOf, tokenSetting } from './token.ts';

describe('a token', () => {
  it.each<[string | null, Parameters<typeof scopeFor>[1], string | null]>([
    [null, null, 'operator'],
    ['hana', null, 'agent'],
    ['hana', 'agent', 'agent'],
    [null, 'read', 'read'],
    [null, 'operator', 'operator'],
    [null, 'agent', null],
    ['hana', 'read', null],
    ['hana', 'operator', null],
  ])('for the agent %j and the scope %j is one of %j', (agentId, asked, scope) => {
    const found = scopeFor(agentId, asked);
    if (scope === null) expect(found).toHaveProperty('problem');
    else expect(found).toEqual({ scope });
  });

  it.each<[object, string]>([
    [{ agentId: 'hana' }, 'agent'],
    [{}, 'operator'],
    [{ scope: 'read' }, 'read'],
    [{ scope: 'operator' }, 'operator'],
    [{ scope: 'something new' }, 'read'],
  ])('kept as %j may do what %s may', (record, scope) => {
    const setting = tokenSetting('0123456789abcdef');
    expect(tokenIdOf(setting)).toBe('0123456789ab');
    expect(readToken(setting, record)).toEqual({
      id: '0123456789ab',
      agentId: null,
      note: null,
      createdAt: null,
      ...record,
      scope,
    });
  });
});
