import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { latestVersion, migrateWith, type Migration } from '../../../../src/db/tables/schema/migrations.ts';
import { schema } from '../../../../src/db/tables/schema/schema.ts';
import {
  heardAtOfMonitors,
  identities,
  ownFaultOfIncidents,
  uidsOfOperator,
  unreadableCertificates,
  version1,
} from '../../../../src/db/tables/schema/tables.ts';
import { openSql } from '../../../../src/db/store/sql.ts';
import { certificates } from '../../../../src/db/tables/certificates.ts';
import { channels } from '../../../../src/db/tables/channels.ts';
import { incidents } from '../../../../src/db/tables/incidents.ts';
import { recorded } from '../../../../src/db/tables/recorded-incidents.ts';
import { closedMonths } from '../../../../src/db/tables/closed-months.ts';
import { maintainedDays } from '../../../../src/db/tables/maintained-days.ts';
import { monitors } from '../../../../src/db/tables/monitors.ts';
import { samples } from '../../../../src/db/tables/samples.ts';
import { dump, openFacts } from '../../../support/facts.ts';

const toFirst: Migration = { to: 1, script: version1 };
const toSecond: Migration = {
  to: 2,
  script: `
    ALTER TABLE monitors ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';
    CREATE TABLE moods (monitor TEXT PRIMARY KEY, mood TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO moods SELECT id, 'calm' FROM monitors;`,
};
const brokenSecond: Migration = { to: 2, script: `${toSecond.script} INSERT INTO nowhere VALUES (1);` };

async function filledFirst() {
  const facts = await openFacts();
  const at = 1_764_000_000_000;
  facts.apply(
    samples.add({
      monitor: 'api',
      at,
      status: 'up',
      latencyMs: 12,
      holdSecs: 60,
      isHeartbeat: false,
      category: null,
      message: null,
    }),
  );
  return facts;
}

describe('the schema', () => {
  it('gives every operation a name of its own', () => {
    const names = schema.operations.map((row) => row.name);
    assert.deepEqual(names, [...new Set(names)]);
    assert.ok(names.length > 25);
  });

  it('makes the same empty database each time', async () => {
    const [first, second] = [await openFacts(), await openFacts()];
    assert.equal(dump(first.sql), dump(second.sql));
    assert.equal(schema.version, 12);
  });
});

/** Takes version 12 back. */
const withoutTwelfth = `DROP INDEX incidents_by_ack; ${[
  'latest_category',
  'latest_reason',
  'latest_at',
  'carried_from',
  'ack_ended_at',
]
  .map((column) => `ALTER TABLE incidents DROP COLUMN ${column};`)
  .join(' ')}`;

describe('a database of version 11', () => {
  it('keeps its incidents, of which one reason is known, and its records are read', async () => {
    const sql = await openSql(null);
    schema.migrate(sql, 0);
    sql.script(withoutTwelfth);
    sql.run(
      `INSERT INTO incidents (uid, monitor, name, started_at, confirmed_at, reason, impacted, acknowledged_at)
       VALUES ('u', 'api', 'API', 1, 2, 'status 503', '[]', 3)`,
    );
    schema.migrate(sql, 11);
    const { reason, latest, carriedFrom } = incidents.find(sql, 'u') ?? {};
    assert.deepEqual([reason, latest, carriedFrom], ['status 503', null, null]);
    const facts = await openFacts();
    const open = ['v', 'api', 'API', 1, 2, 'status', 'status 503', null, [], null, null, null] as const;
    facts.apply(['incident.open', ...open], ['incident.acknowledge', 'v', 3, 'ann', null]);
    facts.apply(['incident.close', 'v', 4]);
    assert.deepEqual(incidents.carriable(facts.sql, { monitor: 'api', ownFault: null }), {
      uid: 'v',
      endedAt: 4,
    });
  });
});

describe('a database of version 10', () => {
  it('keeps its closed months, as those of UTC, and gets a place for days with maintenance', async () => {
    const sql = await openSql(null);
    schema.migrate(sql, 0);
    sql.script(`DROP TABLE maintained_days; ALTER TABLE closed_months DROP COLUMN zone; ${withoutTwelfth}`);
    sql.run("INSERT INTO closed_months (month, closed_at, definitions) VALUES ('2026-10', 5, 1)");
    schema.migrate(sql, 10);
    assert.deepEqual(closedMonths.list(sql), [
      { month: '2026-10', closedAt: 5, definitions: 1, zone: 'UTC' },
    ]);
    assert.equal(maintainedDays.find(sql, 1, 1), null);
  });

  it('has records that close a month without its zone, which are read', async () => {
    const facts = await openFacts();
    facts.apply(['month.close', '2026-10', 5, 1]);
    assert.equal(closedMonths.find(facts.sql, '2026-10')?.zone, 'UTC');
  });
});

