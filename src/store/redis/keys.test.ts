import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskKind } from '../../core/task.ts';
import { loadLibrary } from './connection/library.ts';
import { createIdentifiers, createKeys, KEY_PATTERNS } from './keys.ts';
import { DEFAULT_TTLS } from './ttl.ts';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'redis-keys.md'),
  'utf8',
);

describe('keys', () => {
  it('begin with the namespace', () => {
    const { at } = createKeys({ namespace: 'poppo' });
    expect(`${at.issue_status}7`).toBe('poppo:issue:status:7');
    expect(at.queue_high).toBe('poppo:queue:high');
    expect(Object.values(at).every((key) => key.startsWith('poppo:'))).toBe(true);
  });

  it('share one hash tag on a cluster', () => {
    const { at } = createKeys({ namespace: 'banto', hashTag: true });
    expect(Object.values(at).every((key) => key.startsWith('{banto}:'))).toBe(true);
  });

  it('take the patterns of the configuration file', () => {
    const { at } = createKeys({
      namespace: 'poppo',
      patterns: {
        issue: 'poppo:ticketing:{type}:{number}',
        process: 'poppo:proc:{type}:{id}',
        queue: 'poppo:lane:{priority}',
        stats: 'poppo:figures:{category}:{period}:{date}',
        events: 'poppo:bus:{type}',
      },
    });
    expect(at).toMatchObject({
      issue_status: 'poppo:ticketing:status:',
      process_heartbeat: 'poppo:proc:heartbeat:',
      queue_low: 'poppo:lane:low',
      queue_delayed: 'poppo:lane:delayed',
      stats_daily: 'poppo:figures:issues:daily:',
      stats_hourly: 'poppo:figures:performance:hourly',
      channel_events: 'poppo:bus:issue:status',
    });
  });

  it.each([
    { issue: 'issue:{number}:{type}' },
    { issue: 'issue:{number}' },
    { queue: 'queue' },
    { stats: 'stats:{date}:x' },
  ])('refuse the pattern %j', (patterns) => {
    expect(() => createKeys({ namespace: 'banto', patterns })).toThrow(/key pattern/);
  });

  it('refuse patterns that would let two kinds share a key', () => {
    const patterns = { process: 'task:{type}:{id}' };
    expect(() => createKeys({ namespace: 'banto', patterns })).toThrow(/Two kinds of keys/);
  });

  it.each(['', 'a b', 'x:', '{x}', "a'b", 'ä'])('refuse the namespace %j', (namespace) => {
    expect(() => createKeys({ namespace })).toThrow(/REDIS_NAMESPACE/);
  });

  it('are all on the page that lists them, with a type and a time to live', () => {
    const missing = Object.values(KEY_PATTERNS).filter(
      (pattern) => !page.includes(`\`${pattern}\``),
    );
    expect(missing).toEqual([]);
  });

  it('keep settings that are neither config nor flags out of the way of other keys', () => {
    const keys = createKeys({ namespace: 'banto' });
    expect(keys.setting('flags:maintenance')).toBe(keys.at.flags_maintenance);
    expect(keys.setting('config:broker:x')).toBe('banto:config:broker:x');
    expect(keys.setting('meta')).toBe('banto:setting:meta');
  });
});

describe('identifiers', () => {
  it('are plain numbers in the first repository and carry the name in every other', () => {
    const { issueId } = createIdentifiers(() => 'octo/park');
    expect(issueId('octo/park', 7)).toBe('7');
    expect(issueId('octo/zoo', 7)).toBe('octo~zoo~7');
  });

  it('give the first implement task the lock of its issue, and every other task its own', () => {
    const { lock, delay } = createIdentifiers(() => 'octo/park');
    const named = (kind: TaskKind, round: number) => ({
      repository: 'octo/park',
      number: 7,
      kind,
      round,
    });
    expect(lock(named('implement', 1))).toBe('7');
    expect(lock(named('review', 1))).toBe('7:review.1');
    expect(delay(named('review', 1))).toBe('7');
    expect(delay(named('review', 2))).toBe('7:review.2');
  });
});

describe('scripts', () => {
  it('name no key and no time to live by hand', () => {
    const { text } = loadLibrary(createKeys({ namespace: 'zz' }), DEFAULT_TTLS);
    expect(text).not.toMatch(/\bK\.|\bTTL\.|'banto:/);
  });

  it('are another library for another namespace, so that neither takes the other for its own', () => {
    const batch = (namespace: string) => loadLibrary(createKeys({ namespace }), DEFAULT_TTLS).name;
    expect(batch('a')).not.toBe(batch('b'));
    expect(batch('a')).toBe(batch('a'));
  });
});
