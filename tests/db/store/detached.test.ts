import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import type { Processes } from '../../../src/db/store/lock/processes.ts';
import { type Role, type Store } from '../../../src/db/store/store.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { fault, ModelDisk } from '../../support/model-disk.ts';
import { watchDatabases } from '../../support/open-databases.ts';
import { randomOf } from '../../support/random.ts';
import { counter, notes, sampleCount, tinySchema } from '../../support/tiny-schema.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const file = '/disk/statusd.db';
const inMemory = { mustBeDurable: false } as const;

const refusals = {
  ENOSPC: { refuses: /^(open create|write|link|rename)/, code: 'store_full', says: /the disk is full/ },
  EROFS: {
    refuses: /^(open create|open append|write|link|rename|remove)/,
    code: 'store_failing',
    says: /the file system is read-only/,
  },
} as const;

/** A disk that refuses with `code` while it is told to, with the processes that use it. */
function place(code: keyof typeof refusals) {
  const disk = new ModelDisk();
  const clock = new VirtualClock();
  const state = { isRefusing: false, refuses: refusals[code].refuses };
  disk.before = (operation, path) => {
    if (state.isRefusing && state.refuses.test(operation)) throw fault(code, path);
  };
  const files = disk.files();
  const living = new Set<number>();
  const open = (role: Role, { pid = 1, version = 1 } = {}): Promise<Store> => {
    const schema = tinySchema(version);
    const common = { file, schema, files, clock };
    if (role !== 'daemon') return clock.during(openStore({ ...common, role }));
    const processes: Processes = {
      self: () => Promise.resolve({ pid, boot: 'b', namespace: 'n', started: '1' }),
      liveness: (identity) => Promise.resolve(living.has(identity.pid) ? 'alive' : 'dead'),
    };
    living.add(pid);
    const build = (job: Parameters<typeof buildSnapshot>[0]) => buildSnapshot(job, files, schema);
    return clock.during(openStore({ ...common, role, processes, build }));
  };
  const later = () =>
    clock.during(
      (async () => {
        for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      })(),
      500,
    );
  const afterPowerLoss = () => {
    const left = disk.crash(disk.events.length, randomOf(1));
    return clock.during(
      openStore({ file, schema: tinySchema(), files: left.files(), clock, role: 'reader' }),
    );
  };
  return { disk, clock, state, open, later, afterPowerLoss, living };
}

const contents = (store: Pick<Store, 'sql'>) => notes(store.sql).map(({ content }) => content);

