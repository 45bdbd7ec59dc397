import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BarReader } from '../../../../src/db/read/bars.ts';
import { heatmapOf } from '../../../../src/db/read/heatmap.ts';
import { dailyLatency, hourlyLatency } from '../../../../src/db/read/latency-rollups.ts';
import { tallyWithin } from '../../../../src/db/read/within.ts';
import { unpackRollups } from '../../../../src/db/samples/kept-rollups.ts';
import { dayOfHour, hourOf } from '../../../../src/db/samples/slots.ts';
import { weekHours } from '../../../../src/db/samples/weeks.ts';
import { unprune } from '../../../../src/db/tables/clock.ts';
import { monitors, removeMonitor } from '../../../../src/db/tables/monitors.ts';
import { addPastDays, type PastDay } from '../../../../src/db/tables/past-days.ts';
import { planMoves } from '../../../../src/db/tables/retention/move.ts';
import { planUpkeep } from '../../../../src/db/tables/retention/plan.ts';
import { pruneAhead } from '../../../../src/db/tables/retention/prune.ts';
import { retentionOf } from '../../../../src/db/tables/retention/retention.ts';
import { planWeeks } from '../../../../src/db/tables/retention/weeks.ts';
import { samples } from '../../../../src/db/tables/samples.ts';
import { dumpTable, type Facts, openFacts } from '../../../support/facts.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** The beginning of a week. */
const start = 2914 * 7 * day;
const retention = retentionOf(90, new Map());
const week = Math.floor(start / hour / weekHours);
const rollupTables = ['hourly', 'daily', 'hourly_days'];
const weekTables = ['hourly_weeks', 'daily_weeks', 'latency_weeks'];

function every(stepMs: number, fromAt: number, toAt: number) {
  return Array.from({ length: Math.floor((toAt - fromAt) / stepMs) }, (_, index) => ({
    at: fromAt + index * stepMs,
    status: index % 50 === 7 ? ('down' as const) : ('up' as const),
    latencyMs: 20 + ((index * 7) % 90),
    holdSecs: 6 * 3600,
    isHeartbeat: false,
  }));
}

/** Monitors of a sample each half an hour over so many days, of which all but the last two were moved. */
async function worldOf(
  days: number,
  ids: readonly string[] = ['api', 'web'],
  stepMs = hour / 2,
): Promise<Facts> {
  const facts = await openFacts();
  for (const id of ids) facts.apply(...samples.addHistory(id, every(stepMs, start, start + days * day)));
  const before = hourOf((start + (days - 2) * day) / 1000);
  for (;;) {
    const moves = planMoves(facts.sql, { before, hours: 500, monitors: 10, keptHoursOf: () => [] });
    if (moves.length === 0) return facts;
    facts.apply(...moves.map(({ operation }) => operation));
  }
}

function pack({ sql, apply }: Facts, days: number): number {
  let steps = 0;
  for (const operation of planWeeks(sql, hourOf((start + (days - 2) * day) / 1000))) {
    apply(operation);
    steps += 1;
  }
  return steps;
}

function tidy({ sql, apply }: Facts, now: number): void {
  for (let steps = 0; steps < 5000; steps += 1) {
    const plan = planUpkeep(sql, now, { retention, limit: 20 });
    if (plan.length === 0) return;
    apply(...plan);
  }
  assert.fail('upkeep does not come to an end');
}

function answersOf({ sql }: Facts, now: number): unknown {
  const ahead = new BarReader();
  while (!ahead.warm(sql, { now, days: 90 }));
  return {
    bars: [...new BarReader().read(sql, now, 90)],
    ahead: [...ahead.read(sql, now, 90)],
    monitors: ['api', 'web'].map((id) => ({
      heatmap: heatmapOf(sql, id, { now, days: 28 }),
      hourly: hourlyLatency(sql, id, { now, hours: 90 * 24 }),
      daily: dailyLatency(sql, id, { now, hours: 90 * 24 }),
      within: [0, 9, 40].map(
        (ago) => tallyWithin(sql, id, { fromAt: now - 61 * day, toAt: now - ago * day, now }).secs,
      ),
    })),
  };
}

const rows = ({ sql }: Facts, table: string) =>
  sql.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.number('n'));
const slots = ({ sql }: Facts, table: string) =>
  sql.all(`SELECT slot / 1048576 AS bucket FROM ${table} GROUP BY 1 ORDER BY 1`, [], (row) =>
    row.number('bucket'),
  );

