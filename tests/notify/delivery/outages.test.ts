/** Rules 6 to 8: what really happened is told, whatever breaks on the way (A3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { incidents, type IncidentRow } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, refused, sketch, taken, World, type Disk, type Notified } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const tickMs = 1000;
const histories = casesOf(250, 1000);

/** Routes by monitor; b is meant for one channel alone. */
const routes: Readonly<Record<string, readonly string[]>> = {
  a: ['ops', 'sms'],
  b: ['sms'],
  c: ['ops', 'sms'],
};

const configOf = (windowSecs: number): Promise<Config> =>
  sketch({
    monitors: Object.entries(routes).map(([id, notify], index) => ({
      id,
      notify: id === 'a' ? null : notify,
      failThreshold: index + 1,
    })),
    channels: ['ops', 'sms'],
    windowSecs,
  });

interface History {
  readonly world: World;
  readonly windowMs: number;
}

interface Breaking {
  readonly random: Random;
  readonly disk: Disk;
  /** Crashes every so many waits, on average; Infinity: never. */
  readonly pointsPerCrash: number;
  readonly tamper?: (operations: readonly Operation[]) => readonly Operation[];
  readonly onCrash?: (world: World) => void;
}

/**
 * Some minutes of checks every five seconds, of monitors that fail now and then, through channels that do too; half of them
 * on a slow disk.
 */
async function live(configs: readonly Config[], how: Breaking): Promise<History> {
  const { random, disk, pointsPerCrash } = how;
  const config = random.pick(configs);
  let isBreaking = true;
  let isOutage = false;
  const isSlow = random.below(2) === 0;
  const isDown = new Map(Object.keys(routes).map((id) => [id, false]));
  const world: World = new World({
    disk,
    config,
    startAt: originAt,
    ...(isSlow && { canHang: true, writeMs: () => random.below(100) }),
    isCrashPoint: () => isBreaking && random.below(1_000_000) < 1_000_000 / pointsPerCrash,
    answer: async () => {
      if (isSlow) await world.clock.sleep(random.below(1000));
      return isBreaking && isOutage && random.below(2) === 0 ? refused(random.below(2) === 0) : taken;
    },
    truth: (monitor) => (isDown.get(monitor) === true ? 'down' : 'up'),
    ...(how.tamper === undefined ? {} : { tamper: how.tamper }),
  });
  let crashes = 0;
  for (let tick = 0; tick < 300; tick += 5) {
    await world.runTo(originAt + tick * tickMs);
    isOutage = tick % 100 < 40;
    for (const [id, wasDown] of isDown) {
      if (random.below(wasDown ? 10 : 25) === 0) isDown.set(id, !wasDown);
      await world.sample(id, isDown.get(id) === true ? 'down' : 'up');
    }
    if (world.crashes > crashes) how.onCrash?.(world);
    crashes = world.crashes;
  }
  isBreaking = false;
  await world.runTo(originAt + 1500 * tickMs);
  await world.stop();
  return { world, windowMs: config.alerts.group_window_secs * 1000 };
}

interface Tally {
  outages: number;
  notified: number;
  late: number;
  lost: number;
  unwanted: number;
  repeats: number;
  /** Repeats on a channel beyond the crashes: a crash may cut one delivery of each channel short. */
  excess: number;
  crashes: number;
}

