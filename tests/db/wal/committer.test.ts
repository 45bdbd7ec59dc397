import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildSnapshot, type BuildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import type { Processes } from '../../../src/db/store/lock/processes.ts';
import { type Store, type StoreHealth } from '../../../src/db/store/store.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { fault, ModelDisk } from '../../support/model-disk.ts';
import { randomOf } from '../../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../../support/tiny-schema.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const schema = tinySchema();
const processes: Processes = {
  self: () => Promise.resolve({ pid: 1, boot: 'b', namespace: 'n', started: '1' }),
  liveness: () => Promise.resolve('dead'),
};

/** A write that may wait for the disk. */
const inMemory = { mustBeDurable: false } as const;

/** A daemon on a disk that is full whenever the test says so. */
async function world({ isLocal = true } = {}) {
  const disk = new ModelDisk();
  disk.isLocal = isLocal;
  const clock = new VirtualClock();
  const state = { isFull: false, syncs: 0 };
  disk.before = (operation, path) => {
    if (operation === 'sync') state.syncs += 1;
    if (state.isFull && /^(write|open create)/.test(operation)) throw fault('ENOSPC', path);
  };
  const daemon = await clock.during(
    openStore({
      role: 'daemon',
      file,
      schema,
      files: disk.files(),
      clock,
      processes,
      build: (job) => buildSnapshot(job, disk.files(), schema),
    }),
  );
  const notified: StoreHealth[] = [];
  daemon.onHealth((health) => notified.push(health));
  const later = () => clock.during(turns(40), 500);
  return { disk, clock, state, daemon, notified, later };
}

async function turns(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await new Promise((resolve) => setImmediate(resolve));
}

function gate(): { readonly isOpen: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
}

async function readAfterPowerLoss(disk: ModelDisk, clock: VirtualClock): Promise<Store> {
  const left = disk.crash(disk.events.length, randomOf(1));
  return clock.during(openStore({ role: 'reader', file, schema, files: left.files(), clock }));
}

describe('a store on a full disk', () => {
  it('refuses durable writes, goes on in memory, reports it, and writes everything once there is space', async () => {
    const { disk, clock, state, daemon, notified, later } = await world();
    state.isFull = true;
    await assert.rejects(daemon.write([['note', 'promise']], { mustBeDurable: true }), {
      code: 'store_full',
      message: `cannot write ${file}-log.2: the disk is full`,
    });
    assert.deepEqual(daemon.health(), {
      isDurable: false,
      reason: `cannot write ${file}-log.2: the disk is full`,
      hint: 'Free some space on that disk.',
      since: clock.now(),
    });
    assert.deepEqual(await daemon.write([['count', 'own', 5]], inMemory), [5]);
    await assert.rejects(daemon.write([['refuse', 'as ever']], inMemory), /as ever/);
    daemon.record([['sample', 1, 1]]);
    assert.deepEqual([counter(daemon.sql, 'own'), sampleCount(daemon.sql), notes(daemon.sql)], [5, 1, []]);

    await later();
    assert.equal(
      notified.every(({ isDurable }) => !isDurable),
      true,
    );
    state.isFull = false;
    await later();
    assert.equal(notified.at(-1)?.isDurable, true);
    assert.deepEqual(daemon.health(), { isDurable: true, reason: null, since: null });
    const left = await readAfterPowerLoss(disk, clock);
    assert.deepEqual([counter(left.sql, 'own'), sampleCount(left.sql), notes(left.sql)], [5, 1, []]);
    assert.deepEqual(await daemon.write([['note', 'again']], { mustBeDurable: true }), [1]);
  });

  it('refuses the write that first meets it, and every later one that says nothing of durability', async () => {
    const { disk, clock, state, daemon, later } = await world();
    assert.deepEqual(await daemon.write([['note', 'before']]), [1]);
    state.isFull = true;
    const meeting = await Promise.allSettled([
      daemon.write([['note', 'meets it']]),
      daemon.write([['count', 'own', 1]], inMemory),
      daemon.write([['note', 'meets it too']]),
    ]);
    assert.deepEqual(
      meeting.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected'],
    );
    await assert.rejects(daemon.write([['note', 'later']]), { code: 'store_full' });
    const contents = (store: Pick<Store, 'sql'>) => notes(store.sql).map(({ content }) => content);
    assert.deepEqual(contents(daemon), ['before']);
    assert.deepEqual(contents(await readAfterPowerLoss(disk, clock)), ['before']);
    state.isFull = false;
    await later();
    assert.equal(daemon.health().isDurable, true);
    assert.deepEqual(contents(daemon), ['before'], 'what was refused happened after all');
    const left = await readAfterPowerLoss(disk, clock);
    assert.deepEqual([contents(left), counter(left.sql, 'own')], [['before'], 1]);
  });

  it('keeps the part of a batch that still found space, and refuses the rest', async () => {
    const { disk, clock, daemon, later } = await world();
    let space = 250;
    const ordinary = disk.before;
    disk.before = async (operation, path) => {
      if (space === 0 && /^(write|open create)/.test(operation)) throw fault('ENOSPC', path);
      await ordinary(operation, path);
    };
    disk.takes = (length) => {
      const taken = Math.min(length, space);
      space -= taken;
      return taken;
    };
    const asked = Array.from({ length: 8 }, (_, index) => `${index} `.padEnd(60, 'x'));
    const answers = await Promise.allSettled(asked.map((content) => daemon.write([['note', content]])));
    const kept = asked.filter((_, index) => answers[index]?.status === 'fulfilled');
    assert.ok(kept.length > 0 && kept.length < asked.length, `${kept.length} were kept`);
    const contents = (store: Pick<Store, 'sql'>) => notes(store.sql).map(({ content }) => content);
    assert.deepEqual(contents(daemon), kept);
    space = Infinity;
    await later();
    assert.deepEqual(contents(daemon), kept);
    assert.deepEqual(contents(await readAfterPowerLoss(disk, clock)), kept);
  });

  it('lets go of what it cannot hold, and still loses nothing when there is space again', async () => {
    const { disk, clock, state, daemon, later } = await world();
    state.isFull = true;
    for (let index = 0; index < 20; index += 1) {
      await daemon.write([['note', `${index} `.padEnd(1_000_000, 'x')]], inMemory);
      daemon.record([['sample', index, index]]);
    }
    assert.equal(notes(daemon.sql).length, 20);
    state.isFull = false;
    await later();
    const left = await readAfterPowerLoss(disk, clock);
    assert.equal(notes(left.sql).length, 20);
    assert.equal(sampleCount(left.sql), 20);
    await clock.during(daemon.close());
  });
});

