import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import { MAINTENANCE_FLAG, pausedSetting } from '../../core/pairing/paused.ts';
import { DEFAULT_POLICY, type Policy } from '../../core/settings.ts';
import type { Flags } from '../broker.ts';
import { createSettings, type SettingsRoom } from './settings.ts';

let desk: Desk;
let settings: SettingsRoom;
let changes: { policy: Policy; flags: Flags; before: { policy: Policy; flags: Flags } }[];

beforeEach(() => {
  desk = makeDesk();
  changes = [];
  const initial = { ...DEFAULT_POLICY, leaseSeconds: 300 };
  settings = createSettings(
    desk.store,
    desk.context.newSecret,
    initial,
    (policy, flags, before) => {
      changes.push({ policy, flags, before });
    },
  );
});
afterEach(() => desk.close());

describe('a setting', () => {
  it('is put over the one of the start, by its name in snake_case, and taken back', async () => {
    expect(settings.policy().leaseSeconds).toBe(300);
    expect((await settings.putConfig('lease_seconds', 900)).leaseSeconds).toBe(900);
    expect((await settings.config()).leaseSeconds).toBe(900);
    expect(changes.at(-1)).toMatchObject({
      policy: { leaseSeconds: 900 },
      before: { policy: { leaseSeconds: 300 } },
    });
    await settings.putConfig('max_cost_per_day_usd', 2.5);
    expect(settings.policy()).toMatchObject({ leaseSeconds: 900, maxCostPerDayUsd: 2.5 });
    expect((await settings.putConfig('lease_seconds', null)).leaseSeconds).toBe(300);
  });

  it('that does not exist, or may not be so, is refused and changes nothing', async () => {
    await expect(settings.putConfig('leaseSeconds', 900)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('lease_seconds, review_delay_seconds'),
    });
    await expect(settings.putConfig('lease_seconds', 'long')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The setting lease_seconds must be a whole number/),
    });
    expect(changes).toEqual([]);
    expect(await desk.store.settings('config:broker:')).toEqual(new Map());
  });

  it('that somebody wrote into the store by hand counts where it is a good one', async () => {
    await desk.store.putSetting('config:broker:max_attempts', 7);
    await desk.store.putSetting('config:broker:lease_seconds', 'long');
    await desk.store.putSetting('config:broker:nonsense', 1);
    await settings.reload();
    expect(settings.policy()).toEqual({ ...DEFAULT_POLICY, leaseSeconds: 300, maxAttempts: 7 });
  });

  it('says in the facts who set it', async () => {
    await settings.putConfig('max_attempts', 7, { by: 'hana' });
    await settings.putFlag('debug', true, { by: 'ben' });
    expect((await desk.facts()).map((fact) => [fact.type, 'by' in fact ? fact.by : null])).toEqual([
      ['setting_changed', 'hana'],
      ['setting_changed', 'ben'],
    ]);
  });
});

