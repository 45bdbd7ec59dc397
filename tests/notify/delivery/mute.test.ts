/** Rule 5: mutes hold messages back, never what is recorded (A5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, sketch, World, type Disk } from './world.ts';

const lives = casesOf(250, 1000);
const originAt = Date.UTC(2026, 0, 1);
/** Instants are in ticks, so that a life is short. */
const tickMs = 200;
const windowTicks = 30;
const windowSecs = (windowTicks * tickMs) / 1000;
const endTick = 4000;
const muted = { from: 1000, until: 2000 };

type Phase = 'before' | 'during' | 'after';

/** A check that fails or answers confirms at once. Where up comes in an earlier phase than down, it ends nothing. */
const downAt: Record<Phase, number> = { before: 400, during: 1200, after: 2200 };
const upAt: Record<Phase, number> = { before: 700, during: 1500, after: 2500 };
/** Inside the window of an outage of that phase. */
const restartAt: Record<Phase, number> = { before: 415, during: 1215, after: 2215 };

const down = (tick: number) => `down api ${tick} ops`;
const up = (tick: number) => `recovered api ${tick} ops`;

/** down, up, restart: what is told, and when. */
const table: readonly (readonly [Phase, Phase, Phase, readonly string[]])[] = [
  ['before', 'before', 'before', [down(430), up(700)]],
  ['before', 'before', 'during', [down(430), up(700)]],
  ['before', 'before', 'after', [down(430), up(700)]],
  ['before', 'during', 'before', [down(430), up(2000)]],
  ['before', 'during', 'during', [down(430), up(2000)]],
  ['before', 'during', 'after', [down(430), up(2000)]],
  ['before', 'after', 'before', [down(430), up(2500)]],
  ['before', 'after', 'during', [down(430), up(2500)]],
  ['before', 'after', 'after', [down(430), up(2500)]],
  ['during', 'before', 'before', [down(2000)]],
  ['during', 'before', 'during', [down(2000)]],
  ['during', 'before', 'after', [down(2000)]],
  ['during', 'during', 'before', []],
  ['during', 'during', 'during', []],
  ['during', 'during', 'after', []],
  ['during', 'after', 'before', [down(2000), up(2500)]],
  ['during', 'after', 'during', [down(2000), up(2500)]],
  ['during', 'after', 'after', [down(2000), up(2500)]],
  ['after', 'before', 'before', [down(2230)]],
  ['after', 'before', 'during', [down(2230)]],
  ['after', 'before', 'after', [down(2230)]],
  ['after', 'during', 'before', [down(2230)]],
  ['after', 'during', 'during', [down(2230)]],
  ['after', 'during', 'after', [down(2230)]],
  ['after', 'after', 'before', [down(2230), up(2500)]],
  ['after', 'after', 'during', [down(2230), up(2500)]],
  ['after', 'after', 'after', [down(2230), up(2500)]],
];

interface Step {
  readonly tick: number;
  readonly act: (world: World) => Promise<void> | void;
}

async function play(config: Config, steps: readonly Step[], disk: Disk): Promise<string[]> {
  const world = new World({ disk, config, startAt: originAt });
  for (const { tick, act } of steps.toSorted((a, b) => a.tick - b.tick)) {
    await world.runTo(originAt + tick * tickMs);
    await act(world);
  }
  await world.runTo(originAt + endTick * tickMs);
  await world.stop();
  return world.lines(originAt, tickMs);
}

function silenceUntil(tick: number) {
  return silences.add({
    monitors: ['api'],
    untilAt: originAt + tick * tickMs,
    reason: null,
    createdAt: originAt,
  });
}

const sample = (tick: number, seen: 'up' | 'down'): Step => ({
  tick,
  act: (world) => world.sample('api', seen),
});
const restart = (tick: number): Step => ({
  tick,
  act: (world) => {
    world.restart();
  },
});

const at = (tick: number) => new Date(originAt + tick * tickMs).toISOString();
const maintenance = (from: number, until: number) =>
  `[[maintenance]]\ntitle = "Work"\nstart = "${at(from)}"\nend = "${at(until)}"\nmonitors = ["api"]`;

const base = { monitors: [{ id: 'api', failThreshold: 1 }], channels: ['ops'], windowSecs };

