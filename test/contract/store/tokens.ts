// Tokens, as the broker keeps them in the store.

import { describe, expect, it } from 'vitest';
import { createTokens } from '../../../src/broker/operate/tokens.ts';
import { type World } from './world.ts';

export function testTokens(world: () => World): void {
  let count = 0;
  const tokens = () => createTokens(world().store, () => `secret-${(count += 1)}`);

  describe('tokens', () => {
    it('are known by their secret, and kept without it', async () => {
      const room = tokens();
      const made = await room.createToken({ scope: 'read', agentId: null, note: 'screen' });
      const { secret, ...shown } = made;
      expect(await tokens().whoIs(secret)).toEqual(shown);
      expect(shown).toMatchObject({ scope: 'read', createdAt: await world().store.now() });
      const kept = [...(await world().store.settings(''))];
      expect(JSON.stringify(kept)).not.toContain(secret);
      expect(await room.whoIs(`${secret}x`)).toBeNull();
    });

    it('are listed oldest first, those of earlier versions included', async () => {
      const room = tokens();
      await world().store.putSetting(`tokens:${'a'.repeat(64)}`, { agentId: 'a1', note: null });
      await world().store.putSetting(`tokens:${'b'.repeat(64)}`, { agentId: null, note: 'old' });
      await room.createToken({ scope: 'agent', agentId: 'a2', note: null });
      world().advance(10);
      await room.createToken({ scope: 'operator', agentId: null, note: null });
      expect((await room.tokens()).map(({ scope, agentId }) => [scope, agentId])).toEqual([
        ['agent', 'a1'],
        ['operator', null],
        ['agent', 'a2'],
        ['operator', null],
      ]);
    });

    it('are worth nothing once revoked, on every instance', async () => {
      const [here, there] = [tokens(), tokens()];
      const { secret, id } = await here.createToken({ scope: 'agent', agentId: 'a1', note: null });
      expect(await there.whoIs(secret)).toMatchObject({ agentId: 'a1' });
      expect(await here.revokeToken(id)).toMatchObject({ id, agentId: 'a1' });
      expect(await here.whoIs(secret)).toBeNull();
      // The other one hears of it by the fact; where that was missed, its next beat looks.
      await there.recheck();
      expect(await there.whoIs(secret)).toBeNull();
      await expect(here.revokeToken(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(here.revokeToken('')).rejects.toMatchObject({ code: 'not_found' });
    });
  });
}