describe('a database of version 1', () => {
  it('is read by this version, its monitors without an identity and no channel known', async () => {
    const sql = await openSql(null);
    migrateWith([toFirst])(sql, 0);
    sql.run(
      `INSERT INTO monitors (id, name, first_seen_at, last_seen_at, oldest_hour, packed_before)
       VALUES ('api', 'API', 1, 1, 0, 0)`,
    );
    schema.migrate(sql, 1);
    assert.deepEqual(
      monitors.list(sql).map(({ id, identity }) => [id, identity]),
      [['api', null]],
    );
    assert.deepEqual(channels.known(sql), []);
    const fresh = await openFacts();
    const tables = (of: typeof sql) =>
      of.all('SELECT sql FROM sqlite_master ORDER BY name', [], (row) => row.textOrNull('sql'));
    assert.deepEqual(tables(sql), tables(fresh.sql));
  });
});

describe('a database of version 2', () => {
  it('is read by this version: the certificates it knows could be read', async () => {
    const sql = await openSql(null);
    migrateWith([toFirst, { to: 2, script: uidsOfOperator + identities + ownFaultOfIncidents }])(sql, 0);
    sql.run(
      `INSERT INTO certificates (monitor, subject, issuer, valid_from_at, valid_to_at, spki_sha256, is_trusted,
         seen_at, changed_at) VALUES ('api', 's', 'i', 1, 2, 'aa', 1, 3, 3)`,
    );
    schema.migrate(sql, 2);
    assert.deepEqual(
      certificates.list(sql).map(({ monitor, unreadableSinceAt }) => [monitor, unreadableSinceAt]),
      [['api', null]],
    );
  });
});

describe('a database of version 4', () => {
  it('keeps its incidents, one open of a monitor at a time, and numbers go on behind them', async () => {
    const sql = await openSql(null);
    const toFourth = uidsOfOperator + identities + ownFaultOfIncidents + unreadableCertificates;
    migrateWith([toFirst, { to: 4, script: toFourth + heardAtOfMonitors }])(sql, 0);
    const open = `INSERT INTO incidents (id, uid, monitor, name, started_at, confirmed_at, impacted) VALUES `;
    sql.run(`${open} (7, 'seven', 'api', 'API', 1, 2, '[]')`);
    schema.migrate(sql, 4);
    assert.deepEqual(
      incidents.listOpen(sql).map(({ id, uid }) => [id, uid]),
      [[7, 'seven']],
    );
    assert.throws(() => sql.run(`${open} (8, 'eight', 'api', 'API', 3, 4, '[]')`), /UNIQUE/);
    assert.deepEqual(recorded.identity(sql, 'next'), { id: 8, uid: 'next' });
  });
});

describe('a migration', () => {
  it('keeps what was there and adds what is new', async () => {
    const { sql } = await filledFirst();
    const migrations = [toFirst, toSecond];
    migrateWith(migrations)(sql, 1);
    assert.equal(latestVersion(migrations), 2);
    assert.deepEqual(
      sql.all('SELECT id, colour, mood FROM monitors JOIN moods ON monitor = id', [], (row) => [
        row.text('id'),
        row.text('colour'),
        row.text('mood'),
      ]),
      [['api', 'grey', 'calm']],
    );
  });

  it('leads from an empty database to the same tables as one step at a time', async () => {
    const [atOnce, stepwise] = [await openSql(null), await openSql(null)];
    migrateWith([toFirst, toSecond])(atOnce, 0);
    migrateWith([toFirst])(stepwise, 0);
    migrateWith([toFirst, toSecond])(stepwise, 1);
    const tables = (sql: typeof atOnce) =>
      sql.all('SELECT sql FROM sqlite_master ORDER BY name', [], (row) => row.textOrNull('sql'));
    assert.deepEqual(tables(atOnce), tables(stepwise));
  });

  it('that fails leaves the version before it untouched, and can be run again', async () => {
    const { sql } = await filledFirst();
    const before = dump(sql);
    assert.throws(() => {
      migrateWith([toFirst, brokenSecond])(sql, 1);
    });
    assert.equal(dump(sql), before);
    migrateWith([toFirst, toSecond])(sql, 1);
    assert.match(dump(sql), /calm/);
  });

  it('that dies before its snapshot is written starts from the version before it', async () => {
    const { sql } = await filledFirst();
    const pages = sql.exportPages();
    migrateWith([toFirst, toSecond])(sql, 1);
    const afterCrash = await openSql(pages);
    migrateWith([toFirst, toSecond])(afterCrash, 1);
    assert.equal(dump(afterCrash), dump(sql));
  });

  it('is not run for versions the database already has', async () => {
    const { sql } = await filledFirst();
    const before = dump(sql);
    migrateWith([toFirst])(sql, 1);
    assert.equal(dump(sql), before);
  });
});