/** Heartbeats: durable, and independent of each other. */
const together = { mustBeDurable: true, sharesRecord: true } as const;

describe('writes that share a record', () => {
  it('are one record and one sync for all that were asked for in a turn of the event loop', async () => {
    const { disk, clock, state, daemon } = await world();
    const before = state.syncs;
    const first = daemon.write([['sample', 1, 1]], together);
    for (let count = 0; count < 20; count += 1) await Promise.resolve();
    const rest = [2, 3].map((at) => daemon.write([['sample', at, 1]], together));
    assert.equal(sampleCount(daemon.sql), 0, 'what the disk may still refuse is not there yet');
    await Promise.all([first, ...rest]);
    assert.equal(sampleCount(daemon.sql), 3);
    assert.equal(state.syncs - before, 1);
    const left = await readAfterPowerLoss(disk, clock);
    assert.equal(sampleCount(left.sql), 3);
    await clock.during(daemon.close());
  });

  it('are refused together by a disk that is full, and do not happen later', async () => {
    const { disk, clock, state, daemon, later } = await world();
    state.isFull = true;
    const writes = [1, 2].map((at) => daemon.write([['sample', at, 1]], together));
    daemon.record([['sample', 3, 1]]);
    assert.equal(sampleCount(daemon.sql), 0, 'a sample waits behind them');
    for (const write of writes) await assert.rejects(write, { code: 'store_full' });
    await assert.rejects(daemon.write([['sample', 4, 1]], together), { code: 'store_full' });
    assert.equal(sampleCount(daemon.sql), 1, 'the sample that nobody waits for goes on in memory');
    state.isFull = false;
    await later();
    assert.equal(sampleCount(daemon.sql), 1);
    const left = await readAfterPowerLoss(disk, clock);
    assert.equal(sampleCount(left.sql), 1);
    await daemon.write([['sample', 5, 1]], together);
    assert.equal(sampleCount(daemon.sql), 2);
    await clock.during(daemon.close());
  });

  it('are kept without one of them that cannot be applied, which is in the warnings', async () => {
    const { clock, daemon } = await world();
    await Promise.all([
      daemon.write([['sample', 1, 1]], together),
      daemon.write([['refuse', 'as ever']], together),
    ]);
    assert.equal(sampleCount(daemon.sql), 1);
    assert.match(
      daemon
        .warnings()
        .map(({ message }) => message)
        .join(),
      /a heartbeat is not in .*: as ever/,
    );
    await clock.during(daemon.close());
  });

  it('are written in parts when there are very many, so that none holds up the event loop for long', async () => {
    const { clock, state, daemon } = await world();
    const before = state.syncs;
    const writes = Array.from({ length: 600 }, (_, at) => daemon.write([['sample', at, 1]], together));
    const counts: number[] = [];
    for (const write of [writes[0], writes[256], writes[599]]) {
      await write;
      counts.push(sampleCount(daemon.sql));
    }
    assert.deepEqual(counts, [256, 512, 600]);
    assert.equal(state.syncs - before, 3);
    await clock.during(daemon.close());
  });

  it('come into memory while the disk has the next of them, not while somebody waits for an answer', async () => {
    const { disk, clock, daemon } = await world();
    // What cannot be kept shows when it comes into memory, and a look at the warnings reads nothing.
    const writes = Array.from({ length: 256 }, (_, at) =>
      daemon.write([at === 9 ? ['refuse', 'as ever'] : ['sample', at, 1]], together),
    );
    await Promise.all(writes);
    assert.deepEqual(daemon.warnings(), []);
    const ordinary = disk.before;
    const seen: number[] = [];
    disk.before = async (operation, path) => {
      if (operation === 'sync') seen.push(daemon.warnings().length);
      await ordinary(operation, path);
    };
    await daemon.write([['sample', 256, 1]], together);
    assert.deepEqual(seen, [1]);
    await clock.during(daemon.close());
  });

  it('keep their place among other writes', async () => {
    const { clock, daemon } = await world();
    const seen: string[] = [];
    daemon.onChange(({ operations }) => seen.push(operations.map(([name]) => name).join(' ')));
    await Promise.all([
      daemon.write([['sample', 1, 1]], together),
      daemon.write([['note', 'between']]),
      daemon.write([['sample', 2, 1]], together),
      daemon.write([['sample', 3, 1]], together),
    ]);
    assert.deepEqual(seen, ['sample', 'note', 'sample sample']);
    await clock.during(daemon.close());
  });
});