describe('a mute', () => {
  it('holds back, sends at its end or suppresses, in each of the 27 cases of down, up and restart', async () => {
    const disk = await openDisk();
    const silent = await sketch(base);
    const worked = await sketch({ ...base, extra: maintenance(muted.from, muted.until) });
    for (const [downs, ups, restarts, expected] of table) {
      const steps = [
        sample(1, 'up'),
        sample(downAt[downs], 'down'),
        sample(upAt[ups], 'up'),
        restart(restartAt[restarts]),
      ];
      const silence: Step = {
        tick: muted.from,
        act: (world) => {
          world.apply(silenceUntil(muted.until));
        },
      };
      const name = `down ${downs}, up ${ups}, restart ${restarts}`;
      assert.deepEqual(await play(silent, [...steps, silence], disk), expected, `silence: ${name}`);
      assert.deepEqual(await play(worked, steps, disk), expected, `maintenance: ${name}`);
    }
    console.log(`  ${table.length} cases, each under a silence and a maintenance window`);
  });

  it(`does the same in ${lives} random lives of mutes, outages and restarts`, async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    let messages = 0;
    for (let run = 0; run < lives; run += 1) {
      const life = randomLife(random);
      const config = await sketch({
        ...base,
        extra: life.works.map(([from, to]) => maintenance(from, to)).join('\n'),
      });
      const expected = expectedOf(life);
      assert.deepEqual(await play(config, stepsOf(life), disk), expected, JSON.stringify(life));
      messages += expected.length;
    }
    console.log(`  ${lives} lives, ${messages} messages, all as expected`);
    assert.ok(messages > lives);
  });

  it('does not hide the cause of an outage', async () => {
    const monitors = [
      { id: 'db', failThreshold: 1 },
      { id: 'api', failThreshold: 1, dependsOn: ['db'] },
      { id: 'web', failThreshold: 1, dependsOn: ['api'], notify: [] },
    ];
    for (const [mutedId, order] of [
      ['db', ['db', 'api', 'web']],
      ['db', ['web', 'api', 'db']],
      ['api', ['api', 'web', 'db']],
    ] as const) {
      const disk = await openDisk();
      const world = new World({ disk, config: await sketch({ ...base, monitors }), startAt: originAt });
      const silence = { untilAt: originAt + 3_600_000, reason: null, createdAt: originAt };
      world.apply(silences.add({ ...silence, monitors: [mutedId] }));
      for (const [index, id] of order.entries()) {
        await world.runTo(originAt + (index + 1) * tickMs);
        await world.sample(id, 'down');
      }
      await world.runTo(originAt + 3 * windowTicks * tickMs);
      const rows = incidents.list(world.sql, { limit: 10 }).incidents;
      assert.deepEqual(
        Object.fromEntries(rows.map(({ monitor, cause }) => [monitor, cause])),
        { db: null, api: 'db', web: 'db' },
        `${mutedId} muted, ${order.join(', ')}`,
      );
      const root = rows.find(({ monitor }) => monitor === 'db');
      assert.deepEqual(root?.impacted.toSorted(), ['api', 'web']);
      await world.stop();
    }
  });

  it('matters: without it, the same lives send other messages', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const config = await sketch(base);
    let differences = 0;
    for (let run = 0; run < 100; run += 1) {
      const life = randomLife(random);
      const steps = stepsOf({ ...life, silences: [] });
      const notified = await play(config, steps, disk);
      if (JSON.stringify(notified) !== JSON.stringify(expectedOf(life))) differences += 1;
    }
    assert.ok(differences > 20, `${differences} of 100 differ`);
  });
});

/** Ticks from the origin; no two instants are the same. */
interface Life {
  /** Confirmed, over. */
  readonly outages: readonly (readonly [from: number, to: number])[];
  readonly works: readonly (readonly [from: number, to: number])[];
  /** Set, meant to end, cleared by hand (Infinity: not). */
  readonly silences: readonly (readonly [from: number, to: number, clearedAt: number])[];
  readonly restarts: readonly number[];
}

function randomLife(random: Random): Life {
  const free = Array.from({ length: 3500 }, (_, index) => index + 10);
  const instant = (): number => {
    const [tick = 0] = free.splice(random.below(free.length), 1);
    return tick;
  };
  const instants = (count: number) => Array.from({ length: count }, instant).sort((a, b) => a - b);
  const pairs = (count: number) => {
    const all = instants(count * 2);
    return Array.from(
      { length: count },
      (_, index) => [all[index * 2] ?? 0, all[index * 2 + 1] ?? 0] as const,
    );
  };
  return {
    outages: pairs(1 + random.below(4)),
    works: pairs(random.below(3)),
    silences: pairs(random.below(3)).map(([from, to]) => [
      from + 0.5,
      to + 0.5,
      random.below(2) === 0 ? Infinity : from + random.below(to - from) + 0.75,
    ]),
    restarts: instants(random.below(4)),
  };
}

function stepsOf({ outages, silences: silent, restarts }: Life): Step[] {
  return [
    sample(1, 'up'),
    ...outages.flatMap(([from, to]) => [sample(from, 'down'), sample(to, 'up')]),
    ...silent.flatMap(([from, to, clearedAt]): Step[] => [
      {
        tick: from,
        act: (world) => {
          world.apply(silenceUntil(to));
        },
      },
      ...(clearedAt < to ? [clearing(clearedAt, to)] : []),
    ]),
    ...restarts.map(restart),
  ];
}

function clearing(tick: number, until: number): Step {
  return {
    tick,
    act: (world) => {
      const found = silences
        .active(world.sql, world.clock.now())
        .find(({ untilAt }) => untilAt === originAt + until * tickMs);
      if (found !== undefined) world.apply(silences.clear({ id: found.id }));
    },
  };
}

/**
 * From the definition: whoever is muted hears it at the first instant that is not, if it is still so. What is down
 * again by then is not called up before that outage is over, or right before its down.
 */
function expectedOf({ outages, works, silences: silent }: Life): string[] {
  const spans = [...works, ...silent.map(([from, to, cleared]) => [from, Math.min(to, cleared)] as const)];
  const openFrom = (tick: number): number => {
    const covering = spans.find(([from, to]) => from <= tick && tick < to);
    return covering === undefined ? tick : openFrom(covering[1]);
  };
  const recoveredFrom = (tick: number): number => {
    const openAt = openFrom(tick);
    const again = outages.find(([from, to]) => from <= openAt && openAt < to);
    if (again === undefined) return openAt;
    const notifiedAt = openFrom(again[0] + windowTicks);
    return again[1] < notifiedAt ? recoveredFrom(again[1]) : notifiedAt;
  };
  return outages
    .flatMap(([from, to]) => {
      const notifiedAt = openFrom(from + windowTicks);
      if (to < notifiedAt) return [];
      const recoveredAt = recoveredFrom(to);
      return [
        { tick: notifiedAt, line: down(notifiedAt) },
        { tick: recoveredAt, line: up(recoveredAt) },
      ];
    })
    .sort((a, b) => a.tick - b.tick)
    .map(({ line }) => line);
}
