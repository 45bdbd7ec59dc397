import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addSample, samples } from '../../../../src/db/tables/samples.ts';
import { oldestBucket } from '../../../../src/db/samples/rollups.ts';
import type { StoredSample } from '../../../../src/db/samples/sample.ts';
import { announcements } from '../../../../src/db/tables/announcements.ts';
import { decisions } from '../../../../src/db/tables/decisions.ts';
import { incidents } from '../../../../src/db/tables/incidents.ts';
import { monitors } from '../../../../src/db/tables/monitors.ts';
import { outbox } from '../../../../src/db/tables/outbox.ts';
import { peers } from '../../../../src/db/tables/peers.ts';
import { silences } from '../../../../src/db/tables/silences.ts';
import { BarReader } from '../../../../src/db/read/bars.ts';
import { tallyWithin } from '../../../../src/db/read/within.ts';
import { planUpkeep, prunedBefore } from '../../../../src/db/tables/retention/plan.ts';
import { retentionOf, type RetentionStep } from '../../../../src/db/tables/retention/retention.ts';
import { dump, dumpTable, type Facts, openFacts } from '../../../support/facts.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A UTC midnight. */
const midnight = 20_400 * day;

function up(at: number): StoredSample {
  return { at, status: 'up', latencyMs: 20, holdSecs: 6 * 3600, isHeartbeat: false };
}

function every(stepMs: number, fromAt: number, toAt: number): StoredSample[] {
  const series: StoredSample[] = [];
  for (let at = fromAt; at < toAt; at += stepMs) series.push(up(at));
  return series;
}

/** Runs every step there is; answers how many there were. */
function tidy(
  facts: Facts,
  now: number,
  kept: Parameters<typeof retentionOf>[1] | RetentionStep = new Map(),
): number {
  const retentionStep = kept instanceof Map ? retentionOf(90, kept) : (kept as RetentionStep);
  let steps = 0;
  for (;;) {
    const plan = planUpkeep(facts.sql, now, { retention: retentionStep, limit: 20 });
    if (plan.length === 0) return steps;
    assert.ok(plan.length <= 20);
    for (const operation of plan) facts.apply(operation);
    steps += plan.length;
    assert.ok(steps < 5000, 'upkeep does not come to an end');
  }
}