describe('a flag', () => {
  it.each<[string, Partial<Flags>]>([
    ['maintenance', { maintenance: true }],
    ['debug', { debug: true }],
    ['maintenance:hana', { paused: ['hana'] }],
    ['maintenance:octo/park', { paused: ['octo/park'] }],
  ])('%s is set and taken back', async (name, expected) => {
    const none = { maintenance: false, debug: false, paused: [] };
    expect(await settings.flags()).toEqual(none);
    expect(await settings.putFlag(name, true)).toEqual({ ...none, ...expected });
    expect(changes.at(-1)).toMatchObject({ flags: expected, before: { flags: none } });
    expect(await settings.putFlag(name, false)).toEqual(none);
  });

  it('that pauses nobody any more is not kept; the others are', async () => {
    await settings.putFlag('maintenance:hana', true);
    await settings.putFlag('maintenance:hana', false);
    await settings.putFlag('maintenance', false);
    expect(await desk.store.settings('flags:')).toEqual(new Map([[MAINTENANCE_FLAG, false]]));
    // As somebody may have written it by hand.
    await desk.store.putSetting(pausedSetting('hana'), false);
    await settings.reload();
    expect((await settings.flags()).paused).toEqual([]);
  });

  it.each([
    'nonsense',
    'toString',
    'maintenancX:hana',
    'maintenance:',
    'maintenance:a/b/c',
    'paused:hana',
    'hana',
  ])('called %s is not known', async (name) => {
    await expect(settings.putFlag(name, true)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is on or off, nothing else', async () => {
    for (const value of ['true', 1, null]) {
      await expect(settings.putFlag('debug', value)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
    await desk.store.putSetting('flags:debug:enabled', 'true');
    await settings.reload();
    expect((await settings.flags()).debug).toBe(false);
  });
});

describe('a token', () => {
  const agent = { scope: 'agent', agentId: 'hana', note: null } as const;

  it('is known by its secret until it is revoked, and its secret is kept nowhere', async () => {
    const { secret, ...token } = await settings.createToken({ ...agent, note: 'laptop' });
    expect(secret).toMatch(/^banto_/);
    expect(token).toMatchObject({ ...agent, note: 'laptop', createdAt: desk.time.now() });
    expect(await settings.whoIs(secret)).toEqual(token);
    expect(await settings.whoIs(`${secret}x`)).toBeNull();
    expect(JSON.stringify([...(await desk.store.settings(''))])).not.toContain(secret);
    expect(await settings.revokeToken(token.id)).toEqual(token);
    expect(await settings.whoIs(secret)).toBeNull();
    await expect(settings.revokeToken(token.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is listed, the oldest first', async () => {
    await desk.store.putSetting('tokens:fffffffffffff', { agentId: null });
    const ids: string[] = [];
    for (const agentId of ['a', 'b', 'c', 'd']) {
      desk.advance(1000);
      ids.push((await settings.createToken({ ...agent, agentId })).id);
    }
    expect((await settings.tokens()).map(({ id }) => id)).toEqual(['ffffffffffff', ...ids]);
  });

  it('for no valid agent is refused', async () => {
    await expect(settings.createToken({ ...agent, agentId: 'a b' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const operator = { scope: 'operator', agentId: null, note: null } as const;
    expect((await settings.createToken(operator)).scope).toBe('operator');
  });

  it('is remembered, and looked at again from time to time: another instance may have revoked it', async () => {
    const { secret, id } = await settings.createToken(agent);
    const other = await settings.createToken(agent);
    const reads: string[] = [];
    const counted = {
      ...desk.store,
      settings(prefix: string) {
        if (prefix.startsWith('tokens:')) reads.push(prefix);
        return desk.store.settings(prefix);
      },
    };
    const here = createSettings(
      counted,
      () => 'x',
      DEFAULT_POLICY,
      () => undefined,
    );
    await here.refresh();
    expect(reads).toEqual([]);
    await here.whoIs(secret);
    await here.whoIs(other.secret);
    await here.whoIs(secret);
    expect(reads).toHaveLength(2);
    await settings.revokeToken(id);
    expect(await here.whoIs(secret)).not.toBeNull();
    await here.refresh();
    expect(await here.whoIs(secret)).toBeNull();
    reads.length = 0;
    expect(await here.whoIs(other.secret)).not.toBeNull();
    expect(reads).toEqual([]);
    await here.reload();
    expect(await here.whoIs(other.secret)).not.toBeNull();
    expect(reads).toHaveLength(1);
  });

  it('that was asked for while it was revoked is not remembered', async () => {
    const { secret, id } = await settings.createToken(agent);
    const slow = {
      ...desk.store,
      async putSetting(name: string, value: unknown) {
        await here.whoIs(secret);
        await desk.store.putSetting(name, value);
      },
    };
    const here = createSettings(
      slow,
      () => 'x',
      DEFAULT_POLICY,
      () => undefined,
    );
    await here.revokeToken(id);
    expect(await here.whoIs(secret)).toBeNull();
  });
});