describe('a store on a disk that hangs', () => {
  for (const hangs of ['write', 'sync']) {
    it(`(${hangs}) keeps writes that need not be durable from waiting, and doubles nothing when it comes back`, async () => {
      const { disk, clock, daemon, later } = await world();
      const hanging = gate();
      const ordinary = disk.before;
      disk.before = async (operation, path) => {
        if (operation === hangs) await hanging.isOpen;
        await ordinary(operation, path);
      };
      const promise = daemon.write([['note', 'promise']], { mustBeDurable: true });
      const own = daemon.write([['count', 'own', 1]], inMemory);
      daemon.record([['sample', 1, 1]]);
      await assert.rejects(clock.during(promise, 500), {
        code: 'store_failing',
        message: `cannot write ${file}-log.2: the disk does not answer`,
      });
      assert.deepEqual(await own, [1]);
      assert.equal(daemon.health().isDurable, false);
      assert.deepEqual(await daemon.write([['count', 'own', 1]], inMemory), [2]);
      hanging.open();
      await later();
      assert.equal(daemon.health().isDurable, true);
      const left = await readAfterPowerLoss(disk, clock);
      assert.equal(counter(left.sql, 'own'), 2);
      assert.equal(sampleCount(left.sql), 1);
      assert.ok(notes(left.sql).length <= 1);
      assert.deepEqual(notes(left.sql), notes(daemon.sql));
      // What was given up and came back all the same holds up nobody: no time passes here.
      const moment = gate();
      disk.before = (operation) => (operation === 'sync' ? moment.isOpen : undefined);
      const first = daemon.write([['count', 'own', 1]]);
      await turns(1);
      const second = daemon.write([['count', 'own', 1]]);
      moment.open();
      assert.deepEqual(await Promise.all([first, second]), [[3], [4]]);
      await clock.during(daemon.close());
    });
  }

  for (const isLocal of [true, false]) {
    for (const hangs of ['write', 'sync']) {
      it(`(${hangs}, ${isLocal ? 'local' : 'of a server'}) has everything in the same order as memory when it comes back`, async () => {
        const { disk, clock, daemon, later } = await world({ isLocal });
        const hanging = gate();
        const ordinary = disk.before;
        disk.before = async (operation, path) => {
          if (operation === hangs) await hanging.isOpen;
          await ordinary(operation, path);
        };
        const first = daemon.write([['note', 'given up']], { mustBeDurable: true });
        const second = daemon.write([['note', 'its own']], inMemory);
        const third = clock.during(first, 500).catch(() => daemon.write([['note', 'afterwards']], inMemory));
        await assert.rejects(clock.during(first, 500), { code: 'store_failing' });
        await clock.during(Promise.all([second, third]));
        hanging.open();
        await later();
        assert.equal(daemon.health().isDurable, true);
        await daemon.write([['note', 'last']]);
        const left = await readAfterPowerLoss(disk, clock);
        assert.deepEqual(notes(left.sql), notes(daemon.sql));
        await clock.during(daemon.close());
      });
    }
  }

  it('is reported also when something else hangs before a write', async () => {
    const { disk, clock, daemon } = await world({ isLocal: false });
    const ordinary = disk.before;
    disk.before = async (operation, path) => {
      if (operation === 'read') await new Promise(() => undefined);
      await ordinary(operation, path);
    };
    await clock.during(turns(10));
    const promise = daemon.write([['note', 'promise']], { mustBeDurable: true });
    await assert.rejects(clock.during(promise, 500), { code: 'store_failing', message: /does not answer/ });
    assert.equal(daemon.health().isDurable, false);
    await daemon.close();
  });

  it('ends the wait of a command with an error', async () => {
    const { disk, clock } = await world();
    const files = disk.files();
    const writer = await clock.during(openStore({ role: 'writer', file, schema, files, clock }));
    disk.before = async (operation) => {
      if (operation === 'sync') await new Promise(() => undefined);
    };
    const promise = writer.write([['note', 'promise']]);
    await assert.rejects(clock.during(promise, 500), { code: 'store_failing', message: /does not answer/ });
    await writer.close();
  });
});

