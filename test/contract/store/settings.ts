// Run-time settings.

import { describe, expect, it } from 'vitest';
import { type World } from './world.ts';

export function testSettings(world: () => World): void {
  describe('settings', () => {
    it('are kept by name and listed by prefix', async () => {
      const { store } = world();
      const value = { deep: ['🦉', "it's", 'a\u0000b', 1, null] };
      await store.putSetting('config:web:name', value);
      await store.putSetting('config%', 'wild');
      await store.putSetting('flags:debug', true);
      expect(await store.settings('config:')).toEqual(new Map([['config:web:name', value]]));
      expect(await store.settings('')).toHaveProperty('size', 3);
      await store.putSetting('config:web:name', null);
      expect(await store.settings('config:')).toEqual(new Map());
    });

    it('leave a fact when they change, without showing what is secret', async () => {
      const { store, facts } = world();
      await store.putSetting('flags:debug', true);
      await store.putSetting('flags:debug', true);
      await store.putSetting('flags:absent', null);
      await store.putSetting('tokens:a1', { hash: 'abc' });
      expect(await facts()).toMatchObject([
        { type: 'setting_changed', name: 'flags:debug', value: true },
        { type: 'setting_changed', name: 'tokens:a1', value: null },
      ]);
      expect(await store.settings('tokens:')).toEqual(new Map([['tokens:a1', { hash: 'abc' }]]));
    });
  });
}
