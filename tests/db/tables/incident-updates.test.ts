/** Incidents that operators open, what is said about incidents, and markers of changes. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import type { SqlMemory, SqlReader } from '../../../src/db/store/sql.ts';
import { addEvent, events } from '../../../src/db/tables/events.ts';
import { incidentUpdates, postmortems } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident, recorded } from '../../../src/db/tables/recorded-incidents.ts';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { dumpTable, openFacts } from '../../support/facts.ts';
import { type Random, printedSeed, randomOf } from '../../support/random.ts';
import { openRealStore } from '../../support/real-store.ts';

const t0 = 1_764_000_000_000;
const minute = 60_000;
const day = 86_400_000;

const declared = (id: number, uid: string, given: { about?: readonly string[]; at?: number } = {}) =>
  declareIncident({
    id,
    uid,
    title: `Title of ${uid}`,
    impact: 'partial',
    monitors: given.about ?? [],
    at: given.at ?? t0,
  });

const opened = (uid: string, monitor: string, startedAt = t0) =>
  incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt,
    confirmedAt: startedAt + minute,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });

const said = (uid: string, incident: string, at = t0) =>
  incidentUpdates.add({
    uid,
    incident,
    at,
    state: 'identified',
    message: `Said in ${uid}`,
    author: 'root',
  });

const marker = (id: number, uid: string, given: { about?: readonly string[]; at?: number } = {}) =>
  addEvent({ id, uid, title: `deploy ${uid}`, monitors: given.about ?? [], at: given.at ?? t0 });

describe('an incident that an operator opens', () => {
  it('shares its numbers with those of monitors, and none of their lists', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(
      apply(opened('m1', 'api'), declared(2, 'o1', { about: ['api'] }), opened('m2', 'web')),
      [1, 2, 3],
    );
    assert.deepEqual(recorded.identity(sql, 'next'), { id: 4, uid: 'next' });
    const own = (rows: readonly { readonly uid: string }[]) => rows.map(({ uid }) => uid);
    assert.deepEqual(own(incidents.list(sql, { limit: 9 }).incidents), ['m2', 'm1']);
    assert.deepEqual(own(incidents.listOpen(sql)), ['m2', 'm1']);
    assert.deepEqual(own(incidents.listWithin(sql, { fromAt: t0, toAt: t0 + day })), ['m2', 'm1']);
    assert.equal(incidents.spansWithin(sql, { fromAt: t0, toAt: t0 + day }).length, 2);
    assert.equal(incidents.find(sql, 'o1'), null);
    assert.equal(incidents.findById(sql, 2), null);
    assert.equal(incidents.totals(sql).size, 2);
    assert.deepEqual(own(recorded.list(sql, { limit: 9 }).incidents), ['o1', 'm2', 'm1']);
    assert.deepEqual(recorded.find(sql, 2), recorded.find(sql, 'o1'));
    assert.deepEqual(recorded.find(sql, 'o1'), {
      id: 2,
      uid: 'o1',
      monitor: null,
      title: 'Title of o1',
      impact: 'partial',
      monitors: ['api'],
      startedAt: t0,
      endedAt: null,
      note: null,
      notedAt: null,
    });
  });

  it('can last beside others, also of the same monitors, and ends once', async () => {
    const { sql, apply } = await openFacts();
    apply(declared(1, 'a', { about: ['api'] }), declared(2, 'b', { about: ['api'] }), opened('m', 'api'));
    assert.deepEqual(
      apply(incidents.close({ uid: 'a', endedAt: t0 + 1 }), incidents.close({ uid: 'a', endedAt: t0 + 2 })),
      [true, false],
    );
    assert.equal(recorded.find(sql, 'a')?.endedAt, t0 + 1);
  });

  it('is listed for those who may see a monitor of it, and for all when it names none', async () => {
    const { sql, apply } = await openFacts();
    apply(
      declared(1, 'both', { about: ['api', 'web'] }),
      declared(2, 'all'),
      declared(3, 'db', { about: ['db'] }),
      opened('m', 'api'),
    );
    const list = (query: Partial<Parameters<typeof recorded.list>[1]>) =>
      recorded.list(sql, { limit: 9, ...query }).incidents.map(({ uid }) => uid);
    assert.deepEqual(list({ monitors: ['web'] }).sort(), ['all', 'both']);
    assert.deepEqual(list({ monitors: ['api', 'db'] }).sort(), ['all', 'both', 'db', 'm']);
    assert.deepEqual(list({ monitors: [] }), ['all']);
    assert.deepEqual(list({ monitors: ['api'], isNarrow: true }).sort(), ['both', 'm']);
    const paged: string[] = [];
    for (let before: string | null = null; ; ) {
      const page = recorded.list(sql, { limit: 1, before });
      paged.push(...page.incidents.map(({ uid }) => uid));
      before = page.next;
      if (before === null) break;
    }
    assert.deepEqual(paged, list({}));
  });

  it('keeps the number that was written down when a record before it is lost', async () => {
    const [whole, damaged] = [await openFacts(), await openFacts()];
    const records = [declared(1, 'one'), declared(2, 'two'), marker(1, 'x'), marker(2, 'y')];
    whole.apply(...records);
    damaged.apply(...records.filter((_, index) => index % 2 === 1));
    assert.equal(recorded.find(damaged.sql, 'two')?.id, 2);
    assert.deepEqual(
      events.listWithin(damaged.sql, { fromAt: 0, toAt: t0 }).map(({ id }) => id),
      [2],
    );
    assert.deepEqual(recorded.identity(damaged.sql, 'n'), recorded.identity(whole.sql, 'n'));
    assert.deepEqual(whole.apply(declared(2, 'other'), declared(2, 'two')), [3, 2]);
  });
});

describe('the updates of an incident', () => {
  it('is kept once, in the order of time, and only where there is one', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(
      apply(
        opened('m', 'api'),
        said('u2', 'm', t0 + 2),
        said('u1', 'm', t0 + 1),
        said('u1', 'm', t0 + 9),
        said('u3', 'none'),
      ),
      [1, true, true, true, false],
    );
    const [first, second, ...more] = incidentUpdates.of(sql, ['m', 'none']).get('m') ?? [];
    assert.deepEqual([first?.uid, first?.at, second?.uid, more], ['u1', t0 + 1, 'u2', []]);
    assert.equal(incidentUpdates.of(sql, []).size, 0);
    assert.deepEqual(apply(postmortems.set({ incident: 'none', text: 'x', at: t0 })), [false]);
    apply(postmortems.set({ incident: 'm', text: '# Why', at: t0 }));
    apply(postmortems.set({ incident: 'm', text: '# Because', at: t0 + 1 }));
    assert.deepEqual(postmortems.find(sql, 'm'), { text: '# Because', at: t0 + 1 });
    apply(postmortems.set({ incident: 'm', text: null, at: t0 + 2 }));
    assert.equal(postmortems.find(sql, 'm'), null);
  });

  it('goes with the incident: a year after its end, or with its monitor', async () => {
    const { sql, apply } = await openFacts();
    apply(
      monitors.see({ id: 'api', name: 'api', at: t0 - 40 * day }),
      opened('old', 'web', t0 - 370 * day),
      declared(2, 'declared', { about: [], at: t0 - 370 * day }),
      opened('recent', 'db', t0 - 365 * day),
      opened('gone', 'api', t0 - 40 * day),
      declared(9, 'open', { about: [], at: t0 - 500 * day }),
    );
    for (const uid of ['old', 'declared', 'recent', 'gone', 'open'])
      apply(said(`said-${uid}`, uid), postmortems.set({ incident: uid, text: uid, at: t0 }));
    for (const [uid, ago] of [
      ['old', 366],
      ['declared', 366],
      ['recent', 364],
      ['gone', 39],
    ] as const)
      apply(incidents.close({ uid, endedAt: t0 - ago * day }));
    apply(marker(1, 'old', { at: t0 - 366 * day }), marker(2, 'recent', { at: t0 - 364 * day }));
    apply(monitors.remove({ id: 'api', at: t0 - 41 * day }));
    const retention = retentionOf(90, new Map());
    for (let steps = planUpkeep(sql, t0, { retention, limit: 50 }); steps.length > 0; ) {
      apply(...steps);
      steps = planUpkeep(sql, t0, { retention, limit: 50 });
    }
    const left = (table: string, column: string) =>
      sql.all(`SELECT ${column} AS it FROM ${table} ORDER BY it`, [], (row) => row.text('it'));
    assert.deepEqual(left('incidents', 'uid'), ['open', 'recent']);
    assert.deepEqual(left('incident_updates', 'incident'), ['open', 'recent']);
    assert.deepEqual(left('postmortems', 'incident'), ['open', 'recent']);
    assert.deepEqual(left('events', 'uid'), ['recent']);
  });

  it('follows a monitor that has another id', async () => {
    const { sql, apply } = await openFacts();
    apply(declared(1, 'a', { about: ['web', 'old'] }), marker(1, 'e', { at: t0, about: ['old', 'older'] }));
    apply(monitors.rename({ from: 'old', to: 'new' }));
    const row = recorded.find(sql, 'a');
    assert.deepEqual(row?.monitor === null ? row.monitors : [], ['web', 'new']);
    assert.deepEqual(events.listWithin(sql, { fromAt: t0, toAt: t0 })[0]?.monitors, ['new', 'older']);
  });

  it('moves with a clock that was set while the incident lasts, and stays once it is over', async () => {
    for (const byMs of [-2 * 3_600_000, 5 * day]) {
      const { sql, apply } = await openFacts();
      apply(
        declared(1, 'open', { about: [], at: t0 - 10 * minute }),
        said('a', 'open', t0 - 5 * minute),
        declared(2, 'over', { about: [], at: t0 - 10 * minute }),
        said('b', 'over', t0 - 5 * minute),
        incidents.close({ uid: 'over', endedAt: t0 - minute }),
        marker(1, 'recent', { at: t0 - 3 * minute }),
        marker(2, 'old', { at: t0 - 3 * day }),
      );
      apply(clockRecord.shift({ byMs, sinceAt: 0, at: t0 + byMs }));
      const at = (incident: string) => incidentUpdates.of(sql, [incident]).get(incident)?.[0]?.at ?? 0;
      assert.equal(recorded.find(sql, 'open')?.startedAt, t0 + byMs - 10 * minute);
      assert.equal(at('open'), t0 + byMs - 5 * minute);
      assert.equal(at('over'), t0 - 5 * minute);
      const marks = events.listWithin(sql, { fromAt: 0, toAt: t0 + 9 * day });
      const markAt = (uid: string) => marks.find((event) => event.uid === uid)?.at;
      assert.equal(markAt('recent'), t0 + byMs - 3 * minute);
      assert.equal(markAt('old'), t0 - 3 * day);
    }
  });
});

/** Of incidents and what is said about them, some of it twice, some about nothing that there is. */
function randomOperation(random: Random, index: number): Operation {
  const name = (prefix: string) => `${prefix}${random.below(12)}`;
  const at = t0 + index * 1000;
  switch (random.below(8)) {
    case 0:
      return opened(name('m'), random.pick(['api', 'web', 'db']), at);
    case 1:
      return declared(1 + random.below(9), name('o'), {
        about: random.pick([[], ['api'], ['db', 'web']]),
        at,
      });
    case 2:
      return incidents.close({ uid: name(random.pick(['m', 'o'])), endedAt: at });
    case 3:
      return postmortems.set({
        incident: name(random.pick(['m', 'o'])),
        text: random.pick([null, `at ${at}`]),
        at,
      });
    case 4:
      return marker(1 + random.below(9), name('e'), { at, about: random.pick([[], ['api', 'web']]) });
    case 5:
      return random.pick([
        monitors.rename({ from: 'api', to: 'web' }),
        clockRecord.shift({ byMs: (random.below(9) - 4) * minute, sinceAt: 0, at }),
        ['rows.prune', 'incidents', at - 5000, 3],
      ]);
    default:
      return said(name('u'), name(random.pick(['m', 'o'])), at);
  }
}

