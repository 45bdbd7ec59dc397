import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOperations, live, type DiskError } from './disk-errors.ts';

const codes = ['EIO', 'ENOSPC', 'EROFS', 'EMFILE', 'short'] as const;

/** For every k: the k-th operation fails; for every fifth k: it fails and everything after it, for a while. */
async function tryAll(code: DiskError['code'], stride: number): Promise<{ lives: number; notified: number }> {
  const operations = await countOperations(code);
  let lives = 0;
  let notified = 0;
  for (let at = 1; at <= operations; at += stride) {
    for (const count of at % 5 === 0 ? [1, 1000] : [1]) {
      const { wrong, wasNotified } = await live({ code, at, count });
      assert.equal(wrong, null, `${code} at operation ${at}, ${count} times`);
      lives += 1;
      if (wasNotified) notified += 1;
    }
  }
  return { lives, notified };
}

describe('S3: operations of the disk fail', () => {
  for (const code of codes) {
    it(`with ${code} at every k: no crash, nothing acknowledged is lost, health reports it, it recovers`, async () => {
      const { lives, notified } = await tryAll(code, 1);
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
