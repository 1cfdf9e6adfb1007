import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Seeker } from '../ticket.ts';
import {
  type Bucket,
  bucketKey,
  matchCount,
  namesNobody,
  parseBucketKey,
  rankBuckets,
} from './match.ts';

const bucket = (over: Partial<Bucket> = {}): Bucket => ({
  repository: 'o/r',
  kind: 'implement',
  priority: 50,
  authors: [],
  only: null,
  labels: [],
  ...over,
});
const seeker = (over: Partial<Seeker> = {}): Seeker => ({
  agentId: 'a1',
  capabilities: ['python'],
  kinds: null,
  repositories: null,
  ...over,
});

describe('matchCount', () => {
  it('needs at least one matching label', () => {
    expect(matchCount(seeker(), bucket({ labels: ['docs'] }))).toBeNull();
    expect(matchCount(seeker(), bucket({ labels: ['docs', 'python'] }))).toBe(1);
  });

  it('lets * take everything, even what has no label, and counts only what was named', () => {
    expect(matchCount(seeker({ capabilities: ['*'] }), bucket())).toBe(0);
    expect(matchCount(seeker({ capabilities: ['*', 'x'] }), bucket({ labels: ['x', 'y'] }))).toBe(
      1,
    );
  });

  it('gives a review only to an agent that can review and did not write the change', () => {
    const review = bucket({ kind: 'review', authors: ['a1', 'a2'], labels: ['python'] });
    expect(matchCount(seeker({ capabilities: ['python'], agentId: 'a3' }), review)).toBeNull();
    expect(matchCount(seeker({ capabilities: ['review'], agentId: 'a3' }), review)).toBe(0);
    expect(matchCount(seeker({ capabilities: ['review', '*'], agentId: 'a2' }), review)).toBeNull();
  });

  it('keeps a reserved fix for its author, who needs no label for it', () => {
    const fix = bucket({ kind: 'fix', only: 'a1', labels: ['rust'] });
    expect(matchCount(seeker(), fix)).toBe(0);
    expect(matchCount(seeker({ agentId: 'a2', capabilities: ['rust', '*'] }), fix)).toBeNull();
  });

  it('obeys the filters by kind and by repository', () => {
    const task = bucket({ labels: ['python'] });
    expect(matchCount(seeker({ kinds: ['review'] }), task)).toBeNull();
    expect(matchCount(seeker({ repositories: ['o/other'] }), task)).toBeNull();
    expect(matchCount(seeker({ kinds: ['implement'], repositories: ['o/r'] }), task)).toBe(1);
  });
});

describe('rankBuckets', () => {
  it('orders by priority, then by number of matching labels, and groups what age must decide', () => {
    const buckets = [
      bucket({ labels: ['python'] }),
      bucket({ labels: ['python', 'web'] }),
      bucket({ labels: ['web'] }),
      bucket({ labels: ['web'], priority: 100 }),
      bucket({ labels: ['docs'], priority: 100 }),
    ].map((b): [string, Bucket] => [bucketKey(b), b]);
    const ranked = rankBuckets(seeker({ capabilities: ['python', 'web'] }), buckets);
    expect(ranked.map((group) => group.map((key) => parseBucketKey(key).labels.join('+')))).toEqual(
      [['web'], ['python+web'], ['python', 'web']],
    );
  });
});

describe('bucketKey', () => {
  it('survives any label and keeps different buckets apart', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
        const first = bucket({ labels: [...a].sort() });
        expect(parseBucketKey(bucketKey(first))).toEqual(first);
        const same = JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
        expect(bucketKey(first) === bucketKey(bucket({ labels: b }))).toBe(same);
      }),
    );
  });
});

describe('namesNobody', () => {
  it('is true only of keys without an author and without a reservation, however hostile the words', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('",0,50,null,[],', ',null,[],', '["', '\\"'),
    );
    fc.assert(
      fc.property(
        word,
        fc.option(word),
        fc.array(word),
        fc.array(word),
        (name, only, authors, labels) => {
          const key = bucketKey(
            bucket({ repository: name, kind: 'review', only, authors, labels }),
          );
          expect(namesNobody(key) && (only !== null || authors.length > 0)).toBe(false);
        },
      ),
    );
    expect(namesNobody(bucketKey(bucket({ labels: ['python'] })))).toBe(true);
  });
});
