import { describe, expect, it } from 'vitest';
import type { Fact, FactBody } from '../../src/core/facts.ts';
import { checkInvariants } from './invariants.ts';

const taskId = 'o~r~1~implement.1';
const accepted: FactBody = {
  type: 'accepted',
  taskId,
  state: 'ready',
  kind: 'implement',
  priority: 50,
  reason: null,
};
const leased = (fence: number, agentId = 'a1'): FactBody => ({
  type: 'leased',
  taskId,
  state: 'leased',
  agentId,
  fence,
  expiresAt: 1_000,
  attempt: 1,
  requestId: null,
  waitedMs: 0,
});
const released = (fence: number): FactBody => ({
  type: 'released',
  taskId,
  state: 'ready',
  agentId: 'a1',
  fence,
  reason: null,
});
const completed = (fence: number): FactBody => ({
  type: 'completed',
  taskId,
  state: 'done',
  agentId: 'a1',
  fence,
  summary: null,
  verdict: null,
  prNumber: null,
  workedMs: 0,
});
const expired = (fence: number): FactBody => ({
  type: 'expired',
  taskId,
  state: 'ready',
  agentId: 'a1',
  fence,
  attempt: 1,
});
const tell = (...bodies: (FactBody | [number, FactBody])[]): Fact[] =>
  bodies.map((body, index) => {
    const [at, said] = Array.isArray(body) ? body : [10, body];
    return { seq: index + 1, at, ...said };
  });
const broken = (...bodies: (FactBody | [number, FactBody])[]): string[] =>
  checkInvariants(tell(...bodies)).map(({ invariant }) => invariant);

describe('checkInvariants', () => {
  it('accepts a task that is leased, given back, leased again and completed', () => {
    expect(broken(accepted, leased(1), released(1), leased(2), completed(2))).toEqual([]);
  });

  it('catches a second live lease (I1)', () => {
    expect(broken(accepted, leased(1), leased(2, 'a2'))).toContain('I1');
  });

  it('catches a fence that does not rise (I2)', () => {
    expect(broken(accepted, leased(7), released(7), leased(7))).toContain('I2');
    expect(broken(accepted, leased(7), released(7), leased(6))).toContain('I2');
  });

  it('catches a stale fence, and a holder that speaks after its deadline (I3)', () => {
    expect(broken(accepted, leased(1), released(1), leased(2), completed(1))).toContain('I3');
    // A renewal without news may be missing: a quarter of the lease time is allowed for it.
    expect(broken(accepted, leased(1), [1_250, completed(1)])).toContain('I3');
    expect(broken(accepted, leased(1), [999, completed(1)])).toEqual([]);
  });

  it('catches an expiry before the deadline (I3)', () => {
    expect(broken(accepted, leased(1), [999, expired(1)])).toContain('I3');
    expect(broken(accepted, leased(1), [1_000, expired(1)])).toEqual([]);
  });

  it('catches a state that may not follow, and a state that does not fit the lease (I4)', () => {
    const held: FactBody = { type: 'held', taskId, state: 'held', reason: 'x' };
    expect(broken(accepted, leased(1), completed(1), held)).toContain('I4');
    expect(broken(accepted, leased(1), { ...held, state: 'held' })).toContain('I4');
    expect(broken(accepted, accepted)).toContain('I4');
  });

  it('catches a task out of nowhere, and one that got lost (I5)', () => {
    expect(broken(leased(1))).toContain('I5');
    const facts = tell(accepted);
    expect(checkInvariants(facts, new Map([[taskId, 'ready']]))).toEqual([]);
    expect(checkInvariants(facts, new Map())[0]?.invariant).toBe('I5');
    expect(checkInvariants(facts, new Map([[taskId, 'done']]))[0]?.invariant).toBe('I5');
  });

  it('catches time and numbering that go back (I5)', () => {
    expect(broken([10, accepted], [9, leased(1)])).toContain('I5');
    const [fact] = tell(accepted);
    if (fact === undefined) throw new Error('no fact');
    expect(
      checkInvariants([fact, { ...fact, seq: 1, taskId: 'o~r~2~implement.1' } as Fact]),
    ).toEqual([expect.objectContaining({ invariant: 'I5' })]);
  });
});