describe('the log of all that', () => {
  it('replays to equal tables after kills at random places', async () => {
    const random = randomOf(printedSeed());
    const folder = mkdtempSync(join(tmpdir(), 'statusd-updates-'));
    const tables = ['incidents', 'incident_updates', 'postmortems', 'events', 'incident_totals'];
    const stateOf = (sql: SqlReader) =>
      tables.map((table) => `${table}\n${dumpTable(sql as SqlMemory, table)}`).join('\n');
    try {
      for (let run = 0; run < 4; run += 1) {
        const model = await openFacts();
        let life = join(folder, `${run}`);
        mkdirSync(life);
        for (let lives = 0; lives < 3; lives += 1) {
          const store = await openDaemon(join(life, 'statusd.db'));
          assert.equal(stateOf(store.sql), stateOf(model.sql), `run ${run}, life ${lives}`);
          for (let record = 0; record < 20; record += 1) {
            const operations = Array.from({ length: 1 + random.below(3) }, (_, index) =>
              randomOperation(random, lives * 60 + record * 3 + index),
            );
            await store.write(operations);
            model.apply(...operations);
          }
          assert.equal(stateOf(store.sql), stateOf(model.sql));
          // What a kill leaves: the files as they are, without a last snapshot.
          const next = join(folder, `${run}-${lives}`);
          cpSync(life, next, { recursive: true, filter: (path) => !path.includes('-lock.') });
          await store.close();
          life = next;
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function openDaemon(file: string) {
  return openRealStore(file, { role: 'daemon' });
}