for (const code of ['ENOSPC', 'EROFS'] as const) {
  const { says, code: errorCode } = refusals[code];

  describe(`a daemon that starts on a disk that refuses with ${code}`, () => {
    it('continues from what is stored, and writes everything when the disk accepts it', async () => {
      const leftOpen = await watchDatabases();
      const { disk, clock, state, open, later, afterPowerLoss, living } = place(code);
      const killed = await open('daemon', { pid: 7 });
      await killed.write([['note', 'before']]);
      living.delete(7);
      state.isRefusing = true;
      const daemon = await open('daemon');
      assert.deepEqual(contents(daemon), ['before']);
      const { isDurable, reason, since } = daemon.health();
      assert.deepEqual([isDurable, typeof since], [false, 'number']);
      assert.match(reason ?? '', says);
      await assert.rejects(daemon.write([['note', 'refused']]), { code: errorCode });
      assert.deepEqual(await daemon.write([['count', 'own', 2]], inMemory), [2]);
      daemon.record([['sample', 1, 1]]);
      await assert.rejects(daemon.checkpoint(), { code: errorCode });
      await later();
      assert.equal(daemon.health().isDurable, false);

      state.isRefusing = false;
      await later();
      assert.deepEqual(daemon.health(), { isDurable: true, reason: null, since: null });
      assert.deepEqual(await daemon.write([['note', 'after']]), [2]);
      const left = await afterPowerLoss();
      assert.deepEqual(contents(left), ['before', 'after']);
      assert.deepEqual([counter(left.sql, 'own'), sampleCount(left.sql)], [2, 1]);
      await left.close();
      await assert.rejects(open('daemon', { pid: 8 }), { code: 'store_in_use' });
      await clock.during(daemon.close());
      await clock.during(killed.close());
      assert.equal(disk.handles, 0, 'files are left open');
      assert.equal(leftOpen(), 0, 'databases are left open in memory');
    });

    it('makes the database later when there is none', async () => {
      const { disk, clock, state, open, later, afterPowerLoss } = place(code);
      state.isRefusing = true;
      const daemon = await open('daemon');
      assert.match(daemon.warnings()[0]?.message ?? '', /there is no database yet/);
      assert.deepEqual(await daemon.write([['note', 'first']], inMemory), [1]);
      await assert.rejects(daemon.write([['note', 'refused']]), { code: errorCode });
      await later();
      assert.deepEqual(
        [...disk.contents().keys()].filter((name) => !name.includes('-tmp.')),
        [],
      );
      state.isRefusing = false;
      await later();
      assert.equal(daemon.health().isDurable, true);
      assert.deepEqual(await daemon.write([['note', 'second']]), [2]);
      await clock.during(daemon.checkpoint());
      const left = await afterPowerLoss();
      assert.deepEqual(contents(left), ['first', 'second']);
      await left.close();
      await clock.during(daemon.close());
    });

    it('brings the database of an earlier version to its own when the disk takes it', async () => {
      const { clock, state, open, later, living } = place(code);
      const old = await open('daemon', { pid: 7 });
      await old.write([['note', 'old']]);
      living.delete(7);
      state.isRefusing = true;
      const daemon = await open('daemon', { version: 2 });
      await daemon.write([['note', 'new']], inMemory);
      state.isRefusing = false;
      await later();
      assert.equal(daemon.health().isDurable, true);
      await daemon.write([['note', 'newer']]);
      await clock.during(daemon.close());
      const again = await open('daemon', { version: 2, pid: 3 });
      assert.deepEqual(contents(again), ['old', 'new', 'newer']);
      await clock.during(again.close());
      await clock.during(old.close());
    });

    it('ends when another one has the database by then, and has changed nothing', async () => {
      const { clock, state, open, later, living } = place(code);
      const first = await open('daemon', { pid: 7 });
      await first.write([['note', 'first']]);
      living.delete(7);
      state.isRefusing = true;
      const detached = await open('daemon', { pid: 1 });
      const other = await open('daemon', { pid: 2 });
      for (const [daemon, name] of [
        [detached, 'detached'],
        [other, 'other'],
      ] as const)
        await daemon.write([['note', `by ${name}`]], inMemory);
      state.isRefusing = false;
      const lost = await clock.during(
        Promise.race([
          detached.lost.then((error) => ({ error, loser: detached, winner: other, name: 'other' })),
          other.lost.then((error) => ({ error, loser: other, winner: detached, name: 'detached' })),
        ]),
        500,
      );
      assert.equal(lost.error.code, 'store_in_use');
      await later();
      assert.equal(lost.winner.health().isDurable, true);
      assert.equal(lost.loser.health().isDurable, false);
      assert.deepEqual(contents(lost.winner), ['first', `by ${lost.name}`]);
      await assert.rejects(lost.loser.write([['note', 'too late']], inMemory), { code: 'store_in_use' });
      for (const daemon of [detached, other, first]) await clock.during(daemon.close());
      const again = await open('daemon', { pid: 4 });
      assert.deepEqual(contents(again), ['first', `by ${lost.name}`]);
      await clock.during(again.close());
    });

    it('does not start when another one has the database, or it is damaged', async () => {
      const { disk, clock, state, open } = place(code);
      const first = await open('daemon', { pid: 7 });
      await clock.during(first.checkpoint());
      state.isRefusing = true;
      await assert.rejects(open('daemon'), { code: 'store_in_use' });
      state.isRefusing = false;
      await clock.during(first.close());
      for (const name of [...disk.contents().keys()]) if (name !== file) disk.take(name);
      disk.put(file, Buffer.from('no database at all'));
      state.isRefusing = true;
      await assert.rejects(open('daemon'), { code: 'store_unusable' });
    });
  });
}

describe('a daemon that starts on a disk with room for a small record only', () => {
  it('sees what commands write, and writes the rest behind it when there is space', async () => {
    const { clock, state, open, later, living } = place('ENOSPC');
    const first = await open('daemon', { pid: 7 });
    living.delete(7);
    state.isRefusing = true;
    const daemon = await open('daemon');
    await daemon.write([['count', 'own', 1]], inMemory);
    state.refuses = /^open create/;
    const command = await open('writer');
    assert.deepEqual(await clock.during(command.write([['note', 'from outside']])), [1]);
    await later();
    assert.equal(daemon.health().isDurable, false);
    assert.deepEqual(contents(daemon), ['from outside']);
    state.isRefusing = false;
    await later();
    assert.equal(daemon.health().isDurable, true);
    for (const store of [command, daemon, first]) await clock.during(store.close());
    const again = await open('daemon', { pid: 3 });
    assert.deepEqual([contents(again), counter(again.sql, 'own')], [['from outside'], 1]);
    await clock.during(again.close());
  });
});
