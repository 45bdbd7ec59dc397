import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createLink } from '../../../src/db/shared/link.ts';
import type { NodeStore } from '../../../src/db/shared/node-store.ts';
import { readOldHours } from '../../../src/db/store/history.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { countedSecs } from '../../../src/engine/monitoring/counted-time.ts';
import { HistoryMover } from '../../../src/engine/monitoring/history-mover.ts';
import { load } from '../../support/config.ts';
import { until } from '../../support/daemon.ts';
import { openTestNode } from '../../support/nodes.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';

const hourMs = 3_600_000;
const days = 12;
const retention = retentionOf(365, new Map());

describe('the mover of history', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let stores: NodeStore[] = [];
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.database();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
  });

  const node = async (id: string): Promise<NodeStore> => {
    const store = await openTestNode(id, { url, schema, leaseMs: 60_000 });
    stores.push(store);
    return store;
  };
  const query = async (text: string) => {
    const link = createLink(url, realClock);
    try {
      return await link.run({ text }, 60_000);
    } finally {
      await link.close();
    }
  };
  const nowAt = realClock.now();
  const lastHour = Math.floor(nowAt / hourMs) - 2;
  const fill = async (store: NodeStore) => {
    const kept = ['web', 'api'].flatMap((monitor) =>
      Array.from({ length: days * 24 }, (_, index) =>
        samples.add({
          monitor,
          at: (lastHour - days * 24 + 1 + index) * hourMs + 60_000,
          status: index % 9 === 0 ? 'down' : 'up',
          latencyMs: index,
          holdSecs: 4000,
          isHeartbeat: false,
          category: null,
          message: null,
        }),
      ),
    );
    await store.write(kept);
    await store.write(['web', 'api'].map((monitor) => packHours({ monitor, hour: lastHour })));
  };
  const moverOf = async (store: NodeStore, more = '') => {
    const { config } = await load(
      `[storage]\nurl = "postgres://db/s"\n${more}\n[[monitors]]\nid = "web"\ntarget = "https://example.com"\n`,
    );
    return new HistoryMover({
      store,
      clock: realClock,
      config: () => config,
      signal: new AbortController().signal,
    });
  };
  const span = { fromAt: nowAt - (days * 24 + 3) * hourMs, toAt: nowAt };
  const readAll = async (store: NodeStore) =>
    samples.list(store.sql, 'web', { ...span, older: await readOldHours(store, 'web', span) });
  const hoursIn = (sql: SqlReader) =>
    sql.get('SELECT count(*) AS n FROM packed_hours', [], (row) => row.number('n'));

  it('moves what is older than history_hours, and every node reads it back', async () => {
    const first = await node('a');
    const second = await node('b');
    await first.leads;
    await fill(first);
    const all = await readAll(first);
    assert.equal(all.length, days * 24);
    const mover = await moverOf(first);
    while (await mover.tidy(nowAt, retention));
    assert.equal(hoursIn(first.sql), 2 * 47);
    assert.deepEqual(await readAll(first), all);
    await until(
      () => hoursIn(second.sql) === 2 * 47,
      () => 'the standby has not followed',
    );
    assert.deepEqual(await readAll(second), all);
    assert.equal(second.archive.keeper === null, false);
    await assert.rejects((await moverOf(second, 'history_hours = 26')).tidy(nowAt, retention), {
      code: 'store_in_use',
    });
    // What a new node reads: the snapshot without them, and the table.
    await first.checkpoint();
    assert.deepEqual(await readAll(await node('c')), all);
  });

  it('takes nothing out of memory when it no longer leads, and the next leader goes on', async () => {
    const first = await node('a');
    await first.leads;
    await fill(first);
    const all = await readAll(first);
    const mover = await moverOf(first);
    // Deposed between the row and the record: the row is there, the record is refused.
    const keeper = first.archive.keeper;
    assert.ok(keeper !== null);
    const store = {
      ...first,
      archive: {
        read: first.archive.read.bind(first.archive),
        keeper: {
          ...keeper,
          put: async (...asked: Parameters<typeof keeper.put>) => {
            await keeper.put(...asked);
            await query(
              "UPDATE statusd.place SET epoch = epoch + 1, holder = NULL, until = now() - interval '1 s'",
            );
          },
        },
      },
    };
    await assert.rejects((await moverOf(store)).tidy(nowAt, retention), { code: 'store_in_use' });
    await assert.rejects(mover.tidy(nowAt, retention), { code: 'store_in_use' });
    assert.equal((await query('SELECT count(*) AS n FROM statusd.history'))[0]?.['n'] === '0', false);
    const next = await node('b');
    await until(
      () => next.standing().role === 'leader',
      () => 'it does not lead',
    );
    assert.deepEqual(await readAll(next), all);
    const again = await moverOf(next);
    while (await again.tidy(nowAt, retention));
    assert.equal(hoursIn(next.sql), 2 * 47);
    assert.deepEqual(await readAll(next), all);
  });

  it('deletes rows as samples age, and those of a monitor that is forgotten', async () => {
    const store = await node('a');
    await store.leads;
    await fill(store);
    const mover = await moverOf(store);
    while (await mover.tidy(nowAt, retention));
    const rowsOf = async () =>
      Object.fromEntries(
        (await query('SELECT monitor, min(hour) AS first FROM statusd.history GROUP BY monitor')).map(
          (row) => [String(row['monitor']), Number(row['first'])],
        ),
      );
    const was = await rowsOf();
    assert.equal(was['1'], lastHour - days * 24 + 1);
    const shorter = retentionOf(365, new Map([['web', 5]]));
    await (await moverOf(store)).tidy(nowAt, shorter);
    const today = Math.floor(nowAt / hourMs / 24) * 24;
    assert.deepEqual(await rowsOf(), { 1: today - 5 * 24, 2: was['2'] });
    await mover.forget(1);
    assert.deepEqual(await rowsOf(), { 2: was['2'] });
  });

  it('leaves the hours in which maintenance begins or ends', async () => {
    const store = await node('a');
    await store.leads;
    await fill(store);
    const startAt = (lastHour - 150) * hourMs + 900_000;
    const window = (at: number) => new Date(at).toISOString();
    const mover = await moverOf(
      store,
      `[[maintenance]]\ntitle = "deploy"\nstart = ${window(startAt)}\nend = ${window(startAt + 2 * hourMs)}\n`,
    );
    while (await mover.tidy(nowAt, retention));
    const left = store.sql.all(
      'SELECT slot FROM packed_hours WHERE slot % 1048576 = 1 ORDER BY slot',
      [],
      (row) => Math.floor(row.number('slot') / 1_048_576),
    );
    assert.deepEqual(
      left.slice(0, 4).map((hour) => hour - lastHour),
      [-151, -150, -149, -148],
    );
    assert.equal(left.length, 47 + 4);
  });

  it('keeps what maintenance took of a day when it deletes the samples of those hours', async () => {
    const store = await node('a');
    await store.leads;
    await fill(store);
    // The check of this hour failed, and no outage says so.
    const startAt = (lastHour - 152) * hourMs + 900_000;
    const { config } = await load(
      `[storage]\nurl = "postgres://db/s"\n[[maintenance]]\ntitle = "deploy"\nstart = ${new Date(startAt).toISOString()}\nend = ${new Date(startAt + 2 * hourMs).toISOString()}\n[[monitors]]\nid = "web"\ntarget = "https://example.com"\n`,
    );
    const signal = new AbortController().signal;
    const mover = new HistoryMover({ store, clock: realClock, config: () => config, signal });
    const dayAt = Math.floor(startAt / hourMs / 24) * 24 * hourMs;
    const counted = () =>
      countedSecs(store.sql, config, {
        monitor: 'web',
        fromAt: dayAt - 24 * hourMs,
        toAt: dayAt + 48 * hourMs,
        nowAt,
      });
    const before = counted();
    while (await mover.tidy(nowAt, retention));
    assert.deepEqual(counted(), before);
    while (await mover.tidy(nowAt + 100 * 24 * hourMs, retention));
    assert.equal(hoursIn(store.sql), 2, 'only the hours of the latest samples are left');
    assert.deepEqual(counted(), before);
  });
});
