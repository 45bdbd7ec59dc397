import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hourSecs } from '../../../src/db/samples/slots.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { removeMonitor, seeMonitor } from '../../../src/db/tables/monitors.ts';
import { renameMonitor } from '../../../src/db/tables/renames.ts';
import { pruneRollups } from '../../../src/db/tables/retention/prune.ts';
import type { Operation } from '../../../src/db/store/operation.ts';
import { parseConfig } from '../../../src/engine/config/load.ts';
import { createFigures, type Figures } from '../../../src/serve/scope/figures.ts';
import { openFacts } from '../../support/facts.ts';
import { anyStep, expectedSamples, hour0, naiveSpan, operationOf } from '../../support/histories.ts';
import { checkAsyncProperty } from '../../support/property.ts';

const startSecs = (hour0 + 40) * hourSecs;

async function configOf(ids: readonly string[], zone = 'UTC') {
  const text =
    `[page]\ntimezone = "${zone}"\n` +
    ids.map((id) => `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example.org/"\n`).join('');
  const readFile = () => Promise.reject(new Error('no file is read'));
  return (await parseConfig(text, { file: 'statusd.toml', env: {}, readFile })).config;
}

/** All there is to know of a monitor, with its maintenance of the last days taken out of a stretch. */
function allOf(read: Figures['at'], id: string, nowSecs: number) {
  const now = nowSecs * 1000;
  const at = read(now);
  const found = at.of(id);
  const stretch = { fromAt: now - 5 * 86_400_000, toAt: now };
  return {
    ...found,
    marks: found === null ? null : [...found.marks()],
    rolling: found === null ? null : found.rolling([1, 2, 7, 30, 90]),
    alone: at.bars(id),
    within: at.within(id, stretch),
  };
}

/** What checks of these two monitors find at a time: nothing, or a sample of one or both. */
function checkedAt(nowSecs: number, number: number): readonly Operation[] {
  const sample = {
    at: nowSecs * 1000,
    status: (['up', 'degraded', 'down'] as const)[number % 3] ?? 'up',
    latencyMs: number % 7 === 0 ? null : number,
    holdSecs: 60 + number,
    isHeartbeat: false,
  } as const;
  return ['a', 'b']
    .filter((_, index) => (number & (1 << index)) > 0)
    .map((id) => operationOf({ kind: 'sample', sample }, id));
}

const anyId = fc.constantFrom('a', 'b');
const hourMs = 3_600_000;

/** What befalls the monitors, as operations. */
const anyChange: fc.Arbitrary<readonly Operation[]> = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(anyStep, anyId).map(([step, id]) => [operationOf(step, id)]) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: hour0, max: hour0 + 90 }), fc.integer({ min: 1, max: 400 }), fc.nat(2 ** 30))
      .map(([hour, minutes, number]) => {
        const startAt = hour * hourMs + (number % 3) * 1_234_000;
        const window = {
          startAt,
          endAt: startAt + minutes * 60_000,
          monitors: number % 2 === 0 ? [] : ['a'],
        };
        const uid = `window-${number}`;
        return [maintenances.add({ id: null, uid, title: 'Works', createdAt: hour0 * hourMs, ...window })];
      }),
  },
  { weight: 1, arbitrary: anyId.map((id) => [removeMonitor({ id, at: startSecs * 1000 })]) },
  { weight: 1, arbitrary: fc.constant([renameMonitor({ from: 'a', to: 'c' })]) },
  { weight: 1, arbitrary: fc.constant([renameMonitor({ from: 'c', to: 'a' })]) },
  {
    weight: 1,
    arbitrary: anyId.map((id) => [seeMonitor({ id, name: id, at: startSecs * 1000 })]),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: hour0 - 400, max: hour0 - 250 })
      .map((before) => [pruneRollups({ table: 'hourly', before })]),
  },
);