function openOne(uid: string, startedAt: number, monitor = 'api') {
  return incidents.open({
    uid,
    monitor,
    name: 'API',
    startedAt,
    confirmedAt: startedAt,
    category: 'timeout',
    reason: 'no answer within 10 s',
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
}

describe('upkeep', () => {
  it('packs every hour that ended ten minutes ago, and loses no sample by it', async () => {
    const facts = await openFacts();
    const now = midnight + 5 * hour + 10 * minute;
    const series = every(minute, midnight, now);
    for (const sample of series) {
      facts.apply(samples.add({ monitor: 'api', ...sample, category: null, message: null }));
    }
    const list = () => samples.list(facts.sql, 'api', { fromAt: midnight, toAt: now });
    const rows = () =>
      facts.sql.get('SELECT min(secs) AS secs, count(*) AS count FROM samples', [], (row) => [
        row.number('secs') * 1000,
        row.number('count'),
      ]);
    assert.deepEqual(list(), series);
    tidy(facts, now - 1000);
    assert.deepEqual(rows(), [midnight + 4 * hour, 70]);
    assert.ok(tidy(facts, now) > 0);
    assert.deepEqual(list(), series);
    assert.equal(oldestBucket(facts.sql, 'packed_hours'), midnight / hour);
    assert.deepEqual(rows(), [midnight + 5 * hour, 10]);
    assert.equal(tidy(facts, now), 0);
  });

  it('keeps raw samples for 90 days or as the monitor says, hourly rollups 90, daily ones a year', async () => {
    const facts = await openFacts();
    const now = midnight + 10 * hour;
    for (const id of ['usual', 'short', 'long']) {
      facts.apply(...samples.addHistory(id, every(6 * hour, midnight - 400 * day, now)));
    }
    tidy(
      facts,
      now,
      new Map([
        ['short', 7],
        ['long', 380],
      ]),
    );
    const oldest = (id: string) =>
      samples.list(facts.sql, id, { fromAt: midnight - 500 * day, toAt: now })[0]?.at;
    assert.equal(oldest('usual'), midnight - 90 * day);
    assert.equal(oldest('short'), midnight - 7 * day);
    assert.equal(oldest('long'), midnight - 380 * day);
    assert.equal(oldestBucket(facts.sql, 'hourly'), (midnight - 90 * day) / hour);
    assert.equal(oldestBucket(facts.sql, 'daily'), midnight / day - 365);
    const year = tallyWithin(facts.sql, 'short', { fromAt: midnight - 365 * day, toAt: midnight, now });
    assert.equal(year.secs.up, 365 * 86_400);
    assert.equal(year.counts.up, 365 * 4);
  });

  it('keeps daily rollups for as long as bars or an SLO ask for', async () => {
    const facts = await openFacts();
    const now = midnight + 10 * hour;
    facts.apply(...samples.addHistory('api', every(12 * hour, midnight - 1200 * day, now)));
    tidy(facts, now, retentionOf(90, new Map(), 1100));
    assert.equal(oldestBucket(facts.sql, 'daily'), midnight / day - 1100);
    const window = tallyWithin(facts.sql, 'api', { fromAt: midnight - 1100 * day, toAt: midnight, now });
    assert.equal(window.secs.up, 1100 * 12 * 3600);
    const bars = new BarReader().read(facts.sql, now, 1100).get('api');
    assert.deepEqual([bars?.length, bars?.[0]?.secs.up], [1100, 12 * 3600]);
  });

  it('takes no sample in whose hour has been pruned', async () => {
    const facts = await openFacts();
    facts.apply(...samples.addHistory('api', every(6 * hour, midnight - 100 * day, midnight)));
    tidy(facts, midnight);
    const before = dump(facts.sql);
    const late = { ...up(midnight - 95 * day + 1000), monitor: 'api', category: null, message: null };
    assert.deepEqual(facts.apply(samples.add(late)), [false]);
    assert.equal(dump(facts.sql), before);
    assert.deepEqual(facts.apply(samples.add({ ...late, at: midnight - 80 * day + 1000 })), [true]);
    assert.notEqual(dump(facts.sql), before);
  });

  it('keeps closed incidents for a year and open ones for ever, and never gives an id twice', async () => {
    const facts = await openFacts();
    const old = midnight - 500 * day;
    const [, , , , , last] = facts.apply(
      openOne('old-open', old, 'web'),
      openOne('old-closed', old),
      incidents.close({ uid: 'old-closed', endedAt: old + hour }),
      openOne('recent', midnight - 300 * day),
      incidents.close({ uid: 'recent', endedAt: midnight - 300 * day + hour }),
      openOne('newest-but-closed-long-ago', old),
      incidents.close({ uid: 'newest-but-closed-long-ago', endedAt: old + hour }),
    );
    tidy(facts, midnight);
    const kept = incidents.list(facts.sql, { limit: 10 }).incidents.map(({ uid }) => uid);
    assert.deepEqual(kept, ['recent', 'old-open']);
    const [next] = facts.apply(openOne('next', midnight));
    assert.ok((next as number) > (last as number));
    assert.equal(incidents.totals(facts.sql).get('api'), 4);
  });

  it('prunes decisions after a year and finished deliveries after 30 days, in steps; what waits stays', async () => {
    const facts = await openFacts();
    for (let index = 0; index < 450; index++) {
      facts.apply(
        decisions.log({
          at: midnight - 366 * day + index,
          monitor: 'api',
          incident: null,
          channel: null,
          event: 'down',
          verdict: 'held',
          reason: 'window',
          detail: null,
        }),
      );
    }
    const put = (deliveryId: string) =>
      outbox.put({
        deliveryId,
        channel: 'ops',
        event: 'down',
        monitor: 'api',
        incident: null,
        payload: {},
        createdAt: midnight - 40 * day,
        nextAt: midnight - 40 * day,
      });
    facts.apply(put('done'), put('waits'), outbox.sent({ deliveryId: 'done', at: midnight - 31 * day }));
    assert.ok(tidy(facts, midnight) >= 4);
    assert.equal(dumpTable(facts.sql, 'decisions'), '');
    assert.deepEqual(decisions.totals(facts.sql), [{ verdict: 'held', reason: 'window', count: 450 }]);
    assert.equal(outbox.find(facts.sql, 'done'), null);
    assert.equal(outbox.find(facts.sql, 'waits')?.state, 'waiting');
  });

  it('keeps what was said of an outage while it lasts and for as long again, of a peer too', async () => {
    const facts = await openFacts();
    const startedAt = midnight - 400 * day;
    const put = (
      deliveryId: string,
      changes: { event?: string; monitor?: string; incident?: string | null },
    ) =>
      facts.apply(
        outbox.put({
          deliveryId,
          channel: 'ops',
          event: 'down',
          monitor: 'api',
          incident: null,
          payload: {},
          createdAt: startedAt,
          nextAt: startedAt,
          ...changes,
        }),
        outbox.sent({ deliveryId, at: startedAt }),
      );
    const decided = { channel: 'ops', event: 'down', verdict: 'told', reason: 'sent', detail: null } as const;
    facts.apply(
      openOne('open', startedAt),
      decisions.log({ ...decided, at: startedAt, monitor: 'api', incident: 'open' }),
      decisions.log({ ...decided, at: startedAt, monitor: 'api', incident: 'other' }),
      peers.save({ id: 'paris', state: {}, heardAt: midnight }),
    );
    put('of-incident', { incident: 'open' });
    put('of-peer', { event: 'peer_down', monitor: 'paris' });
    put('of-peer-gone', { event: 'peer_down', monitor: 'berlin' });
    put('of-nothing', { incident: 'other' });
    const left = () =>
      ['of-incident', 'of-peer', 'of-peer-gone', 'of-nothing'].filter(
        (id) => outbox.find(facts.sql, id) !== null,
      );
    tidy(facts, midnight);
    assert.deepEqual(left(), ['of-incident', 'of-peer']);
    assert.equal(decisions.ofIncident(facts.sql, 'open').length, 1);
    assert.equal(decisions.ofIncident(facts.sql, 'other').length, 0);
    put('of-peer-end', { event: 'peer_recovered', monitor: 'paris' });
    facts.apply(incidents.close({ uid: 'open', endedAt: midnight }));
    tidy(facts, midnight + 29 * day);
    assert.deepEqual(left(), ['of-incident']);
    tidy(facts, midnight + 31 * day);
    assert.deepEqual(left(), []);
    assert.equal(decisions.ofIncident(facts.sql, 'open').length, 1);
    tidy(facts, midnight + 366 * day);
    assert.equal(decisions.ofIncident(facts.sql, 'open').length, 0);
  });

  it('forgets a removed monitor after 40 days, wholly, unless it came back', async () => {
    const facts = await openFacts();
    const history = every(hour, midnight - 50 * day, midnight);
    facts.apply(
      ...['gone', 'back', 'stays'].map((id) => monitors.see({ id, name: id, at: midnight - 50 * day })),
      ...['gone', 'back', 'stays'].flatMap((id) => samples.addHistory(id, history)),
    );
    facts.apply(openOne('about-api', midnight));
    const verdict = {
      peer: 'paris',
      at: midnight,
      status: 'up',
      latencyMs: 1,
      error: null,
      skewMs: 0,
    } as const;
    facts.apply(...['gone', 'stays'].map((monitor) => peers.saveVerdict({ ...verdict, monitor })));
    facts.apply(monitors.remove({ id: 'gone', at: midnight }), monitors.remove({ id: 'back', at: midnight }));
    tidy(facts, midnight + 39 * day);
    assert.equal(samples.list(facts.sql, 'gone', { fromAt: midnight - day, toAt: midnight }).length, 24);
    facts.apply(monitors.see({ id: 'back', name: 'Back', at: midnight + 39 * day }));
    tidy(facts, midnight + 41 * day);
    assert.equal(monitors.find(facts.sql, 'gone'), null);
    assert.equal(samples.list(facts.sql, 'back', { fromAt: midnight - day, toAt: midnight }).length, 24);
    for (const table of ['packed_hours', 'hourly', 'daily']) {
      const keys = facts.sql.all(`SELECT DISTINCT slot % 1048576 AS key FROM ${table}`, [], (row) =>
        row.number('key'),
      );
      assert.equal(keys.length, 2, table);
    }
    assert.deepEqual(
      peers.listVerdicts(facts.sql).map(({ monitor }) => monitor),
      ['stays'],
    );
    assert.ok(!dump(facts.sql).includes("'gone'"));
  });

  it('keeps all samples of a removed monitor until it is forgotten, however long it kept them itself', async () => {
    const facts = await openFacts();
    const history = every(6 * hour, midnight - 200 * day, midnight);
    for (const id of ['gone', 'stays']) {
      facts.apply(monitors.see({ id, name: id, at: midnight - 200 * day }));
      facts.apply(...samples.addHistory(id, history));
    }
    const count = (id: string) =>
      samples.list(facts.sql, id, { fromAt: midnight - 200 * day, toAt: midnight }).length;
    const own = new Map([['gone', 365]]);
    tidy(facts, midnight, own);
    facts.apply(monitors.remove({ id: 'gone', at: midnight }));
    // The config says no more how long it keeps its samples.
    tidy(facts, midnight + 20 * day);
    const kept = prunedBefore(facts.sql, midnight + 20 * day, retentionOf(90, new Map()));
    assert.deepEqual([count('gone'), count('stays'), kept.size], [800, 70 * 4, 1]);
    facts.apply(monitors.see({ id: 'gone', name: 'Back', at: midnight + 20 * day }));
    tidy(facts, midnight + 40 * day, own);
    assert.deepEqual([count('gone'), count('stays')], [800, 50 * 4]);
    tidy(facts, midnight + 40 * day);
    assert.equal(count('gone'), 50 * 4);
  });

  it('leaves nothing of a clock that was ahead, in the hour and the day of the present either', async () => {
    for (const holdSecs of [900, 6 * 3600, 30 * 3600]) {
      const [facts, right] = [await openFacts(), await openFacts()];
      const check = (into: Facts, fromAt: number, toAt: number) => {
        for (const sample of every(10 * minute, fromAt, toAt))
          into.apply(samples.add({ monitor: 'api', ...sample, holdSecs, category: null, message: null }));
      };
      for (const each of [facts, right]) check(each, midnight, midnight + 10 * hour);
      tidy(facts, midnight + 10 * hour);
      // It says thirty hours too many, for eighteen hours, and then what is right.
      check(facts, midnight + 40 * hour, midnight + 58 * hour);
      tidy(facts, midnight + 58 * hour);
      for (const hours of [28, 49, 73]) {
        const now = midnight + hours * hour + 15 * minute;
        for (const each of [facts, right]) {
          if (hours > 28) check(each, midnight + (hours === 49 ? 30 : 50) * hour, now);
          tidy(each, now);
        }
        const span = { fromAt: midnight, toAt: now, now };
        assert.deepEqual(
          new BarReader().read(facts.sql, now, 4),
          new BarReader().read(right.sql, now, 4),
          `bars after ${hours} h`,
        );
        assert.deepEqual(
          tallyWithin(facts.sql, 'api', span).secs,
          tallyWithin(right.sql, 'api', span).secs,
          `seconds after ${hours} h`,
        );
      }
    }
  });

  it('sweeps silences and announcements that are over', async () => {
    const facts = await openFacts();
    const at = midnight;
    facts.apply(
      silences.add({ monitors: null, untilAt: at, reason: null, createdAt: at - hour }),
      silences.add({ monitors: ['api'], untilAt: at + 1, reason: null, createdAt: at - hour }),
      announcements.add({ title: 'over', body: null, severity: 'info', untilAt: at, createdAt: at - hour }),
      announcements.add({
        title: 'for ever',
        body: null,
        severity: 'info',
        untilAt: null,
        createdAt: at - hour,
      }),
    );
    assert.equal(tidy(facts, at), 2);
    assert.deepEqual(
      silences.active(facts.sql, 0).map(({ id }) => id),
      [2],
    );
    assert.deepEqual(
      announcements.active(facts.sql, 0).map(({ title }) => title),
      ['for ever'],
    );
  });

  it('is not led astray by a sample from 1970', async () => {
    const facts = await openFacts();
    const sample = {
      monitor: 'pi',
      secs: 5,
      status: 'up',
      latencyMs: 1,
      holdSecs: 120,
      isHeartbeat: false,
      category: null,
      message: null,
      heardAt: null,
    } as const;
    facts.apply(addSample(sample));
    facts.apply(addSample({ ...sample, secs: midnight / 1000 }));
    const startedAt = performance.now();
    assert.ok(tidy(facts, midnight + 3 * hour) < 20);
    assert.ok(performance.now() - startedAt < 1000);
    assert.deepEqual(
      samples.list(facts.sql, 'pi', { fromAt: midnight - day, toAt: midnight + day }).map(({ at }) => at),
      [midnight],
    );
    assert.equal(oldestBucket(facts.sql, 'hourly'), midnight / hour);
    facts.apply(monitors.remove({ id: 'pi', at: midnight }));
    assert.ok(tidy(facts, midnight + 200 * day) < 20);
    assert.equal(monitors.find(facts.sql, 'pi'), null);
  });
});
