import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, idOf, plan } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import { because } from '../../core/because.ts';
import { busy } from '../../core/errors.ts';
import { bucketKey, parseBucketKey } from '../../core/pairing/match.ts';
import { pausedSetting } from '../../core/pairing/paused.ts';
import { type Chooser, createChooser } from './chooser.ts';

let desk: Desk;
let chooser: Chooser;
let generation: string;
let away: boolean;
let reads: number;
let closed: string | null;

beforeEach(() => {
  generation = 'first';
  away = false;
  reads = 0;
  closed = null;
  desk = makeDesk({
    wrapStore: (store) => ({
      ...store,
      generation: () => generation,
      registry() {
        reads += 1;
        return away ? Promise.reject(busy()) : store.registry();
      },
    }),
  });
  chooser = createChooser(desk.store, {
    closed: async (agent) =>
      agent === 'hana' && closed !== null ? because('day_budget', closed) : null,
  });
});
afterEach(() => desk.close());

const seeker = (agentId: string, ...capabilities: string[]) => ({
  agentId,
  capabilities,
  kinds: null,
  repositories: null,
});
const labelsOf = (groups: readonly (readonly string[])[]) =>
  groups.map((group) => group.map((key) => parseBucketKey(key).labels.join('+')));

describe('the choice of an agent', () => {
  it('is learned for its labels first, then ranked, most matching labels before the others', async () => {
    await desk.mirror(entry(1, { labels: ['python'] }), entry(2, { labels: ['python', 'docs'] }));
    const { groups, paused, closed: full } = await chooser.choose(seeker('hana', 'docs', 'python'));
    const [best, second] = labelsOf(groups);
    expect(best).toEqual(['docs+python']);
    expect(second).toContain('python');
    expect([paused, full]).toEqual([null, null]);
  });

  it('is made without a read while the registry stays as it was', async () => {
    await desk.mirror(entry(1));
    await chooser.choose(seeker('hana', 'python'));
    const before = reads;
    const [first, second] = [
      await chooser.choose(seeker('hana', 'python')),
      await chooser.choose(seeker('kenji', 'python')),
    ];
    expect(reads).toBe(before);
    // The very same ranking: stores remember what they made of it.
    expect(second.groups).toBe(first.groups);
  });

  it('is its own where some bucket names it', async () => {
    const fix = { authors: ['hana'], authorFirstMs: 60_000 };
    await desk.store.learn(['python']);
    await desk.mirror(entry(1, { plans: [plan(idOf(1, 'fix'), fix)] }), entry(2));
    const own = await chooser.choose(seeker('hana', 'python'));
    const others = await chooser.choose(seeker('kenji', 'python'));
    expect(own.groups.flat()).toHaveLength(2);
    expect(others.groups.flat()).toHaveLength(1);
    const review = { authors: ['mio'] };
    await desk.mirror(entry(3, { plans: [plan(idOf(3, 'review'), review)] }));
    await chooser.refresh();
    expect((await chooser.choose(seeker('kenji', 'review'))).groups.flat()).toHaveLength(1);
    expect((await chooser.choose(seeker('mio', 'review'))).groups).toEqual([]);
  });

  it('is empty, with the reason, while an operator or the budget of the day keeps it from working', async () => {
    await desk.mirror(entry(1));
    closed = 'used up';
    expect(await chooser.choose(seeker('hana', 'python'))).toMatchObject({ groups: [], closed });
    await desk.store.putSetting(pausedSetting('kenji'), true);
    await chooser.refresh();
    const kenji = await chooser.choose(seeker('kenji', 'python'));
    expect(kenji).toMatchObject({ groups: [], paused: expect.stringContaining('kenji') });
  });

  it('leaves out repositories that an operator paused', async () => {
    await desk.mirror(entry(1));
    await desk.store.putSetting(pausedSetting('octo/park'), true);
    expect((await chooser.choose(seeker('hana', 'python'))).groups).toEqual([]);
  });

  it('is made again when the store has lost data, or when it was asked to', async () => {
    await chooser.choose(seeker('hana', 'python'));
    await desk.mirror(entry(1));
    await desk.store.learn(['python']);
    expect((await chooser.choose(seeker('hana', 'python'))).groups).toEqual([]);
    await chooser.refresh();
    expect((await chooser.choose(seeker('hana', 'python'))).groups.flat()).toHaveLength(1);
    const before = reads;
    generation = 'second';
    await chooser.choose(seeker('hana', 'python'));
    expect(reads).toBe(before + 1);
  });

  it('is tried again after a store that was away', async () => {
    away = true;
    await expect(chooser.choose(seeker('hana', 'python'))).rejects.toThrow(/busy/);
    away = false;
    expect((await chooser.choose(seeker('hana', 'python'))).groups).toEqual([]);
  });
});

describe('many at once', () => {
  it('see every bucket, their labels learned', async () => {
    await desk.mirror(entry(1, { labels: ['cobol'] }), entry(2));
    const { buckets } = await chooser.bucketsFor([seeker('hana', 'cobol'), seeker('kenji')]);
    const keys = [...buckets].map(([key, bucket]) => [key === bucketKey(bucket), bucket.labels]);
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual([true, ['cobol']]);
    expect(keys).toContainEqual([true, []]);
  });

  it('are those that nobody paused and that have room left today', async () => {
    await desk.store.putSetting(pausedSetting('kenji'), true);
    closed = 'used up';
    const all = [seeker('hana'), seeker('kenji'), seeker('mio')];
    expect(await chooser.open(all)).toEqual([seeker('mio')]);
  });
});
