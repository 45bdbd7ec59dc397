import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PendingWrites } from '../../../src/db/wal/pending-writes.ts';

const large = 'x'.repeat(80_000);
/** Beyond this many characters the queue lets go of something. */
const room = 16 * 1024 * 1024;

/** A queue in which a transaction waits, and then far more samples than there is room for. */
function crowded(): { readonly queue: PendingWrites; readonly transactions: readonly number[] } {
  const pendingWrites = new PendingWrites('0123456789abcdef');
  const add = (settle: { resolve: () => void; reject: () => void }) => {
    const entry = pendingWrites.addTransaction([['incident.close', 'uid', 1]], false, settle);
    entry.settle = null;
    return entry.counter;
  };
  const settle = { resolve: () => undefined, reject: () => undefined };
  const transactions = [add(settle)];
  while (pendingWrites.size <= room) pendingWrites.addSamples([['sample', large]]);
  transactions.push(add(settle));
  return { queue: pendingWrites, transactions };
}

describe('a queue with more than memory should hold while the disk fails', () => {
  it('lets the oldest samples go, and keeps every transaction, the oldest too', () => {
    const { queue, transactions } = crowded();
    const before = queue.all().map(({ counter }) => counter);
    queue.shed();
    assert.ok(queue.size <= room);
    assert.ok(queue.isMemoryAhead, 'the next checkpoint is to be made of memory');
    const kept = queue.all().map(({ counter }) => counter);
    for (const counter of transactions) assert.ok(kept.includes(counter), `transaction ${counter} is kept`);
    const gone = before.filter((counter) => !kept.includes(counter));
    assert.deepEqual(gone, before.slice(1, 1 + gone.length), 'what went are the oldest samples');
  });

  it('lets transactions go only when no samples are left', () => {
    const pendingWrites = new PendingWrites('0123456789abcdef');
    pendingWrites.addSamples([['sample', 1]]);
    while (pendingWrites.size <= room) {
      const entry = pendingWrites.addTransaction([['meta.set', 'name', large]], false, {
        resolve: () => undefined,
        reject: () => undefined,
      });
      entry.settle = null;
    }
    pendingWrites.shed();
    assert.ok(pendingWrites.size <= room);
    assert.ok(pendingWrites.all().every(({ kind }) => kind === 'transaction'));
  });

  it('drops nothing that a caller waits for', () => {
    const pendingWrites = new PendingWrites('0123456789abcdef');
    for (let size = 0; size <= room; size += large.length)
      pendingWrites.addTransaction([['meta.set', 'name', large]], false, {
        resolve: () => undefined,
        reject: () => undefined,
      });
    const before = pendingWrites.all().length;
    pendingWrites.shed();
    assert.equal(pendingWrites.all().length, before);
  });
});