describe('rollups by the week', () => {
  it('answer as before, for weeks that are over and were moved', async () => {
    const facts = await worldOf(40);
    const now = start + 40 * day;
    const wanted = answersOf(facts, now);
    assert.ok(pack(facts, 40) > 0);
    assert.deepEqual(answersOf(facts, now), wanted);
    for (const table of weekTables)
      assert.deepEqual(
        slots(facts, table),
        [0, 1, 2, 3, 4].map((n) => week + n),
      );
    const firstDay = (week + 5) * 7;
    assert.deepEqual(
      slots(facts, 'daily'),
      [0, 1, 2, 3, 4].map((n) => firstDay + n),
    );
    assert.equal(pack(facts, 40), 0);
  });

  it('are made of a database of an earlier version, and go on where the node died', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `m${n}`);
    const [facts, other] = [await worldOf(16, ids, 6 * hour), await worldOf(16, ids, 6 * hour)];
    for (const operation of planWeeks(facts.sql, hourOf((start + 14 * day) / 1000))) {
      facts.apply(operation);
      break;
    }
    assert.ok((rows(facts, 'daily_weeks') ?? 0) > 0 && (rows(facts, 'daily_weeks') ?? 0) < 30);
    pack(facts, 16);
    pack(other, 16);
    for (const table of [...rollupTables, ...weekTables])
      assert.equal(dumpTable(facts.sql, table), dumpTable(other.sql, table), table);
    assert.equal(rows(facts, 'daily_weeks'), 60);
  });

  it('leave out a monitor whose samples of the week are not moved, until they are', async () => {
    const facts = await worldOf(16, ['api']);
    facts.apply(...samples.addHistory('late', every(hour / 2, start, start + 4 * day)));
    pack(facts, 16);
    assert.equal(rows(facts, 'daily_weeks'), 2);
    assert.equal(rows(facts, 'daily'), 2 + 4);
    facts.apply(...samples.addHistory('late', every(hour / 2, start + 4 * day, start + 16 * day)));
    facts.apply(
      ...planMoves(facts.sql, {
        before: hourOf((start + 14 * day) / 1000),
        hours: 500,
        monitors: 10,
        keptHoursOf: () => [],
      }).map(({ operation }) => operation),
    );
    pack(facts, 16);
    assert.equal(rows(facts, 'daily_weeks'), 4);
    assert.equal(rows(facts, 'daily'), 4);
  });

  it('become rows again as they were, of the hour and behind it', async () => {
    const facts = await worldOf(30);
    const was = ['daily', 'hourly_days'].map((table) => dumpTable(facts.sql, table));
    const now = start + 30 * day;
    const wanted = answersOf(facts, now);
    pack(facts, 30);
    facts.apply(unprune({ before: hourOf((start + 16 * day) / 1000) }));
    assert.deepEqual(slots(facts, 'daily_weeks'), [week, week + 1]);
    assert.deepEqual(answersOf(facts, now), wanted);
    unpackRollups(facts.sql, 0, null);
    assert.deepEqual(
      weekTables.map((table) => rows(facts, table)),
      [0, 0, 0],
    );
    assert.equal(dumpTable(facts.sql, 'daily'), was[0]);
    assert.deepEqual(answersOf(facts, now), wanted);
  });

  it('lose what a clock that was ahead left there', async () => {
    const facts = await worldOf(30);
    pack(facts, 30);
    facts.apply(pruneAhead({ monitor: 'api', from: hourOf((start + 10 * day) / 1000) }));
    const [bars, others] = ['api', 'web'].map((id) =>
      new BarReader().read(facts.sql, start + 30 * day, 31).get(id),
    );
    const known = (list: typeof bars) => list?.map(({ secs }) => secs.up > 0).lastIndexOf(true);
    assert.equal(known(bars), 9);
    assert.equal(known(others), 29);
    assert.equal(rows(facts, 'daily_weeks'), 1 + 4);
  });

  it('take in days that another program measured', async () => {
    const facts = await worldOf(16, ['api']);
    pack(facts, 16);
    const first = dayOfHour(hourOf(start / 1000));
    const days = [first - 3, first + 2].map((each): PastDay => [each, 80_000, 6400, 800, 64]);
    facts.apply(addPastDays({ monitor: 'api', name: 'API', at: start, days }));
    const bars = new BarReader().read(facts.sql, start + 16 * day, 20).get('api');
    assert.deepEqual(bars?.[0]?.secs, { up: 80_000, degraded: 0, down: 6400, unknown: 0 });
    assert.notEqual(bars[5]?.secs.up, 80_000);
    pack(facts, 16);
    assert.equal(rows(facts, 'daily_weeks'), 3);
    assert.deepEqual(new BarReader().read(facts.sql, start + 16 * day, 20).get('api'), bars);
  });

  it('are kept as long as rows are, whole weeks of them, and their latencies for the heatmap', async () => {
    const facts = await worldOf(40);
    pack(facts, 40);
    const now = start + 40 * day;
    const { heatmap } = (answersOf(facts, now) as { monitors: { heatmap: unknown }[] }).monitors[0] ?? {};
    tidy(facts, now);
    assert.deepEqual(slots(facts, 'latency_weeks'), [week + 1, week + 2, week + 3, week + 4]);
    assert.deepEqual(heatmapOf(facts.sql, 'api', { now, days: 28 }), heatmap);
    tidy(facts, start + 98 * day);
    assert.deepEqual(slots(facts, 'hourly_weeks'), [week + 1, week + 2, week + 3, week + 4]);
    assert.equal(slots(facts, 'daily_weeks').length, 5);
    tidy(facts, start + 372 * day);
    assert.deepEqual(slots(facts, 'daily_weeks'), [week + 1, week + 2, week + 3, week + 4]);
  });

  it('go with their monitor, and those of others stay', async () => {
    const facts = await worldOf(40);
    pack(facts, 40);
    const now = start + 40 * day;
    facts.apply(removeMonitor({ id: 'api', at: now - 31 * day }));
    tidy(facts, now + 10 * day);
    assert.equal(monitors.find(facts.sql, 'api'), null);
    for (const table of ['hourly_weeks', 'daily_weeks']) assert.equal(rows(facts, table), 5, table);
  });

  it('wait with a week of which hours were pruned already', async () => {
    const facts = await worldOf(100);
    tidy(facts, start + 93 * day);
    assert.equal(slots(facts, 'hourly_days')[0], week * 7 + 3);
    pack(facts, 100);
    assert.deepEqual(
      slots(facts, 'hourly_days').slice(0, 4),
      [3, 4, 5, 6].map((n) => week * 7 + n),
    );
    assert.equal(slots(facts, 'daily_weeks')[0], week + 1);
    tidy(facts, start + 97 * day);
    pack(facts, 100);
    assert.equal(slots(facts, 'daily_weeks')[0], week);
  });
});
