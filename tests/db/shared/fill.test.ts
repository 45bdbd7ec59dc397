import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { fillWorld, type FillProgress } from '../../../src/db/shared/fill.ts';
import { openReplica, type Replica } from '../../../src/db/store/replica.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import {
  type LossyWay,
  lossyWay,
  type Postgres,
  skipWithoutPostgres,
  startPostgres,
} from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';

/** Its timers end five hundred times as early: a lease is renewed every 30 ms. */
const hastyClock = {
  ...realClock,
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms / 500);
    return () => {
      clearTimeout(timer);
    };
  },
};

describe('filling a shared database', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let way: LossyWay | null = null;
  let client: pg.Client;
  let replica: Replica;
  before(async () => {
    postgres = await startPostgres();
  });
  const leave = async () => {
    if (way === null) return;
    replica.sql.close();
    await client.end();
    await way.stop();
  };
  beforeEach(async () => {
    await leave();
    const url = await postgres.database();
    way = await lossyWay(url);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    replica = await openReplica(null, schema, randomUUID());
  });
  after(async () => {
    await leave();
    await postgres.stop();
  });
  const fill = (interrupt: AbortSignal, onProgress: (progress: FillProgress) => void) =>
    fillWorld(
      { url: way?.url ?? '', space: 'statusd', schema, clock: hastyClock },
      { replica, before: 0, keptHoursOf: () => [], interrupt, onProgress },
    );
  const place = async () => {
    const { rows } = await client.query<{ holder: string | null; until: Date; isFree: boolean }>(
      'SELECT holder, until, until < clock_timestamp() AS "isFree" FROM statusd.place',
    );
    return rows[0] ?? { holder: null, until: new Date(0), isFree: true };
  };

  it('holds the lease for as long as it takes, and gives it back', async () => {
    way?.delay(100);
    const ended = new AbortController();
    const filled = fill(AbortSignal.timeout(60_000), () => undefined).finally(() => {
      ended.abort();
    });
    const ends = new Set<number>();
    while (!ended.signal.aborted) {
      const { holder, until } = await place().catch(() => ({ holder: null, until: new Date(0) }));
      if (holder === 'migrate') ends.add(until.getTime());
      await realClock.sleep(20);
    }
    assert.ok((await filled) > 0);
    assert.ok(ends.size > 2, `${ends.size - 1} renewals`);
    const { holder, isFree } = await place();
    assert.deepEqual({ holder, isFree }, { holder: null, isFree: true });
  });

  it('ends between two steps when it is interrupted, and leaves nothing that looks complete', async () => {
    const interrupt = new AbortController();
    const reason = new Error('enough');
    const heard: FillProgress[] = [];
    const filled = fill(interrupt.signal, (progress) => {
      heard.push(progress);
      interrupt.abort(reason);
    });
    await assert.rejects(filled, (error: Error) => error.cause === reason || error === reason);
    assert.equal(heard.length, 1);
    assert.equal((await client.query('SELECT FROM statusd.snapshot')).rowCount, 0);
    assert.equal((await place()).isFree, true);
    assert.ok((await fill(AbortSignal.timeout(60_000), () => undefined)) > 0);
  });
});