describe('figures over so many days', () => {
  it('count every second of the last N times 24 hours, from the minute they begin', async () => {
    const config = await configOf(['a']);
    const anyReading = fc.array(fc.tuple(anyStep, fc.integer({ min: 0, max: 30 * hourSecs })), {
      maxLength: 30,
    });
    const property = fc.asyncProperty(anyReading, async (history) => {
      const facts = await openFacts();
      const figures = createFigures(facts, () => config);
      let nowSecs = startSecs;
      for (const [index, [step, pause]] of history.entries()) {
        nowSecs += pause;
        facts.apply(operationOf(step, 'a'));
        const found = figures.at(nowSecs * 1000).of('a');
        const kept = expectedSamples(history.slice(0, index + 1).map(([each]) => each));
        // Samples that a wrong clock wrote into hours to come count in their day, once they are packed.
        if (found === null || (kept.at(-1)?.at ?? 0) > nowSecs * 1000) continue;
        for (const days of [1, 2, 7, 30]) {
          const fromSecs = (Math.floor(nowSecs / 60) - days * 1440) * 60;
          const { secs } = naiveSpan(kept, { fromSecs, toSecs: nowSecs, nowSecs });
          assert.deepEqual(found.rolling([days]), [secs], `${days} days`);
          if (days === 1) assert.deepEqual(found.day.secs, secs);
        }
      }
      facts.sql.close();
    });
    await checkAsyncProperty(property, 60);
  });
});

describe('the days of a time zone', () => {
  for (const zone of ['Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati'])
    it(`hold the seconds from one midnight of ${zone} to the next`, async () => {
      const config = await configOf(['a'], zone);
      const anyReading = fc.array(fc.tuple(anyStep, fc.integer({ min: 0, max: 30 * hourSecs })), {
        maxLength: 30,
      });
      const property = fc.asyncProperty(anyReading, async (history) => {
        const facts = await openFacts();
        const figures = createFigures(facts, () => config);
        let nowSecs = startSecs;
        for (const [index, [step, pause]] of history.entries()) {
          nowSecs += pause;
          facts.apply(operationOf(step, 'a'));
          const bars = figures.at(nowSecs * 1000).bars('a');
          const kept = expectedSamples(history.slice(0, index + 1).map(([each]) => each));
          if (bars.length === 0 || (kept.at(-1)?.at ?? 0) > nowSecs * 1000) continue;
          for (const [place, { at, toAt = Infinity, date, secs }] of bars.slice(-12).entries()) {
            const span = { fromSecs: at / 1000, toSecs: Math.min(toAt / 1000, nowSecs), nowSecs };
            assert.deepEqual(secs, naiveSpan(kept, span).secs, `${date}, ${place}`);
            const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
            assert.deepEqual([shown.format(at), shown.format(toAt - 1)], [date, date]);
          }
        }
        facts.sql.close();
      });
      await checkAsyncProperty(property, 25);
    });
});