describe('a daemon that is closed', () => {
  it('leaves nothing to replay, also when a checkpoint was under way that began before the last write', async () => {
    const disk = new ModelDisk();
    const clock = new VirtualClock();
    const files = disk.files();
    const begun = gate();
    const released = gate();
    const build: BuildSnapshot = async (job) => {
      begun.open();
      await released.isOpen;
      return buildSnapshot(job, files, schema);
    };
    const options = { role: 'daemon', file, schema, files, clock, processes, build } as const;
    const daemon = await clock.during(openStore(options));
    await daemon.write([['note', 'before']]);
    const checkpoint = daemon.checkpoint();
    await begun.isOpen;
    await daemon.write([['note', 'after']]);
    const closing = daemon.close();
    released.open();
    await clock.during(Promise.all([checkpoint, closing]));
    const last = [...disk.contents()].filter(([name]) => name.includes('-log.')).at(-1);
    assert.equal(last?.[1].indexOf(Buffer.from([0xf5, 0x53, 0x44, 0x4c]), 1), -1, last?.[0]);
    const reader = await clock.during(openStore({ role: 'reader', file, schema, files, clock }));
    assert.equal(notes(reader.sql).length, 2);
    await reader.close();
  });
});

describe('writes at once', () => {
  it('share a sync', async () => {
    const { state, daemon } = await world();
    const before = state.syncs;
    await Promise.all(Array.from({ length: 16 }, (_, index) => daemon.write([['note', `${index}`]])));
    assert.equal(state.syncs - before, 1);
  });

  it('are in the order in which they were asked for, samples among them', async () => {
    const { daemon } = await world();
    const one = daemon.write([['note', 'one']]);
    daemon.record([['note', 'two']]);
    const three = daemon.write([['note', 'three']]);
    daemon.record([['note', 'four']]);
    assert.deepEqual(await Promise.all([one, three]), [[1], [3]]);
    await turns(5);
    assert.deepEqual(
      notes(daemon.sql).map(({ content }) => content),
      ['one', 'two', 'three', 'four'],
    );
  });
});

