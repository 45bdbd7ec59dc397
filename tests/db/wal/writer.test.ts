import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import type { Files } from '../../../src/db/store/files/files.ts';
import type { Store } from '../../../src/db/store/store.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { fault, ModelDisk } from '../../support/model-disk.ts';
import { randomOf } from '../../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../../support/tiny-schema.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();
const inMemory = { mustBeDurable: false } as const;

type World = Awaited<ReturnType<typeof world>>;

/** A daemon and a command on a disk where what is appended to the log is synced by the write itself. */
async function world({ isLocal = true } = {}) {
  const disk = new ModelDisk();
  disk.isLocal = isLocal;
  const clock = new VirtualClock();
  const files = disk.files();
  /** What the daemon alone waits for before it writes or reads, and once it has written. */
  const gate: { pass: (operation: 'write' | 'written' | 'read', path: string) => Promise<void> | void } = {
    pass: () => undefined,
  };
  const daemonFiles: Files = {
    ...files,
    open: async (path, mode) => {
      const opened = await files.open(path, mode);
      return {
        ...opened,
        write: async (bytes) => {
          await gate.pass('write', path);
          const taken = await opened.write(bytes);
          await gate.pass('written', path);
          return taken;
        },
        read: async (into, position) => {
          await gate.pass('read', path);
          return opened.read(into, position);
        },
      };
    },
  };
  const options = { file, schema, files, clock } as const;
  const daemon = await clock.during(
    openStore({
      ...options,
      files: daemonFiles,
      role: 'daemon',
      processes: {
        self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
        liveness: () => Promise.resolve('dead'),
      },
      build: (job) => buildSnapshot(job, daemonFiles, schema),
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
  const later = () => clock.during(turns(40), 500);
  const reader = () => clock.during(openStore({ ...options, role: 'reader' }));
  const logs = () => [...disk.contents().keys()].filter((name) => name.includes('-log.'));
  return { disk, clock, gate, daemon, command, begin, afterPowerLoss, later, reader, logs };
}

/** The daemon recovers and goes on, and memory has what is in the files, in the same order. */
async function endsAlike({ clock, daemon, command, later, reader }: World): Promise<void> {
  await later();
  await daemon.write([['note', 'last']]);
  const left = await reader();
  assert.deepEqual(notes(daemon.sql), notes(left.sql));
  for (const store of [left, command, daemon]) await clock.during(store.close());
}

function latch(): { readonly isOpen: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
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
    const { disk, clock, daemon, command, afterPowerLoss, logs } = await world();
    await daemon.write([['note', 'first']]);
    disk.before = (operation, path) => {
      if (operation === 'write') throw fault('ENOSPC', path);
    };
    await assert.rejects(daemon.write([['note', 'refused']]), { code: 'store_full' });
    disk.before = () => undefined;
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

describe('a write that hangs', () => {
  it('brings nothing twice, also when what waits meanwhile is more than can be kept', async () => {
    const { disk, clock, daemon, command, afterPowerLoss, later } = await world();
    const hanging = latch();
    disk.before = (operation) => (operation === 'sync' ? hanging.isOpen : undefined);
    daemon.record([['sample', 1, 1]]);
    assert.deepEqual(await clock.during(daemon.write([['count', 'own', 1]], inMemory), 500), [1]);
    assert.equal(daemon.health().isDurable, false);
    for (let index = 0; index < 20; index += 1)
      await daemon.write([['note', `${index} `.padEnd(1_000_000, 'x')]], inMemory);
    hanging.open();
    await later();
    assert.equal(daemon.health().isDurable, true);
    const held = (store: Store) => [
      sampleCount(store.sql),
      counter(store.sql, 'own'),
      notes(store.sql).length,
    ];
    assert.deepEqual(held(daemon), [1, 1, 20]);
    await afterPowerLoss((left) => {
      assert.deepEqual(held(left), [1, 1, 20]);
    });
    for (const store of [command, daemon]) await clock.during(store.close());
  });

  for (const hangs of ['written', 'write'] as const) {
    it(`(${hangs}) keeps its place behind what another process wrote before it`, async () => {
      const its = await world();
      const { clock, gate, daemon, command } = its;
      const hanging = latch();
      let isFirst = true;
      gate.pass = async (operation) => {
        if (operation === 'write' && isFirst) {
          isFirst = false;
          await command.write([['note', 'by a command']]);
        }
        if (operation === hangs) await hanging.isOpen;
      };
      await assert.rejects(clock.during(daemon.write([['note', 'given up']]), 500), {
        code: 'store_failing',
      });
      hanging.open();
      await endsAlike(its);
    });
  }

  for (const isLocal of [true, false]) {
    it(`(a read behind it, ${isLocal ? 'local' : 'of a server'}) leaves memory and files in the same order`, async () => {
      const its = await world({ isLocal });
      const { clock, gate, daemon, command } = its;
      const hanging = latch();
      let hasWritten = false;
      gate.pass = async (operation) => {
        // What another process wrote makes the daemon read.
        if (operation === 'write' && !hasWritten) {
          hasWritten = true;
          await command.write([['note', 'by a command']]);
        }
        if (operation === 'read' && hasWritten) await hanging.isOpen;
      };
      const first = daemon.write([['note', 'given up']]);
      const second = daemon.write([['note', 'its own']], inMemory);
      await assert.rejects(clock.during(first, 500), { code: 'store_failing' });
      await clock.during(second);
      hanging.open();
      await endsAlike(its);
    });
  }

  it('that fails late, with nothing in the log, does not happen later', async () => {
    const { clock, gate, daemon, command, later } = await world();
    const hanging = latch();
    let isFirst = true;
    gate.pass = async (operation, path) => {
      if (operation !== 'write' || !isFirst) return;
      isFirst = false;
      await hanging.isOpen;
      throw fault('ENOSPC', path);
    };
    await assert.rejects(clock.during(daemon.write([['note', 'refused']]), 500), { code: 'store_failing' });
    hanging.open();
    await later();
    assert.deepEqual(contentsOf(daemon), []);
    for (const store of [command, daemon]) await clock.during(store.close());
  });
});

describe('a log that may have lost bytes', () => {
  for (const [operation, code] of [
    ['sync', 'EIO'],
    ['write', 'ENOSPC'],
  ] as const) {
    it(`(${code}) is not left with a seal that was cut short, while a command goes on in it`, async () => {
      const { disk, clock, daemon, command, later, reader } = await world();
      await daemon.write([['note', 'first']]);
      await command.write([['note', 'by a command']]);
      await daemon.refresh();
      let isFailing = false;
      // Of a full disk, what it still takes comes first.
      disk.takes = (length) => {
        if (code === 'EIO' || isFailing) return length;
        isFailing = true;
        return 10;
      };
      let faults = 1;
      disk.before = (done, path) => {
        if (done !== operation || faults === 0 || (code === 'ENOSPC' && !isFailing)) return;
        faults -= 1;
        throw fault(code, path);
      };
      await assert.rejects(clock.during(daemon.write([['note', 'refused']])));
      let seals = 1;
      disk.takes = (length, path) => {
        if (length !== 32 || seals === 0 || !path.includes('-log.')) return length;
        seals -= 1;
        return 20;
      };
      await later();
      assert.equal(daemon.health().isDurable, true);
      // The failure of a sync is reported to each process that has the file open.
      if (code === 'EIO')
        await clock.during(command.write([['note', 'refused, too']]).catch(() => undefined));
      await clock.during(command.write([['note', 'acknowledged']]));
      await later();
      assert.ok(contentsOf(daemon).includes('acknowledged'), contentsOf(daemon).join());
      for (let checkpoint = 0; checkpoint < 2; checkpoint += 1) await clock.during(daemon.checkpoint());
      const left = await reader();
      assert.ok(contentsOf(left).includes('acknowledged'), contentsOf(left).join());
      for (const store of [left, command, daemon]) await clock.during(store.close());
    });
  }

  it('is not one that a full disk took a part of a write of', async () => {
    const { disk, clock, daemon, command, later, logs } = await world();
    await daemon.write([['note', 'first']]);
    let space = 10;
    disk.before = (operation, path) => {
      if (space === 0 && /^(write|open create)/.test(operation)) throw fault('ENOSPC', path);
    };
    disk.takes = (length) => {
      const taken = Math.min(length, space);
      space -= taken;
      return taken;
    };
    await assert.rejects(daemon.write([['note', 'refused']]), { code: 'store_full' });
    const before = logs();
    space = Infinity;
    await later();
    await daemon.write([['note', 'last']]);
    assert.deepEqual([logs(), contentsOf(daemon)], [before, ['first', 'last']]);
    for (const store of [command, daemon]) await clock.during(store.close());
  });

  for (const isLocal of [true, false]) {
    it(`and the one after it (${isLocal ? 'local' : 'of a server'}) do not hide the one that goes on`, async () => {
      const { disk, clock, daemon, command, afterPowerLoss } = await world({ isLocal });
      await daemon.write([['note', 'first']]);
      let faults = 4;
      let isRecovered = false;
      disk.before = (operation, path) => {
        if (operation !== 'sync') return;
        if (/-log\.\d+$/.test(path) && faults > 0) {
          faults -= 1;
          throw fault('EIO', path);
        }
        // The power goes before there is a snapshot.
        if (path.includes('-tmp.') && isRecovered) throw fault('EIO', path);
      };
      await assert.rejects(daemon.write([['note', 'refused']]));
      const recovery = async () => {
        while (!daemon.health().isDurable) await turns(1);
        isRecovered = true;
      };
      await clock.during(recovery(), 500);
      await daemon.write([['note', 'acknowledged']]);
      await afterPowerLoss((left) => {
        assert.ok(contentsOf(left).includes('acknowledged'), contentsOf(left).join());
      });
      disk.before = () => undefined;
      for (const store of [command, daemon]) await clock.during(store.close());
    });
  }
});
