// Roles of instances, and the one who leads.

import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { twenty, type World } from './world.ts';

export function testInstances(world: () => World): void {
  describe('a role', () => {
    it('has one owner, who may renew it', async () => {
      const { store } = world();
      expect(await store.lead('leader', 'one', 60_000)).toBe(true);
      expect(await store.lead('leader', 'two', 60_000)).toBe(false);
      expect(await store.lead('leader', 'one', 60_000)).toBe(true);
      expect(await store.lead('other', 'two', 60_000)).toBe(true);
      expect(await store.led(['leader', 'nobody', 'other'])).toEqual(new Set(['leader', 'other']));
    });

    it('goes to exactly one of many who want it at once', async () => {
      const { store } = world();
      const got = await twenty((index) => store.lead('leader', `i${index}`, 60_000));
      expect(got.filter((leads) => leads)).toHaveLength(1);
    });

    it('is free again when its owner has been silent for too long', async () => {
      const { store, advance } = world();
      await store.lead('leader', 'one', 100);
      advance(100);
      await eventually(
        () => store.led(['leader']),
        (led) => led.size === 0,
      );
      expect(await store.lead('leader', 'two', 60_000)).toBe(true);
      expect(await store.lead('leader', 'one', 60_000)).toBe(false);
    });

    it('is given up by its owner alone', async () => {
      const { store } = world();
      await store.lead('leader', 'one', 60_000);
      await store.resign('leader', 'two');
      expect(await store.lead('leader', 'two', 60_000)).toBe(false);
      await store.resign('leader', 'one');
      expect(await store.lead('leader', 'two', 60_000)).toBe(true);
    });

    it('and the mark that everything was listed leave no fact', async () => {
      const { store } = world();
      await store.lead('leader', 'one', 60_000);
      await store.markListed(60_000);
      expect(await store.lastSeq()).toBe(0);
    });

    it('leaves no fact with the figures of an instance', async () => {
      const { store } = world();
      await store.recordMetrics('one', 0.5, 1000);
      expect(await store.lastSeq()).toBe(0);
    });
  });

  describe('the mark that everything was listed', () => {
    it('is not there before somebody sets it, and ends when nobody renews it', async () => {
      const { store, advance } = world();
      expect(await store.listed()).toBe(false);
      await store.markListed(1000);
      expect(await store.listed()).toBe(true);
      advance(999);
      expect(await store.listed()).toBe(true);
      await store.markListed(1000);
      advance(999);
      expect(await store.listed()).toBe(true);
      advance(1);
      expect(await store.listed()).toBe(false);
    });

    it('is no role: nobody has it and nobody is kept from anything', async () => {
      const { store } = world();
      await store.markListed(60_000);
      expect(await store.led(['mirrored', 'listed'])).toEqual(new Set());
    });
  });
}