describe('samples', () => {
  it('are reported when they come, once each, and are there for every reader', async () => {
    const { daemon, later } = await world();
    const reported: unknown[] = [];
    const seen: number[] = [];
    daemon.onChange(({ operations }) => {
      reported.push(...operations);
      seen.push(sampleCount(daemon.sql));
    });
    const samples = Array.from({ length: 100 }, (_, index) => ['sample', index, index] as const);
    for (const sample of samples) daemon.record([sample]);
    await later();
    assert.deepEqual(reported, samples);
    assert.deepEqual(
      seen,
      samples.map((_, index) => index + 1),
    );
  });

  it('are all there but the one that cannot be kept, however many come together', async () => {
    const { disk, clock, daemon, later } = await world();
    for (let index = 0; index < 100; index += 1) {
      daemon.record([index === 50 ? ['refuse', 'a sample'] : ['sample', index, index]]);
    }
    assert.equal(sampleCount(daemon.sql), 99);
    await later();
    assert.equal(sampleCount(daemon.sql), 99);
    assert.equal(sampleCount((await readAfterPowerLoss(disk, clock)).sql), 99);
  });

  it('are in a snapshot made of memory once, at whatever moment they come', async () => {
    const disk = new ModelDisk();
    const clock = new VirtualClock();
    const daemon = await clock.during(
      openStore({
        role: 'daemon',
        file,
        schema,
        files: disk.files(),
        clock,
        processes,
        build: () => Promise.reject(new Error('no thread today')),
      }),
    );
    let count = 0;
    const recordForAWhile = async () => {
      for (let index = 0; index < 20; index += 1) {
        await Promise.resolve();
        if (count % 3 === 0) assert.equal(sampleCount(daemon.sql), count);
        daemon.record([['sample', count, count]]);
        count += 1;
      }
    };
    disk.before = () => void recordForAWhile();
    await clock.during(daemon.checkpoint());
    disk.before = () => undefined;
    await clock.during(turns(40), 500);
    assert.ok(count > 200);
    assert.equal(sampleCount((await readAfterPowerLoss(disk, clock)).sql), count);
  });
});

describe('a daemon that was stopped for long', () => {
  it('ends when another one has taken the database over, and changes nothing any more', async () => {
    const { disk, clock, daemon } = await world();
    await daemon.write([['note', 'first']]);
    const second = await clock.during(
      openStore({
        role: 'daemon',
        file,
        schema,
        files: disk.files(),
        clock,
        processes,
        build: (job) => buildSnapshot(job, disk.files(), schema),
      }),
    );
    const error = await clock.during(daemon.lost);
    assert.equal(error.code, 'store_in_use');
    assert.equal(daemon.health().isDurable, false);
    await assert.rejects(daemon.write([['note', 'too late']]), { code: 'store_in_use' });
    await assert.rejects(clock.during(daemon.checkpoint()));
    await clock.during(daemon.close());
    await second.write([['note', 'second']]);
    assert.deepEqual(
      notes(second.sql).map(({ content }) => content),
      ['first', 'second'],
    );
    await clock.during(second.close());
  });

  it('keeps its times when the wall clock jumps', async () => {
    const { clock, daemon, later } = await world();
    clock.step(-86_400_000);
    daemon.record([['sample', 1, 1]]);
    await daemon.write([['note', 'yesterday']]);
    clock.step(30 * 86_400_000);
    await later();
    assert.equal(daemon.health().isDurable, true);
    assert.deepEqual(daemon.warnings(), []);
    await clock.during(daemon.close());
  });
});

describe('checkpoints by themselves', () => {
  it('come when the log has grown, and after an hour', async () => {
    const { disk, daemon, clock, later } = await world();
    const logs = () => [...disk.contents().keys()].filter((name) => /-log\.\d+$/.test(name)).sort();
    assert.deepEqual(logs().at(-1), `${file}-log.2`);
    for (let index = 0; index < 5; index += 1) await daemon.write([['note', 'x'.repeat(1_000_000)]]);
    await later();
    assert.deepEqual(logs().at(-1), `${file}-log.3`);
    await daemon.write([['note', 'y']]);
    await later();
    assert.deepEqual(logs().at(-1), `${file}-log.3`);
    clock.advance(3_600_000);
    await later();
    assert.deepEqual(logs().at(-1), `${file}-log.4`);
    clock.advance(3_600_000);
    await later();
    assert.deepEqual(logs().at(-1), `${file}-log.4`, 'nothing was written since');
    await clock.during(daemon.close());
  });
});