describe('figures that are remembered', () => {
  it('are those that are read anew, whatever was recorded, planned, removed, renamed or pruned', async () => {
    const configs = [await configOf(['a', 'b', 'c']), await configOf(['a', 'b', 'c'], 'Asia/Tokyo')];
    // The clock may be set back.
    const anyPause = fc.integer({ min: -2 * hourSecs, max: 9 * hourSecs });
    const property = fc.asyncProperty(
      fc.array(fc.tuple(anyChange, anyPause, fc.nat(3), fc.nat(60_000)), { maxLength: 40 }),
      fc.constantFrom(...configs),
      async (history, config) => {
        const facts = await openFacts();
        const kept = createFigures(facts, () => config);
        let nowSecs = startSecs;
        for (const [change, pause, ahead, number] of history) {
          // Samples are reported before they are in memory, everything else afterwards.
          const isSample = change[0]?.[0] === 'sample';
          if (isSample) kept.note(change);
          facts.apply(...change);
          if (!isSample) kept.note(change);
          nowSecs += pause;
          const checked = checkedAt(nowSecs, number);
          kept.note(checked);
          facts.apply(...checked);
          for (let step = 0; step < ahead; step += 1) kept.warm(nowSecs * 1000);
          if (ahead === 3) continue;
          for (const id of ['a', 'b', 'c']) {
            const anew = allOf(createFigures(facts, () => config).at, id, nowSecs);
            assert.deepEqual(allOf(kept.at, id, nowSecs), anew, id);
            while (!kept.refresh());
            assert.deepEqual(allOf(kept.ofManyAt, id, nowSecs), anew, `${id} among many`);
          }
        }
        facts.sql.close();
      },
    );
    await checkAsyncProperty(property, 60);
  });

  it('ask the database four times a monitor at most after a sample, however many days they are of', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const config = await configOf(ids);
    const facts = await openFacts();
    const sampled = (secs: number) => {
      const sample = {
        at: secs * 1000,
        status: 'up',
        latencyMs: 7,
        holdSecs: 60,
        isHeartbeat: false,
      } as const;
      facts.apply(...ids.map((id) => operationOf({ kind: 'sample', sample }, id)));
    };
    const window = { startAt: (startSecs - 7200) * 1000, endAt: (startSecs - 3600) * 1000, monitors: ['m0'] };
    facts.apply(maintenances.add({ id: null, uid: 'works', title: 'Works', createdAt: 0, ...window }));
    for (let hour = 3; hour > 0; hour -= 1) sampled(startSecs - hour * hourSecs);
    let asked = 0;
    const counting: SqlReader = {
      get: (...query) => {
        asked += 1;
        return facts.sql.get(...query);
      },
      all: (...query) => {
        asked += 1;
        return facts.sql.all(...query);
      },
    };
    const figures = createFigures({ sql: counting }, () => config);
    const read = (nowSecs: number) => {
      const now = figures.at(nowSecs * 1000);
      return ids.map((id) => now.of(id)?.marks().size);
    };
    sampled(startSecs);
    read(startSecs + 5);
    sampled(startSecs + 20);
    asked = 0;
    const found = read(startSecs + 25);
    assert.equal(found.length, ids.length);
    assert.ok(asked <= 4 * ids.length + 10, `${asked} questions for ${ids.length} monitors`);
    facts.sql.close();
  });

  it('ask the database of no monitor when many are read and samples came that were noted', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `m${index}`);
    const config = await configOf(ids);
    const facts = await openFacts();
    let asked = 0;
    const counting: SqlReader = {
      get: (...query) => {
        asked += 1;
        return facts.sql.get(...query);
      },
      all: (...query) => {
        asked += 1;
        return facts.sql.all(...query);
      },
    };
    const figures = createFigures({ sql: counting }, () => config);
    const sampled = (secs: number, latencyMs: number) => {
      const sample = { at: secs * 1000, status: 'up', latencyMs, holdSecs: 60, isHeartbeat: false } as const;
      const operations = ids.map((id) => operationOf({ kind: 'sample', sample }, id));
      figures.note(operations);
      facts.apply(...operations);
    };
    const read = (nowSecs: number) => {
      while (!figures.refresh());
      const now = figures.ofManyAt(nowSecs * 1000);
      return ids.map((id) => {
        const { day, last, bars } = now.of(id) ?? assert.fail(id);
        return [day.counts.up, day.p50Ms, last?.latencyMs, bars.at(-1)?.secs.up];
      });
    };
    sampled(startSecs, 7);
    read(startSecs + 5);
    for (let round = 1; round <= 3; round += 1) {
      sampled(startSecs + 20 * round, 7 + round);
      asked = 0;
      const found = read(startSecs + 20 * round + 10);
      const expected = [1 + round, 7 + Math.floor(round / 2), 7 + round, 20 * round + 10];
      assert.deepEqual(found, Array(ids.length).fill(expected));
      assert.ok(asked <= 5, `${asked} questions`);
    }
    facts.sql.close();
  });
});
