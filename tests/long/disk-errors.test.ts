import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printedSeed } from '../support/random.ts';
import { countOperations, live, type DiskError } from '../faults/disk-errors.ts';

const codes = ['EIO', 'ENOSPC', 'EROFS', 'EMFILE', 'short'] as const;

/** `npm run soak -- store` tries every one of the first 600. */
const stride = 3;

/** For every `stride`th k: the k-th operation fails; for every fifth of these: it fails and all after it, for a while. */
async function tryAll(code: DiskError['code'], every: number): Promise<{ lives: number; notified: number }> {
  const operations = await countOperations(code);
  let lives = 0;
  let notified = 0;
  const first = 1 + (seed % every);
  for (let at = first; at <= operations; at += every) {
    for (const count of (at - first) % (5 * every) === 0 ? [1, 1000] : [1]) {
      const { wrong, wasNotified } = await live({ code, at, count });
      assert.equal(wrong, null, `${code} at operation ${at}, ${count} times`);
      lives += 1;
      if (wasNotified) notified += 1;
    }
  }
  return { lives, notified };
}

const seed = printedSeed();

describe('S3: operations of the disk fail', () => {
  for (const code of codes) {
    it(`with ${code} at every third operation: no crash, nothing acknowledged is lost, health reports it, it recovers`, async () => {
      const { lives, notified } = await tryAll(code, stride);
      console.log(`  ${code}: ${lives} lives, ${notified} of them told that the disk fails`);
      assert.ok(notified > 0);
    });
  }

  it('with EIO while reading: likewise', async () => {
    const operations = await countOperations('EIO while reading');
    const { lives, notified } = await tryAll('EIO while reading', Math.max(1, Math.floor(operations / 40)));
    console.log(`  ${lives} lives, ${notified} of them told`);
  });

  it('and would be caught breaking a promise', async () => {
    const { wrong } = await live({ code: 'ENOSPC', at: 20, count: 1000 }, { isAckedAnyway: true });
    assert.match(wrong ?? '', /is there 0 times/);
  });
});