/** What the record says happened against what the channels heard. */
function tallyOf({ world, windowMs }: History): Tally {
  const tally = {
    outages: 0,
    notified: 0,
    late: 0,
    lost: 0,
    unwanted: 0,
    repeats: 0,
    excess: 0,
    crashes: world.crashes,
  };
  const repeats = new Map<string, number>();
  const { incidents: all } = incidents.list(world.sql, { limit: 1000 });
  for (const incident of all) {
    const isReal = incident.endedAt === null || incident.endedAt >= incident.confirmedAt + windowMs;
    for (const channel of routes[incident.monitor] ?? []) {
      const heard = heardOf(world.notified, incident, channel);
      const downs = heard.filter(({ message }) => message.event === 'down').length;
      const lates = heard.filter(({ message }) => message.event === 'recovered' && message.isLate).length;
      const recoveries = heard.length - downs - lates;
      tally.outages += isReal ? 1 : 0;
      tally.notified += downs;
      tally.late += lates;
      const repeated = Math.max(0, downs + lates - 1) + Math.max(0, recoveries - 1);
      tally.repeats += repeated;
      repeats.set(channel, (repeats.get(channel) ?? 0) + repeated);
      if (isReal && downs + lates === 0) tally.lost += 1;
      if (!isReal && heard.length > 0) tally.unwanted += 1;
      const isOver = incident.endedAt !== null;
      const isOwed = downs > 0 && lates === 0 && isOver && recoveries === 0;
      if (isOwed && !isHeldBack(world, incident, channel)) tally.lost += 1;
      if (downs === 0 && recoveries > 0) tally.unwanted += 1;
    }
  }
  for (const count of repeats.values()) tally.excess += Math.max(0, count - world.crashes);
  return tally;
}

/** A recovery that a failing channel did not take in time waits while its monitor is down again, here until the end. */
function isHeldBack(world: World, { uid, monitor }: IncidentRow, channel: string): boolean {
  const isDownAgain = incidents.listOpen(world.sql).some((open) => open.monitor === monitor);
  const rows = outbox.ofIncident(world.sql, uid).filter((row) => row.channel === channel);
  return isDownAgain && rows.some(({ event, state }) => event === 'recovered' && state === 'waiting');
}

function heardOf(notified: readonly Notified[], { id }: IncidentRow, channel: string): Notified[] {
  return notified.filter(
    (each) => each.channel === channel && 'incidentId' in each.message && each.message.incidentId === id,
  );
}

/** Of so many histories, or as many as it takes until there is what `isEnough` looks for. */
async function sum(
  count: number,
  how: Omit<Breaking, 'disk' | 'random'>,
  isEnough: (total: Tally) => boolean = () => false,
): Promise<Tally> {
  const random = randomOf(printedSeed());
  const disk = await openDisk();
  const configs = await Promise.all([0, 10, 30].map(configOf));
  const total = { outages: 0, notified: 0, late: 0, lost: 0, unwanted: 0, repeats: 0, excess: 0, crashes: 0 };
  for (let run = 0; run < count && !isEnough(total); run += 1) {
    const tally = tallyOf(await live(configs, { ...how, random, disk }));
    for (const key of Object.keys(tally) as (keyof Tally)[]) total[key] += tally[key];
  }
  return total;
}

describe('an outage', () => {
  it('is sent once a routed channel, with crashes between any two waits: none lost, no more repeats than crashes', async () => {
    const total = await sum(histories, { pointsPerCrash: 60 });
    console.log(`  ${histories} histories: ${JSON.stringify(total)}`);
    const { outages, crashes, lost, unwanted, excess } = total;
    assert.deepEqual({ lost, unwanted, excess }, { lost: 0, unwanted: 0, excess: 0 });
    assert.ok(outages > histories && crashes > histories / 2);
  });

  it('is sent exactly once while nothing crashes', async () => {
    const { lost, unwanted, repeats, crashes } = await sum(100, { pointsPerCrash: Infinity });
    assert.deepEqual({ lost, unwanted, repeats, crashes }, { lost: 0, unwanted: 0, repeats: 0, crashes: 0 });
  });

  it('would be lost by an outbox that a crash empties', async () => {
    const onCrash = (world: World) => {
      const waiting = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 1000);
      world.apply(...waiting.map(({ deliveryId }) => outbox.drop({ deliveryId, at: world.clock.now() })));
    };
    const { lost } = await sum(100, { pointsPerCrash: 60, onCrash }, (total) => total.lost > 0);
    assert.ok(lost > 0);
  });

  it('would be repeated by an outbox that forgets what was sent', async () => {
    let count = 0;
    const tamper = (operations: readonly Operation[]) => {
      count += 1;
      return count % 10 === 0 ? operations.filter(([name]) => name !== 'outbox.sent') : operations;
    };
    const { excess } = await sum(30, { pointsPerCrash: 60, tamper }, (total) => total.excess > 0);
    assert.ok(excess > 0);
  });
});
