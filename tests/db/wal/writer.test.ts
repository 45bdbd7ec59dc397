import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import type { Store } from '../../../src/db/store/store.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { fault, ModelDisk } from '../../support/model-disk.ts';
import { randomOf } from '../../support/random.ts';
import { counter, notes, tinySchema } from '../../support/tiny-schema.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();
const inMemory = { mustBeDurable: false } as const;

/** A daemon and a command on a disk where what is appended to the log is synced by the write itself. */
async function world() {
  const disk = new ModelDisk();
  const clock = new VirtualClock();
  const files = disk.files();
  const options = { file, schema, files, clock } as const;
  const daemon = await clock.during(
    openStore({
      ...options,
      role: 'daemon',
      processes: {
        self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
        liveness: () => Promise.resolve('dead'),
      },
      build: (job) => buildSnapshot(job, files, schema),
    }),
  );
  const begin = () => clock.during(openStore({ ...options, role: 'writer' }));
  const command = await begin();
  /** What is left in several losses of power at this moment. */
  const afterPowerLoss = async (judge: (store: Store) => void) => {
    const count = disk.events.length;
    for (let seed = 0; seed < 30; seed += 1) {
      const left = disk.crash(count, randomOf(seed)).files();
      judge(await clock.during(openStore({ ...options, files: left, role: 'reader' })));
    }
  };
  return { disk, clock, daemon, command, begin, afterPowerLoss };
}

async function turns(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await new Promise((resolve) => setImmediate(resolve));
}

function contentsOf(store: Store): readonly string[] {
  return notes(store.sql).map(({ content }) => content);
}

describe('a write that syncs what it appends', () => {
  it('needs no other sync', async () => {
    const { disk, clock, daemon, command, afterPowerLoss } = await world();
    const before = disk.events.length;
    await daemon.write([['note', 'one']]);
    await daemon.write([['note', 'two']]);
    assert.deepEqual(
      disk.events.slice(before).map(({ is }) => is),
      ['write', 'write-through', 'write', 'write-through'],
    );
    await afterPowerLoss((left) => {
      assert.deepEqual(contentsOf(left), ['one', 'two']);
    });
    for (const store of [command, daemon]) await clock.during(store.close());
  });

  for (const whose of ['daemon', 'command that begins']) {
    it(`of a ${whose} is not taken for durable before what another process wrote in front of it is`, async () => {
      const { disk, clock, daemon, command, begin, afterPowerLoss } = await world();
      await daemon.write([['note', 'first']]);
      let isSynced: () => void = () => undefined;
      const synced = new Promise<void>((resolve) => {
        isSynced = resolve;
      });
      disk.before = (operation) => (operation === 'sync' ? synced : undefined);
      const others = command.write([['note', 'by a command that is stopped']]);
      await turns(5);
      disk.before = () => undefined;
      const next = whose === 'daemon' ? daemon : await begin();
      await next.refresh();
      await next.write([['note', 'behind it']]);
      const expected = ['first', 'by a command that is stopped', 'behind it'];
      assert.deepEqual(contentsOf(next), expected);
      await afterPowerLoss((left) => {
        assert.deepEqual(contentsOf(left), expected);
      });
      isSynced();
      await clock.during(others);
      for (const store of new Set([next, command, daemon])) await clock.during(store.close());
    });
  }

  it('is made again elsewhere after it failed, for the kernel may have dropped what is in the log', async () => {
    const { disk, clock, daemon, command, afterPowerLoss } = await world();
    await daemon.write([['note', 'first']]);
    let faults = 1;
    disk.before = (operation, path) => {
      if (operation !== 'sync' || faults === 0) return;
      faults -= 1;
      throw fault('EIO', path);
    };
    const refused = daemon.write([['note', 'refused']]);
    const kept = daemon.write([['count', 'own', 1]], inMemory);
    await assert.rejects(refused, { code: 'store_failing' });
    assert.deepEqual(await kept, [1]);
    const later = daemon.write([['note', 'in memory']], inMemory);
    await clock.during(turns(10), 500);
    assert.equal(daemon.health().isDurable, true);
    // What came into the log was there for others, so all have it in the same place.
    await later;
    await daemon.write([['note', 'last']]);
    assert.deepEqual(contentsOf(daemon), ['first', 'refused', 'in memory', 'last']);
    await afterPowerLoss((left) => {
      assert.deepEqual([notes(left.sql), counter(left.sql, 'own')], [notes(daemon.sql), 1]);
    });
    for (const store of [command, daemon]) await clock.during(store.close());
  });

  it('that the disk has no space for is refused for good, and the log is as good as before', async () => {
    const { disk, clock, daemon, command, afterPowerLoss } = await world();
    await daemon.write([['note', 'first']]);
    disk.before = (operation, path) => {
      if (operation === 'write') throw fault('ENOSPC', path);
    };
    await assert.rejects(daemon.write([['note', 'refused']]), { code: 'store_full' });
    disk.before = () => undefined;
    const logs = () => [...disk.contents().keys()].filter((name) => name.includes('-log.'));
    const before = logs();
    await clock.during(turns(10), 500);
    await daemon.write([['note', 'last']]);
    assert.deepEqual(logs(), before);
    await afterPowerLoss((left) => {
      assert.deepEqual(contentsOf(left), ['first', 'last']);
    });
    for (const store of [command, daemon]) await clock.during(store.close());
  });
});
