import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { buildShared } from '../../../src/db/shared/build.ts';
import { openSharedClient } from '../../../src/db/shared/client.ts';
import { isUnreachable } from '../../../src/db/shared/database.ts';
import { createLink } from '../../../src/db/shared/link.ts';
import type { NodeStore, NodeStoreOptions } from '../../../src/db/shared/node-store.ts';
import type { Store } from '../../../src/db/store/store.ts';
import { deferred } from '../../../src/engine/core/deferred.ts';
import { until } from '../../support/daemon.ts';
import { openTestNode } from '../../support/nodes.ts';
import {
  type LossyWay,
  lossyWay,
  type Postgres,
  skipWithoutPostgres,
  socketName,
  startPostgres,
} from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';
import { counter, notes as notesIn, tinySchema } from '../../support/tiny-schema.ts';

const leaseMs = 5000;
const schema = tinySchema();
const notes = (store: Store) => notesIn(store.sql).map(({ content }) => content);

describe('nodes that share a database', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let stores: Store[] = [];
  let ways: LossyWay[] = [];
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.database();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(ways.map((way) => way.stop()));
    stores = [];
    ways = [];
  });

  const node = async (id: string, more: Partial<NodeStoreOptions> = {}): Promise<NodeStore> => {
    const store = await openTestNode(id, { url, schema, leaseMs, ...more });
    stores.push(store);
    return store;
  };
  const client = async (role: 'reader' | 'writer'): Promise<Store> => {
    const store = await openSharedClient({ url, space: 'statusd', schema, clock: realClock, role });
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
  const way = async () => {
    const made = await lossyWay(url);
    ways.push(made);
    return made;
  };
  const reads = (store: Store, wanted: readonly string[]) =>
    until(
      () => JSON.stringify(notes(store)) === JSON.stringify(wanted),
      () => `the notes are ${notes(store).join(', ')}`,
    );

  it('lead one at a time, and the others read what it writes', async () => {
    const first = await node('a');
    const second = await node('b');
    await first.leads;
    assert.deepEqual(await first.write([['note', 'one']]), [1]);
    first.record([['count', 'beats', 1]]);
    await reads(second, ['one']);
    await until(
      () => counter(second.sql, 'beats') === 1,
      () => 'no sample came',
    );
    assert.equal(first.standing().role, 'leader');
    assert.deepEqual(second.standing().leader?.id, 'a');
    assert.equal(second.standing().role, 'standby');
    assert.throws(() => {
      second.record([['count', 'beats', 1]]);
    }, /is a standby/);
    await assert.rejects(second.write([['note', 'no']], { mustBeDurable: false }), /is a standby/);
  });

  it('make the tables together when they start at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      url = await postgres.database();
      const began = await Promise.all(['a', 'b', 'c', 'd'].map((id) => node(id)));
      await Promise.race(began.map(({ leads }) => leads));
      await began[0]?.write([['note', 'one']]);
      for (const each of began) await reads(each, ['one']);
    }
  });

  it('take what an operator writes on any of them, and beside them', async () => {
    const first = await node('a');
    const second = await node('b');
    await first.leads;
    assert.deepEqual(await second.write([['note', 'on b']]), [1]);
    assert.deepEqual(await (await client('writer')).write([['note', 'beside']]), [2]);
    await reads(first, ['on b', 'beside']);
    assert.deepEqual(notes(await client('reader')), ['on b', 'beside']);
  });

  it('are warned of another one of the same name', async () => {
    const warnings: string[] = [];
    const heard = { onWarning: (message: string) => warnings.push(message) };
    await node('a', heard);
    await node('b', heard);
    await realClock.sleep(leaseMs * 1.2);
    assert.deepEqual(warnings, []);
    await node('a', heard);
    await until(
      () => warnings.length > 0,
      () => 'nobody is warned',
    );
    assert.match(warnings.join(), /^another node is called a, too: /);
  });

  it('keep heartbeats without one that cannot be applied, which is warned of', async () => {
    const warnings: string[] = [];
    const first = await node('a', { onWarning: (message) => warnings.push(message) });
    await first.leads;
    const together = { mustBeDurable: true, sharesRecord: true };
    await Promise.all([
      first.write([['note', 'good']], together),
      first.write([['refuse', 'as ever']], together),
    ]);
    assert.deepEqual(notes(first), ['good']);
    assert.deepEqual(warnings, ['a heartbeat is not in the database: as ever']);
    assert.deepEqual(notes(await client('reader')), ['good']);
  });

  it('lead at once after a graceful end, with everything in memory', async () => {
    const first = await node('a');
    const second = await node('b');
    await first.leads;
    await first.write([['note', 'one']]);
    first.record([['count', 'beats', 1]]);
    stores = stores.filter((store) => store !== first);
    await first.close();
    await second.leads;
    assert.deepEqual(notes(second), ['one']);
    assert.equal(counter(second.sql, 'beats'), 1);
    await second.write([['note', 'two']]);
    assert.deepEqual(notes(second), ['one', 'two']);
  });

  it('take no lease while they cannot read the log, and lead as soon as they can', async () => {
    const first = await node('a');
    await first.leads;
    await first.write([['note', 'one']]);
    const second = await node('b');
    await reads(second, ['one']);
    await query('ALTER TABLE statusd.log RENAME TO away');
    await until(
      () => !second.health().isDurable,
      () => 'it reads the log',
    );
    await query("UPDATE statusd.place SET epoch = epoch + 1, holder = NULL, until = now() - interval '1 s'");
    await first.lost;
    await realClock.sleep(leaseMs / 2);
    assert.deepEqual(await query('SELECT holder FROM statusd.place'), [{ holder: null }]);
    await query('ALTER TABLE statusd.away RENAME TO log');
    await second.leads;
    assert.deepEqual(await second.write([['note', 'two']]), [2]);
  });

  it('give the lease back when they cannot read the log before they lead', async () => {
    const first = await node('a');
    await first.leads;
    await query("UPDATE statusd.place SET epoch = epoch + 1, holder = 'z', until = now() + interval '1 h'");
    await first.lost;
    const second = await node('b');
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE statusd.log IN ACCESS EXCLUSIVE MODE');
    await query("UPDATE statusd.place SET holder = NULL, until = now() - interval '1 s'");
    const holder = async () => (await query('SELECT holder FROM statusd.place'))[0]?.['holder'];
    await until(
      async () => (await holder()) === 'b',
      () => 'it does not hold the lease',
    );
    await second.lost;
    assert.equal(await holder(), null);
    await locking.end();
    await (await node('c')).leads;
  });

  it('lose the lease for good when another took it, and write nothing more', async () => {
    const first = await node('a');
    await first.leads;
    await first.write([['note', 'one']]);
    // As after a stop of the process that outlasted the lease.
    await query(
      "UPDATE statusd.place SET epoch = epoch + 1, holder = 'z', until = now() + interval '1 hour'",
    );
    first.record([['count', 'beats', 1]]);
    await assert.rejects(first.write([['note', 'late']]), { code: 'store_in_use', message: 'z leads now' });
    assert.equal((await first.lost).message, 'z leads now');
    await assert.rejects(first.write([['note', 'later']]), { code: 'store_in_use' });
    // Whoever still runs on it may ask what is new, which makes nothing whole again.
    await first.refresh();
    assert.equal(first.health().isDurable, false);
    await assert.rejects(first.write([['note', 'at last']]), { code: 'store_in_use' });
    const [end] = await query('SELECT seq FROM statusd.place');
    assert.equal(Number(end?.['seq']), 1);
    assert.deepEqual(notes(await client('reader')), ['one']);
  });

  it('may send nothing once the lease is lost', async () => {
    const first = await node('a');
    await first.leads;
    const ended = new AbortController();
    await first.untilTrusted(ended.signal);
    await query(
      "UPDATE statusd.place SET epoch = epoch + 1, holder = 'z', until = now() + interval '1 hour'",
    );
    await first.lost;
    let isTrusted = false;
    const waiting = first.untilTrusted(ended.signal).then(() => {
      isTrusted = !ended.signal.aborted;
    });
    await realClock.sleep(1000);
    ended.abort();
    await waiting;
    assert.equal(isTrusted, false);
  });

  it('go on alone when no other node reaches the database, and step down when one does', async () => {
    for (const reach of [false, true]) {
      url = await postgres.database();
      const lossy = await way();
      const first = await node('a', { url: lossy.url, askOthers: () => Promise.resolve(reach) });
      await first.leads;
      await node('b');
      await until(
        async () => (await query('SELECT 1 FROM statusd.node')).length === 2,
        () => 'the nodes have not met',
      );
      // It learns of the other one with its next look.
      await realClock.sleep(leaseMs + 1000);
      await lossy.stop();
      ways = ways.filter((one) => one !== lossy);
      const ended = new AbortController();
      const outcome = await Promise.race([
        first.lost.then(() => 'lost'),
        until(
          () => !first.health().isDurable,
          () => 'it is well',
        ).then(async () => {
          await realClock.sleep(leaseMs);
          await first.untilTrusted(ended.signal);
          return 'sends';
        }),
      ]);
      ended.abort();
      assert.equal(outcome, reach ? 'lost' : 'sends');
    }
  });

  it('may send nothing after their machine slept, although no other node reached the database before', async () => {
    let sleptMs = 0;
    let answers: Promise<boolean> = Promise.resolve(false);
    const lossy = await way();
    const first = await node('a', {
      url: lossy.url,
      clock: { ...realClock, uptime: () => realClock.monotonic() + sleptMs },
      askOthers: () => answers,
    });
    await first.leads;
    await lossy.stop();
    ways = [];
    const ended = new AbortController();
    const { signal } = ended;
    await until(
      () => !first.health().isDurable,
      () => 'it is well',
    );
    await realClock.sleep(leaseMs);
    await first.untilTrusted(signal);
    const { promise, resolve } = deferred<boolean>();
    answers = promise;
    sleptMs = 3_600_000;
    const outcome = await Promise.race([
      first.untilTrusted(signal).then(() => 'sends'),
      realClock.sleep(leaseMs / 2).then(() => 'waits'),
    ]);
    ended.abort();
    resolve(false);
    assert.equal(outcome, 'waits');
  });

  it('are brought up to date by a snapshot when the log is cut off behind them', async () => {
    const first = await node('a');
    await first.leads;
    for (const name of ['one', 'two', 'three']) {
      await first.write([['note', name]]);
      await first.checkpoint();
    }
    assert.deepEqual(await query('SELECT count(*)::int AS n FROM statusd.log'), [{ n: 1 }]);
    await first.write([['note', 'four']]);
    assert.deepEqual(notes(await node('b')), ['one', 'two', 'three', 'four']);
    assert.deepEqual(notes(await client('reader')), ['one', 'two', 'three', 'four']);
  });

  it('get what was too much to wait for the database from the next snapshot, without a restart', async () => {
    const first = await node('a');
    await first.leads;
    const second = await node('b');
    const beside = await client('reader');
    await first.write([['note', 'one']]);
    await reads(second, ['one']);
    await query('ALTER TABLE statusd.log RENAME TO gone');
    first.record([['count', 'early', 1]]);
    await until(
      () => !first.health().isDurable,
      () => 'it is well',
    );
    for (let index = 0; index < 20; index += 1) first.record([['count', `${index}`.repeat(1_000_000), 1]]);
    first.record([['count', 'late', 1]]);
    await query('ALTER TABLE statusd.gone RENAME TO log');
    await until(
      () => first.health().isDurable,
      () => 'it is not well',
    );
    for (const store of [second, beside])
      await until(
        async () => {
          await store.refresh();
          return ['early', 'late'].every((name) => counter(store.sql, name) === 1);
        },
        () => `early ${counter(store.sql, 'early')}, late ${counter(store.sql, 'late')}`,
        // One that the database took too long for is made again after a minute.
        150_000,
      );
    await first.write([['note', 'two']]);
    await reads(second, ['one', 'two']);
    assert.equal(counter(second.sql, 'late'), 1);
  });

  it('go on from what the database has when it went back to an earlier state', async () => {
    const first = await node('a');
    const second = await node('b');
    await first.leads;
    for (const name of ['one', 'two', 'three', 'four']) await first.write([['note', name]]);
    await reads(second, ['one', 'two', 'three', 'four']);
    // As after a failover to a server that had the first two.
    await query('DELETE FROM statusd.log WHERE seq > 2');
    await query('UPDATE statusd.place SET seq = 2');
    const gone = { code: 'store_unusable', message: 'the shared log went back to an earlier state' };
    await assert.rejects(first.write([['note', 'void']]), gone);
    assert.equal((await first.lost).message, gone.message);
    await second.leads;
    await reads(second, ['one', 'two']);
    assert.deepEqual(await second.write([['note', 'five']]), [3]);
    await reads(await node('c'), ['one', 'two', 'five']);
  });

  it('notice it also when others have written as much since', async () => {
    const first = await node('a');
    await first.leads;
    for (const name of ['one', 'two', 'three']) await first.write([['note', name]]);
    const second = await node('b');
    await reads(second, ['one', 'two', 'three']);
    await query(
      `UPDATE statusd.log SET payload = '[["note","other"]]', writer = 'x', counter = seq WHERE seq > 1`,
    );
    assert.equal((await first.lost).message, 'the shared log went back to an earlier state');
    await reads(second, ['one', 'other', 'other']);
  });

  it('answer a write whose record came to them with a newer snapshot', async () => {
    const first = await node('a');
    await first.leads;
    await first.write([['note', 'one']]);
    const beside = await client('writer');
    for (const name of ['two', 'three', 'four']) {
      await first.write([['note', name]]);
      await first.checkpoint();
    }
    await assert.rejects(beside.write([['note', 'five']]), {
      message: 'the change was written, but the database was read again meanwhile',
    });
    await reads(first, ['one', 'two', 'three', 'four', 'five']);
  });

  it('are brought to a later version by the first node of it that leads', async () => {
    const first = await node('a');
    await first.leads;
    await first.write([['note', 'one']]);
    const later = tinySchema(2);
    const second = await node('b', { schema: later, build: (job) => buildShared(job, later) });
    await reads(second, ['one']);
    await assert.rejects(second.write([['note', 'too soon']]), { code: 'store_unusable' });
    stores = stores.filter((store) => store !== first);
    await first.close();
    await second.leads;
    await second.write([['note', 'two']]);
    await assert.rejects(node('c'), {
      code: 'store_unusable',
      message: 'cannot use the database of [storage]: a newer version of statusd wrote it',
    });
  });

  it('of an earlier version do not say that they could lead where a later one does, and warn once', async () => {
    const first = await node('a');
    await first.leads;
    const warnings: string[] = [];
    const left = await node('c', {
      headStartMs: () => 2 * leaseMs,
      onWarning: (warning) => warnings.push(warning),
    });
    const later = tinySchema(2);
    const second = await node('b', { schema: later, build: (job) => buildShared(job, later) });
    stores = stores.filter((store) => store !== first);
    await first.close();
    await second.leads;
    await second.write([['note', 'one']]);
    await until(
      () => !left.health().isDurable,
      () => 'a leader that asks it would step down, and nobody could lead',
    );
    await reads(left, ['one']);
    await realClock.sleep(leaseMs / 2);
    assert.deepEqual(warnings, [
      'this node cannot lead: cannot use the database of [storage]: a newer version of statusd wrote it. Use that version, or a later one.',
    ]);
    assert.equal(second.health().isDurable, true);
  });

  it('do not say that they could lead while the row is missing that says who does', async () => {
    const left = await node('b', { headStartMs: () => 2 * leaseMs });
    const first = await node('a', { askOthers: () => Promise.resolve(left.health().isDurable) });
    await first.leads;
    await query('CREATE TABLE backup AS SELECT * FROM statusd.place');
    await query('DELETE FROM statusd.place');
    const ended = new AbortController();
    // Beyond what it trusts the lease for, when it asks the others.
    const outcome = await Promise.race([
      first.lost.then(() => 'steps down'),
      realClock.sleep(leaseMs * 1.2).then(async () => {
        await first.untilTrusted(ended.signal);
        return 'sends';
      }),
    ]);
    ended.abort();
    assert.equal(outcome, 'sends');
    await query('INSERT INTO statusd.place SELECT * FROM backup');
    await until(
      () => first.health().isDurable && left.health().isDurable,
      () => 'they are not well',
    );
  });

  it('do not say that they could lead where only their way to read is left', async () => {
    const lossy = await way();
    const warnings: string[] = [];
    const left = await node('b', {
      url: lossy.url,
      headStartMs: () => 2 * leaseMs,
      onWarning: (warning) => warnings.push(warning),
    });
    const folder = new URL(lossy.url.replace('@/', '@x/')).searchParams.get('host') ?? '';
    // What is connected stays so.
    renameSync(join(folder, socketName), join(folder, 'away'));
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'INSERT INTO "statusd".node %'`);
    await until(
      () => !left.health().isDurable,
      () => 'a leader that asks it would step down, and nobody could lead',
    );
    assert.equal(warnings.length, 1, warnings.join('\n'));
    assert.match(warnings[0] ?? '', /^this node cannot lead: .* connect ENOENT /);
    renameSync(join(folder, 'away'), join(folder, socketName));
    await until(
      () => left.health().isDurable,
      () => 'it is not well',
    );
  });

  it('create no new database where one is being restored', async () => {
    const first = await node('a');
    await first.leads;
    await first.write([['note', 'one']]);
    await first.close();
    stores = [];
    await query('CREATE TABLE backup AS SELECT * FROM statusd.place');
    await query('DELETE FROM statusd.place');
    await assert.rejects(node('b'), /the database of \[storage\]: its table "place" is empty/);
    assert.deepEqual(await query('SELECT * FROM statusd.place'), []);
    await query('INSERT INTO statusd.place SELECT * FROM backup');
    const second = await node('b');
    await second.leads;
    assert.deepEqual(notes(second), ['one']);
  });

  it('say that a pooler has no second connection for them, and wait for it', async () => {
    const lossy = await way();
    lossy.holdAllButFirst();
    const clock = {
      ...realClock,
      sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(ms / 4, signal),
    };
    const error: unknown = await node('a', { url: lossy.url, clock }).catch((thrown: unknown) => thrown);
    assert.match(String(error), /a second connection gets no answer while the first one does/);
    assert.equal(isUnreachable(error), true);
  });

  it('make their tables in a schema of their own, without a right to make schemas', async () => {
    const role = `tenant_${process.pid}`;
    const asTenant = url.replace('statusd@', `${role}@`);
    await query(`CREATE ROLE ${role} LOGIN`);
    await assert.rejects(node('a', { url: asTenant }), {
      message: /permission denied for database/,
      hint: /^Make the user of storage\.url the owner of the schema/,
    });
    await query(`CREATE SCHEMA statusd AUTHORIZATION ${role}`);
    const tenant = await node('a', { url: asTenant });
    await tenant.leads;
    await tenant.close();
    stores = [];
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('make no tables where there were some', async () => {
    await assert.rejects(node('a', { mayMake: false }), /statusd has no tables in it/);
    assert.deepEqual(await query("SELECT FROM pg_namespace WHERE nspname = 'statusd'"), []);
  });

  it('report why a database cannot be used', async () => {
    await assert.rejects(client('reader'), {
      code: 'store_unusable',
      message: 'cannot use the database of [storage]: statusd has no tables in it',
    });
    await assert.rejects(node('a', { url: url.replace(/world_\w+/, 'nowhere') }), {
      code: 'store_unusable',
      message: 'cannot use the database of [storage]: database "nowhere" does not exist',
      hint: 'Make that database first: `createdb`.',
    });
  });
});
