/** Flapping wakes nobody (A2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, sketch, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const monitorCount = 250;
const rounds = casesOf(10, 40);
const roundMs = 600_000;

interface Step {
  readonly at: number;
  readonly monitor: string;
  readonly seen: 'up' | 'down';
}

/** A run of failures that is too short to be confirmed, or confirmed and over before its window is. */
function flap(random: Random, monitor: string, { threshold, windowMs, fromAt }: Flap): Step[] {
  const isConfirmed = random.below(2) === 0;
  const failures = isConfirmed ? threshold : random.below(threshold);
  const steps: Step[] = [];
  let at = fromAt + random.below(200_000);
  for (let count = 0; count < failures; count += 1) {
    at += 1000 + random.below(20_000);
    steps.push({ at, monitor, seen: 'down' });
  }
  const backAt = at + 1 + random.below(isConfirmed ? windowMs - 1 : 20_000);
  const further = isConfirmed ? random.below(3) : 0;
  for (let count = 0; count < further; count += 1)
    steps.push({ at: at + random.below(backAt - at), monitor, seen: 'down' });
  return [...steps, { at: backAt, monitor, seen: 'up' as const }].sort((a, b) => a.at - b.at);
}

interface Flap {
  readonly threshold: number;
  readonly windowMs: number;
  readonly fromAt: number;
}

/** Plays series made for `windowSecs` under a configuration with `actualSecs`. */
async function play(
  windowSecs: number,
  actualSecs: number,
  series: number,
): Promise<{ notified: number; spared: number }> {
  const random = randomOf(printedSeed());
  const monitors = Array.from({ length: monitorCount }, (_, index) => ({
    id: `m${index}`,
    failThreshold: 1 + (index % 5),
  }));
  const config = await sketch({ monitors, channels: ['ops', 'sms'], windowSecs: actualSecs });
  const world = new World({ disk: await openDisk(), config, startAt: originAt });
  for (let round = 0; round * monitorCount < series; round += 1) {
    const fromAt = originAt + round * roundMs;
    const steps = monitors
      .flatMap(({ id, failThreshold }) =>
        flap(random, id, { threshold: failThreshold, windowMs: windowSecs * 1000, fromAt }),
      )
      .sort((a, b) => a.at - b.at);
    for (const { at, monitor, seen } of steps) {
      await world.runTo(at);
      await world.sample(monitor, seen);
    }
    if (random.below(4) === 0) world.restart();
  }
  await world.runTo(originAt + (rounds + 1) * roundMs);
  await world.stop();
  const spared = decisions.totals(world.sql).find(({ reason }) => reason === 'flap')?.count ?? 0;
  return { notified: world.notified.length, spared };
}

describe('flapping', () => {
  it(`below the threshold or inside the window sends nothing, in ${monitorCount * rounds} series`, async () => {
    const { notified, spared } = await play(30, 30, monitorCount * rounds);
    console.log(`  ${monitorCount * rounds} series, ${notified} messages, ${spared} spared`);
    assert.equal(notified, 0);
    assert.ok(spared > monitorCount * rounds * 0.4);
  });

  it('hides no outage: one that follows a flap is alerted on each channel when its window is over', async () => {
    const random = randomOf(printedSeed());
    const windowMs = 30_000;
    const monitors = Array.from({ length: 5 }, (_, index) => ({ id: `m${index}`, failThreshold: 1 + index }));
    const config = await sketch({ monitors, channels: ['ops', 'sms'], windowSecs: 30 });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    let lateMs = 0;
    for (let round = 0; round < rounds; round += 1) {
      const fromAt = originAt + round * roundMs;
      const failAt = fromAt + 400_000 + random.below(50_000);
      const outages = monitors.map(({ id, failThreshold }) => {
        const failures = Array.from({ length: failThreshold }, (_, count) => failAt + count * 1000);
        const dueAt = Math.max(...failures) + windowMs;
        const backAt = dueAt + 1 + random.below(60_000);
        return { monitor: id, failures, dueAt, backAt };
      });
      const steps = [
        ...monitors.flatMap(({ id, failThreshold }) =>
          flap(random, id, { threshold: failThreshold, windowMs, fromAt }),
        ),
        ...outages.flatMap(({ monitor, failures, backAt }) => [
          ...failures.map((at) => ({ at, monitor, seen: 'down' as const })),
          { at: backAt, monitor, seen: 'up' as const },
        ]),
      ].sort((a, b) => a.at - b.at);
      world.notified.length = 0;
      for (const { at, monitor, seen } of steps) {
        await world.runTo(at);
        await world.sample(monitor, seen);
        if (random.below(40) === 0) world.restart();
      }
      await world.runTo(fromAt + roundMs - 1);
      for (const { monitor, dueAt } of outages)
        for (const channel of ['ops', 'sms']) {
          const own = world.notified.filter(
            ({ channel: of, message }) =>
              of === channel && 'monitor' in message && message.monitor.id === monitor,
          );
          assert.deepEqual(
            own.map(({ message }) => message.event),
            ['down', 'recovered'],
          );
          lateMs = Math.max(lateMs, (own[0]?.at ?? Infinity) - dueAt);
        }
    }
    await world.stop();
    assert.ok(lateMs <= 2000, `${lateMs} ms after its window`);
  });

  it('would be sent without a window', async () => {
    const { notified } = await play(30, 0, monitorCount * 2);
    assert.ok(notified > 0);
  });
});
