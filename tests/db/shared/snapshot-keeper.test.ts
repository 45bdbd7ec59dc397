/** When a leader has a snapshot made. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuildShared } from '../../../src/db/shared/build.ts';
import { SnapshotKeeper, type SnapshotKeeperOptions } from '../../../src/db/shared/snapshot-keeper.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const enough = 4 * 1024 * 1024;

/** A keeper at an instant of its own, with so many characters in the log. */
function keeperWith(build: BuildShared = () => Promise.resolve({ is: 'built' }), startMs = 0) {
  const at = { ms: startMs };
  const log = { appended: 0 };
  const committer = { isMemoryAhead: false };
  const warnings: string[] = [];
  const asked: Parameters<BuildShared>[0][] = [];
  const keeper = new SnapshotKeeper({
    url: 'postgres://db.example.com/',
    space: 'statusd',
    // The monotonic clock began 20 minutes past an hour.
    clock: { monotonic: () => at.ms, now: () => 1_000_000 * hourMs + 20 * minuteMs + at.ms },
    parts: { log, committer },
    build: (job: Parameters<BuildShared>[0]) => {
      asked.push(job);
      return build(job);
    },
    onWarning: (message: string) => warnings.push(message),
  } as unknown as SnapshotKeeperOptions);
  return { keeper, at, log, committer, warnings, asked };
}

describe('a snapshot of a shared database', () => {
  it('is due with 4 MiB of log, or after an hour with any', () => {
    const { keeper, at, log } = keeperWith();
    assert.equal(keeper.isDue, false);
    log.appended = enough - 1;
    assert.equal(keeper.isDue, false);
    log.appended = enough;
    assert.equal(keeper.isDue, true);
    log.appended = 1;
    at.ms += hourMs - 1;
    assert.equal(keeper.isDue, false);
    at.ms += 1;
    assert.equal(keeper.isDue, true);
    log.appended = 0;
    assert.equal(keeper.isDue, false);
  });

  it('is made when the samples of an hour are packed, a quarter of an hour after the last one at least', () => {
    for (const [startMs, dueMs] of [
      [10 * minuteMs, 60 * minuteMs],
      [44 * minuteMs, 60 * minuteMs],
      [46 * minuteMs, 120 * minuteMs],
    ] as const) {
      const { keeper, at, log } = keeperWith(undefined, startMs);
      log.appended = 1;
      at.ms = dueMs - 1;
      assert.equal(keeper.isDue, false);
      at.ms = dueMs;
      assert.equal(keeper.isDue, true);
    }
  });

  it('is due at once when memory holds changes that are in no log', () => {
    const { keeper, committer } = keeperWith();
    committer.isMemoryAhead = true;
    assert.equal(keeper.isDue, true);
  });

  it('has what was in the log when it was begun, and the next is due an hour later', async () => {
    const { keeper, at, log, asked } = keeperWith();
    log.appended = enough;
    at.ms += hourMs;
    await keeper.keep(7);
    assert.deepEqual(asked, [{ url: 'postgres://db.example.com/', space: 'statusd', epoch: 7 }]);
    assert.equal(keeper.isDue, false);
    log.appended += 1;
    assert.equal(keeper.isDue, false);
    log.appended += enough - 1;
    assert.equal(keeper.isDue, true);
    log.appended = enough + 1;
    at.ms += hourMs;
    assert.equal(keeper.isDue, true);
  });

  it('is made once at a time', async () => {
    const ends: ((result: { readonly is: 'built' }) => void)[] = [];
    const { keeper, log, asked } = keeperWith(() => new Promise((resolve) => ends.push(resolve)));
    log.appended = enough;
    const both = Promise.all([keeper.keep(1), keeper.keep(1)]);
    log.appended += enough;
    assert.equal(keeper.isDue, false);
    ends[0]?.({ is: 'built' });
    await both;
    assert.equal(asked.length, 1);
    // What came while it was made is not in it.
    assert.equal(keeper.isDue, true);
  });

  it('that fails is a warning, and is tried again after a minute', async () => {
    const results = ['another node leads', null];
    const { keeper, at, log, warnings } = keeperWith(() => {
      const why = results.shift() ?? null;
      return Promise.resolve(why === null ? { is: 'built' } : { is: 'different', why });
    });
    log.appended = enough;
    await assert.rejects(keeper.keep(1), /another node leads/);
    assert.deepEqual(warnings, ['no snapshot was made: another node leads']);
    at.ms += 59_999;
    assert.equal(keeper.isDue, false);
    at.ms += 1;
    assert.equal(keeper.isDue, true);
    await keeper.keep(1);
    assert.equal(keeper.isDue, false);
  });
});
