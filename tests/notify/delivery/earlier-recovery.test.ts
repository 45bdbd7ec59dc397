/** Messages about a monitor keep their order on a channel that fails, and a recovery that is never taken holds no down up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { holdOf } from '../../../src/engine/alerting/events/stored.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { openDisk, refused, sketch, taken, World, type Seen } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowSecs = 30;

type Step = readonly [secs: number, monitor: string, seen: Seen];

/** An outage that the channel was sent, and the next one, whose down is due at 135 s. */
const twoOutages: readonly Step[] = [
  [0, 'm0', 'down'],
  [100, 'm0', 'up'],
  [105, 'm0', 'down'],
];

interface Story {
  readonly steps: readonly Step[];
  readonly isRefused: (message: Message, secs: number) => boolean;
  readonly monitors?: number;
  readonly restartAtSecs?: number;
}

/** What the channel took, and each message that it refused. */
async function play({ steps, isRefused, monitors = 1, restartAtSecs }: Story) {
  const config = await sketch({
    monitors: Array.from({ length: monitors }, (_, index) => ({ id: `m${index}`, failThreshold: 1 })),
    channels: ['ops'],
    windowSecs,
  });
  const refusals: string[] = [];
  const world: World = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    answer: (message) => {
      const secs = (world.clock.now() - originAt) / 1000;
      if (!isRefused(message, secs)) return taken;
      refusals.push(`${message.event} ${secs}`);
      return refused();
    },
  });
  for (const [secs, id, seen] of steps) {
    await world.runTo(originAt + secs * 1000);
    await world.sample(id, seen);
  }
  if (restartAtSecs !== undefined) {
    await world.runTo(originAt + restartAtSecs * 1000);
    world.restart(1000);
  }
  await world.runTo(originAt + 7_200_000);
  const { sql } = world;
  const lines = world.lines(originAt);
  await world.stop();
  return { lines, refusals, sql };
}

/** Refuses the first `count` messages after 95 s. */
function refusingNext(count: number) {
  let left = count;
  return (_: Message, secs: number): boolean => secs > 95 && (left -= 1) >= 0;
}

const isRecovery = ({ event }: Message) => event === 'recovered';

describe('the recovery of an earlier outage', () => {
  it('goes before the next down, also on a channel that is back right after it refused the recovery', async () => {
    const { lines, refusals, sql } = await play({ steps: twoOutages, isRefused: refusingNext(2) });
    assert.deepEqual(refusals, ['recovered 100', 'recovered 135']);
    assert.deepEqual(lines, ['down m0 30 ops', 'recovered m0 165 ops', 'down m0 165 ops']);
    const held = decisions
      .ofMonitor(sql, 'm0', { at: Number.MAX_SAFE_INTEGER, limit: 100 })
      .filter(({ verdict, event }) => verdict === 'held' && event === 'down');
    assert.deepEqual(
      held.map(({ reason, detail }) => [reason, detail]),
      [
        [
          'channel_failed',
          'Channel ops has not taken the recovery of the outage before: that is tried in 30s, and then this.',
        ],
      ],
    );
    const sent = decisions
      .ofMonitor(sql, 'm0', { at: Number.MAX_SAFE_INTEGER, limit: 100 })
      .filter(({ verdict }) => verdict === 'told');
    assert.deepEqual(
      sent.map(({ event, reason, detail }) => `${event} ${reason}: ${detail ?? ''}`),
      [
        'down sent: It was sent to ops.',
        'recovered sent: It was sent to ops.',
        'down sent: It was sent to ops.',
      ],
    );
    const rowOf = (uid: string, about: string) =>
      outbox.ofIncident(sql, uid).find(({ event }) => event === about) ?? assert.fail();
    const by = rowOf('i0-1', 'recovered').deliveryId;
    assert.deepEqual(holdOf(rowOf('i0-2', 'down').payload), { reason: 'channel_failed', by });
  });

  it('holds the down up for one pause where the channel never takes it', async () => {
    const { lines } = await play({ steps: twoOutages, isRefused: isRecovery });
    assert.deepEqual(lines, ['down m0 30 ops', 'down m0 165 ops']);
  });

  it('holds the down up for one pause in all, also over a restart', async () => {
    const { lines } = await play({ steps: twoOutages, isRefused: isRecovery, restartAtSecs: 150 });
    assert.deepEqual(lines, ['down m0 30 ops', 'down m0 165 ops']);
  });

  it('holds up no message about another monitor', async () => {
    const { lines } = await play({
      steps: [...twoOutages, [105, 'm1', 'down']],
      isRefused: isRecovery,
      monitors: 2,
    });
    assert.deepEqual(lines, ['down m0 30 ops', 'down m1 135 ops', 'down m0 165 ops']);
  });

  it('costs no outage its message that ends during the pause', async () => {
    const { lines } = await play({ steps: [...twoOutages, [150, 'm0', 'up']], isRefused: refusingNext(2) });
    assert.deepEqual([...lines].sort(), [
      'down m0 30 ops',
      'late recovered m0 165 ops',
      'recovered m0 165 ops',
    ]);
  });

  it('goes first, and whatever else ended goes after it and before the down', async () => {
    const { lines } = await play({
      steps: [...twoOutages, [200, 'm0', 'up'], [300, 'm0', 'down']],
      isRefused: (_, secs) => secs > 95 && secs < 310,
    });
    assert.deepEqual(lines, [
      'down m0 30 ops',
      'recovered m0 330 ops',
      'late recovered m0 330 ops',
      'down m0 330 ops',
    ]);
  });

  it('is tried for a few monitors only while the channel fails, and holds up the downs of a hundred no longer', async () => {
    const all = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const at = (secs: number, seen: Seen): Step[] => all.map((id) => [secs, id, seen]);
    const { lines, refusals } = await play({
      steps: [...at(0, 'down'), ...all.map((id, index): Step => [100 + index, id, 'up']), ...at(250, 'down')],
      isRefused: isRecovery,
      monitors: 100,
    });
    assert.deepEqual(lines, ['down m0 30 ops', 'down m0 310 ops']);
    const tried = refusals.filter((line) => /^recovered (280|310)$/.test(line));
    assert.ok(tried.length <= 6, `${tried.length} recoveries were tried before the downs`);
  });
});
