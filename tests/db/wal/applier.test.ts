import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openReplica } from '../../../src/db/store/replica.ts';
import { WalApplier, type StoreChange } from '../../../src/db/wal/applier.ts';
import { PendingWrites } from '../../../src/db/wal/pending-writes.ts';
import type { Operation } from '../../../src/db/store/operation.ts';
import { notes, sampleCount, tinySchema } from '../../support/tiny-schema.ts';

/** Memory, and the changes of this process, which come into the log when the test says so. `read` is called at each report. */
async function world(read: (applier: WalApplier) => void = () => undefined) {
  const replica = await openReplica(null, tinySchema(), 'a database');
  const queue = new PendingWrites('00000000000000aa');
  const changes: StoreChange[] = [];
  const applier: WalApplier = new WalApplier({
    replica,
    queue,
    onChange: (change) => {
      changes.push(change);
      read(applier);
    },
    onFinding: () => undefined,
    onRefused: () => undefined,
  });
  const inMemory = () => sampleCount(replica.sql);
  const logAll = () => {
    const entries = queue.take(Number.MAX_SAFE_INTEGER);
    applier.onRecords(
      entries.map(({ kind, counter, operations }) => ({ kind, writer: queue.writer, counter, operations })),
    );
    queue.remove(entries);
  };
  const heartbeats = (count: number) => {
    const operations = Array.from({ length: count }, (_, at): Operation => ['sample', at, 1]);
    void queue.addWaitedSamples(operations);
    logAll();
  };
  return { replica, queue, applier, changes, inMemory, logAll, heartbeats };
}

describe('heartbeats that are in the log', () => {
  it('are reported at once, and come into memory with others', async () => {
    const { applier, changes, inMemory, heartbeats } = await world();
    heartbeats(100);
    assert.deepEqual([changes.flatMap(({ operations }) => operations).length, inMemory()], [100, 0]);
    heartbeats(100);
    applier.applyMany();
    assert.equal(inMemory(), 0);
    heartbeats(100);
    assert.deepEqual([changes.flatMap(({ operations }) => operations).length, inMemory()], [300, 0]);
    applier.applyMany();
    assert.equal(inMemory(), 300);
  });

  it('come into memory before anything is read', async () => {
    const { applier, inMemory, heartbeats } = await world();
    heartbeats(1);
    applier.applyLate();
    assert.equal(inMemory(), 1);
    applier.applyLate();
    assert.equal(inMemory(), 1, 'and once');
  });

  it('come into memory before what was written after them', async () => {
    const heartbeat = ['note', 'a heartbeat'] as const;
    const next = ['note', 'the next'] as const;
    const contents = ({ replica }: Awaited<ReturnType<typeof world>>) =>
      notes(replica.sql).map(({ content }) => content);
    const begun = async () => {
      const it = await world();
      void it.queue.addWaitedSamples([heartbeat]);
      it.logAll();
      assert.deepEqual(contents(it), []);
      return it;
    };
    const own = await begun();
    own.queue.addTransaction([next], true, { resolve: () => undefined, reject: () => undefined });
    own.logAll();
    assert.deepEqual(contents(own), ['a heartbeat', 'the next']);

    const foreign = await begun();
    const record = { kind: 'transaction', writer: '00000000000000bb', counter: 1 } as const;
    foreign.applier.onRecords([{ ...record, operations: [next] }]);
    assert.deepEqual(contents(foreign), ['a heartbeat', 'the next']);

    const late = await begun();
    late.applier.take(late.queue.addSamples([next]));
    late.applier.applyLate();
    assert.deepEqual(contents(late), ['a heartbeat', 'the next']);
  });

  it('are not taken twice when all of it is read anew, whoever reads as it is reported', async () => {
    let isRead = false;
    const { applier, inMemory, heartbeats } = await world((reading) => {
      if (isRead) reading.applyLate();
    });
    heartbeats(3);
    // What the log holds, as whoever reads it anew finds it.
    const anew = await openReplica(null, tinySchema(), 'a database');
    anew.apply(
      'samples',
      [0, 1, 2].map((at): Operation => ['sample', at, 1]),
    );
    isRead = true;
    applier.become(anew);
    applier.applyLate();
    assert.equal(inMemory(), 3);
  });
});
