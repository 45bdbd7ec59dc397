import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBuckets, type Bucket } from '../../../src/serve/limit/buckets.ts';
import { printedSeed, randomOf } from '../../support/random.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A token bucket as it is told: tokens that come back one by one. */
class PlainBucket {
  private tokens: number;
  private lastMs = 0;
  private readonly bucket: Bucket;

  constructor(bucket: Bucket) {
    this.bucket = bucket;
    this.tokens = bucket.burst;
  }

  take(nowMs: number): { readonly isAllowed: boolean; readonly remaining: number } {
    const { burst, refillMs } = this.bucket;
    this.tokens = Math.min(burst, this.tokens + (nowMs - this.lastMs) / refillMs);
    this.lastMs = nowMs;
    const isAllowed = this.tokens >= 1;
    if (isAllowed) this.tokens -= 1;
    return { isAllowed, remaining: Math.floor(this.tokens) };
  }
}

describe('a bucket', () => {
  it('allows and refuses as tokens that come back one by one', () => {
    const random = randomOf(printedSeed());
    for (let round = 0; round < 200; round += 1) {
      const bucket = { burst: 1 + random.below(20), refillMs: 2 ** random.below(12) };
      const buckets = createBuckets(bucket, { slots: 64, seed: random.below(2 ** 31) });
      const plain = new PlainBucket(bucket);
      let nowMs = 0;
      for (let step = 0; step < 100; step += 1) {
        nowMs += random.below(3) === 0 ? 0 : random.below(bucket.refillMs * 3);
        const { isAllowed, remaining, retryInMs } = buckets.take('a', nowMs);
        assert.deepEqual({ isAllowed, remaining }, plain.take(nowMs));
        assert.equal(retryInMs > 0, !isAllowed);
      }
    }
  });
});

describe('the table of buckets', () => {
  it('keeps a million clients in under 16 MB, and the flooder among them at its limit', () => {
    const used = () => {
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return heapUsed + external + arrayBuffers;
    };
    collectGarbage();
    const before = used();
    const buckets = createBuckets({ burst: 5, refillMs: 60_000 }, { seed: 7 });
    for (let count = 0; count < 5; count += 1) buckets.take('flooder', 0);
    for (let client = 0; client < 1_000_000; client += 1)
      buckets.take(`2001:db8:${client.toString(16)}::/64`, 1);
    collectGarbage();
    const addedMb = (used() - before) / 1e6;
    console.log(`  a million keys add ${addedMb.toFixed(1)} MB`);
    assert.ok(addedMb < 16);
    assert.equal(buckets.take('flooder', 2).isAllowed, false);
  });

  it('forgets the bucket that is closest to full when there is no place', () => {
    const buckets = createBuckets({ burst: 2, refillMs: 1000 }, { slots: 8, seed: 1 });
    buckets.take('busy', 0);
    buckets.take('busy', 0);
    for (let client = 0; client < 100; client += 1) buckets.take(`other ${client}`, 1);
    assert.equal(buckets.take('busy', 2).isAllowed, false);
    assert.equal(buckets.take('other 0', 2).remaining, 1);
  });
});
