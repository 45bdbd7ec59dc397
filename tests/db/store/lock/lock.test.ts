import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { namesOf } from '../../../../src/db/store/files/names.ts';
import { acquireLock, type DatabaseLock } from '../../../../src/db/store/lock/lock.ts';
import type { ProcessIdentity, Processes } from '../../../../src/db/store/lock/processes.ts';
import { ModelDisk } from '../../../support/model-disk.ts';
import { randomOf } from '../../../support/random.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const names = namesOf('/disk/statusd.db');

/** A machine on which the processes in `alive` live; those of other boots cannot be seen. */
function machine() {
  const disk = new ModelDisk();
  const clock = new VirtualClock();
  const alive = new Set<number>();
  const processes = (pid: number, boot = 'here'): Processes => ({
    self: () => Promise.resolve({ pid, boot, namespace: 'n', started: String(pid) }),
    liveness: (identity: ProcessIdentity) =>
      Promise.resolve(identity.boot !== boot ? 'unknown' : alive.has(identity.pid) ? 'alive' : 'dead'),
  });
  const acquire = (pid: number, boot?: string): Promise<DatabaseLock> => {
    alive.add(pid);
    return clock.during(acquireLock({ files: disk.files(), names, clock, processes: processes(pid, boot) }));
  };
  const locks = () =>
    names.lockNumbers([...disk.contents().keys()].map((name) => name.slice('/disk/'.length)));
  return { disk, clock, alive, acquire, locks };
}

describe('acquireLock', () => {
  it('refuses a second daemon at once, naming the first', async () => {
    const { acquire } = machine();
    await acquire(41);
    await assert.rejects(acquire(42), {
      code: 'store_in_use',
      message:
        'the database /disk/statusd.db is in use by another statusd (pid 41, since 2026-01-01 00:00:00 UTC)',
    });
  });

  it('takes over from one that died, and from one that released it; one file is left', async () => {
    const { acquire, alive, locks } = machine();
    await acquire(41);
    alive.delete(41);
    const second = await acquire(42);
    assert.equal(await second.renew(), true);
    await second.release();
    await acquire(43);
    assert.deepEqual(locks(), [3]);
  });

  it('takes over from a process whose pid another one has now', async () => {
    const { acquire, alive, disk } = machine();
    await acquire(41);
    alive.delete(41);
    // The claim says when its process began; whoever has the pid now began later.
    assert.match(disk.contents().get(names.lock(1))?.toString() ?? '', /"started":"41"/);
    await acquire(42);
  });

  it('asks a holder that it cannot see, and lets it be when it answers', async () => {
    const { acquire, clock } = machine();
    const holder = await acquire(41, 'elsewhere');
    const tending = (async () => {
      for (let turn = 0; turn < 12; turn += 1) {
        await clock.sleep(250);
        await holder.renew();
      }
    })();
    await assert.rejects(acquire(42), { code: 'store_in_use' });
    await clock.during(tending);
  });

  it('takes over from a holder that it cannot see and that does not answer within a second', async () => {
    const { acquire, clock } = machine();
    const holder = await acquire(41, 'elsewhere');
    const startedAt = clock.monotonic();
    await acquire(42);
    const tookMs = clock.monotonic() - startedAt;
    assert.ok(tookMs >= 1000 && tookMs < 1500, `${tookMs} ms`);
    assert.equal(await holder.renew(), false);
  });

  it('takes over a claim that lost its contents with the power', async () => {
    const { acquire, disk } = machine();
    disk.put(names.lock(5), Buffer.alloc(100));
    await acquire(42);
    assert.equal(disk.contents().has(names.lock(5)), false);
  });

  it('survives the deletion of its file, unless another daemon came meanwhile', async () => {
    const { acquire, disk } = machine();
    const holder = await acquire(41);
    disk.take(names.lock(1));
    assert.equal(await holder.renew(), true);
    await assert.rejects(acquire(42), { code: 'store_in_use' });
    disk.take(names.lock(1));
    await acquire(43);
    disk.take(names.lock(1));
    disk.put(names.lock(2), Buffer.from('{}'));
    assert.equal(await holder.renew(), false);
  });

  it('lets exactly one of many in, however their steps mix, and would be caught letting in two', async () => {
    for (const isBlind of [false, true]) {
      let most = 0;
      for (let seed = 0; seed < 200; seed += 1) {
        const random = randomOf(seed);
        const { disk, alive, clock } = machine();
        disk.put(names.lock(3), Buffer.from('{"state":"released","token":"t","pid":1,"since":0}'));
        disk.before = async () => {
          for (let turns = random.below(20); turns > 0; turns -= 1) await Promise.resolve();
        };
        const attempts = Array.from({ length: 6 }, (_, index) => {
          const pid = 50 + index;
          alive.add(pid);
          const processes: Processes = {
            self: () => Promise.resolve({ pid, boot: 'here', namespace: 'n', started: String(pid) }),
            // Blind is the positive control: whoever holds the lock is taken for dead.
            liveness: ({ pid: other }) => Promise.resolve(!isBlind && alive.has(other) ? 'alive' : 'dead'),
          };
          return acquireLock({ files: disk.files(), names, clock, processes });
        });
        const results = await clock.during(Promise.allSettled(attempts));
        const held = results.filter(({ status }) => status === 'fulfilled').length;
        assert.ok(held >= 1);
        most = Math.max(most, held);
      }
      assert.equal(most > 1, isBlind);
    }
  });
});
