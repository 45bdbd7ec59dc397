import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { fixNumber } from '../../../src/db/tables/numbered.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { openFacts } from '../../support/facts.ts';

const t0 = 1_764_000_000_000;

describe('silences', () => {
  it('are kept side by side, each with an id that is never given again', async () => {
    const { sql, apply } = await openFacts();
    const silence = { untilAt: t0 + 1000, reason: 'deploy', createdAt: t0 };
    assert.deepEqual(
      apply(
        silences.add({ ...silence, monitors: ['api', 'web'] }),
        silences.add({ ...silence, monitors: null }),
      ),
      [1, 2],
    );
    assert.deepEqual(silences.active(sql, t0), [
      { id: 1, monitors: ['api', 'web'], ...silence },
      { id: 2, monitors: null, ...silence },
    ]);
    assert.deepEqual(silences.active(sql, t0 + 1000), []);
    assert.deepEqual(apply(silences.clear({ id: 2 }), silences.clear({ id: 2 })), [1, 0]);
    assert.deepEqual(apply(silences.add({ ...silence, monitors: [] })), [3]);
    assert.equal(silences.find(sql, 2), null);
    assert.deepEqual(apply(silences.clear({ id: null })), [2]);
    assert.deepEqual(silences.active(sql, 0), []);
  });
});

describe('announcements', () => {
  it('are listed newest first until they are over or cleared', async () => {
    const { sql, apply } = await openFacts();
    const banner = { title: 'Move', body: null, severity: 'warning' as const, createdAt: t0 };
    assert.deepEqual(
      apply(
        announcements.add({ ...banner, untilAt: null }),
        announcements.add({ ...banner, title: 'Soon over', untilAt: t0 + 10 }),
      ),
      [1, 2],
    );
    assert.deepEqual(
      announcements.active(sql, t0).map(({ id }) => id),
      [2, 1],
    );
    assert.deepEqual(announcements.active(sql, t0 + 10), [{ id: 1, ...banner, untilAt: null }]);
    assert.deepEqual(apply(announcements.clear({ id: 7 }), announcements.clear({ id: null })), [0, 2]);
    assert.equal(announcements.find(sql, 1), null);
  });
});

describe('a number that is written down', () => {
  const silence = { monitors: null, untilAt: t0 + 1000, reason: null, createdAt: t0 };
  const add = (id: number, uid: string) => silences.add({ ...silence, id, uid });

  it('is kept when a record before it is lost, and its clear means the same row', async () => {
    const whole = await openFacts();
    const damaged = await openFacts();
    const records = [add(1, 'one'), add(2, 'two'), add(3, 'three')];
    whole.apply(...records);
    records.push(silences.clear({ id: 3, sql: whole.sql }));
    whole.apply(...records.slice(3));
    damaged.apply(...records.slice(1));
    const ids = ({ sql }: typeof whole) => silences.active(sql, t0).map(({ id }) => id);
    assert.deepEqual(ids(whole), [1, 2]);
    assert.deepEqual(ids(damaged), [2]);
    assert.deepEqual(silences.identity(damaged.sql, 'next'), silences.identity(whole.sql, 'next'));
  });

  it('that two processes chose at once goes to the first; each clear still means its own', async () => {
    const whole = await openFacts();
    assert.deepEqual(whole.apply(add(1, 'one'), add(1, 'other')), [1, 2]);
    const clear = silences.clear({ id: 2, sql: whole.sql });
    assert.deepEqual(whole.apply(clear), [1]);
    const damaged = await openFacts();
    assert.deepEqual(damaged.apply(add(1, 'other'), clear), [1, 1]);
    assert.deepEqual(silences.active(damaged.sql, t0), []);
  });

  it('is the one that was answered, also when it is not the one that was asked for', async () => {
    const world = await openFacts();
    const records: Operation[] = [];
    const write = (operations: readonly Operation[]) => {
      records.push(...operations);
      return Promise.resolve(world.apply(...operations));
    };
    const first = await silences.create(silence, { write, identity: { id: 1, uid: 'one' } });
    const second = await silences.create(silence, { write, identity: { id: 1, uid: 'two' } });
    const third = await silences.create(silence, { write, identity: { id: 3, uid: 'three' } });
    assert.deepEqual([first, second, third, records.length], [1, 2, 3, 4]);
    const ids = (sql: SqlReader) => silences.active(sql, t0).map(({ id }) => id);
    for (const [lost, left] of [
      [0, [2, 3]],
      [1, [1, 3]],
      [2, [1, 2, 3]],
      [3, [1, 2]],
    ] as const) {
      const damaged = await openFacts();
      damaged.apply(...records.filter((_, index) => index !== lost));
      assert.deepEqual(ids(damaged.sql), left, `without record ${lost}`);
      assert.ok(silences.identity(damaged.sql, 'next').id > Math.max(...left));
    }
    // A number that somebody has is not taken away.
    assert.deepEqual(world.apply(fixNumber({ table: 'silences', uid: 'three', id: 1 })), [false]);
    assert.deepEqual(ids(world.sql), [1, 2, 3]);
  });

  it('is given once, also when the same record comes twice or an old one has none', async () => {
    const { apply, sql } = await openFacts();
    assert.deepEqual(apply(add(7, 'seven'), add(7, 'seven'), silences.add(silence)), [7, 7, 8]);
    assert.deepEqual(apply(silences.clear({ id: 8, sql }), add(8, 'eight')), [1, 9]);
    const banner = { title: 'Move', body: null, severity: 'info', untilAt: null, createdAt: t0 } as const;
    assert.deepEqual(
      apply(
        announcements.add({ ...banner, id: 4, uid: 'four' }),
        announcements.add({ ...banner, id: 4, uid: 'also-four' }),
      ),
      [4, 5],
    );
    assert.deepEqual(apply(announcements.clear({ id: 5, sql })), [1]);
    assert.deepEqual(
      announcements.active(sql, t0).map(({ id }) => id),
      [4],
    );
  });
});
