/** Reminders, acknowledgements and quiet hours together, held against a short model that shares no code with them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { load } from '../../support/config.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, World } from './world.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const windowMs = 30_000;

interface Ways {
  readonly name: string;
  /** Minutes of the day; null: none. */
  readonly quiet: { readonly from: number; readonly to: number; readonly isDropping: boolean } | null;
  readonly repeatMs: number | null;
}

interface Story {
  readonly ways: readonly Ways[];
  readonly failAt: number;
  readonly backAt: number;
  /** Infinity: nobody does. */
  readonly ackAt: number;
  readonly isCritical: boolean;
}

const two = (value: number) => String(value).padStart(2, '0');
const clock = (minutes: number) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

async function configOf({ ways, isCritical }: Story) {
  const channels = ways.map(({ name, quiet, repeatMs }) =>
    [
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`,
      ...(quiet === null ? [] : [`quiet_hours = "${clock(quiet.from)}-${clock(quiet.to)}"`]),
      ...(quiet?.isDropping === true ? ['quiet = "drop"'] : []),
      ...(repeatMs === null ? [] : [`repeat_every_secs = ${repeatMs / 1000}`]),
    ].join('\n'),
  );
  const monitor = `[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\ncritical = ${isCritical}`;
  const alerts = `[alerts]\nfail_threshold = 1\ngroup_window_secs = ${windowMs / 1000}`;
  return (await load([alerts, ...channels, monitor].join('\n'))).config;
}

/** The first instant from `at` on that is in no quiet hours. */
function openFrom(at: number, { quiet }: Ways, isCritical: boolean): number {
  if (quiet === null || isCritical) return at;
  const { from, to } = quiet;
  const length = (to - from + 1440) % 1440;
  const midnight = Math.floor(at / dayMs) * dayMs;
  for (const day of [-1, 0]) {
    const begins = midnight + day * dayMs + from * minuteMs;
    if (at >= begins && at < begins + length * minuteMs) return begins + length * minuteMs;
  }
  return at;
}

/** What a channel is sent, and when. */
function expected({ failAt, backAt, ackAt, isCritical }: Story, ways: Ways): string[] {
  const open = (at: number) => openFrom(at, ways, isCritical);
  const dueAt = failAt + windowMs;
  if (backAt < dueAt) return [];
  const sentAt = open(dueAt);
  if (sentAt >= backAt) return sentAt > dueAt && ways.quiet?.isDropping === true ? [] : [`late ${sentAt}`];
  const lines = [`down ${sentAt}`];
  if (ways.repeatMs !== null) {
    let at = open(sentAt + ways.repeatMs);
    for (; at < Math.min(backAt, ackAt); at = open(at + ways.repeatMs)) lines.push(`reminder ${at}`);
  }
  return [...lines, `recovered ${open(backAt)}`];
}

function storyOf(random: Random): Story {
  const failAt = Date.UTC(2026, 0, 5) + random.below(dayMs);
  const lastsMs =
    random.below(8) === 0 ? 1 + random.below(windowMs - 1) : windowMs + 1 + random.below(dayMs / 4);
  const backAt = failAt + lastsMs;
  const ways = ['a', 'b', 'c'].map((name): Ways => {
    const from = random.below(1440);
    const quiet = { from, to: (from + 1 + random.below(1439)) % 1440, isDropping: random.below(3) === 0 };
    const repeatMs = 600_000 + 1000 * random.below(7200);
    return {
      name,
      quiet: random.below(3) === 0 ? null : quiet,
      repeatMs: random.below(4) === 0 ? null : repeatMs,
    };
  });
  const ackAt = random.below(2) === 0 ? Infinity : failAt + 1 + random.below(dayMs / 4);
  return { ways, failAt, backAt, ackAt, isCritical: random.below(5) === 0 };
}

async function play(story: Story, random: Random, disk: Awaited<ReturnType<typeof openDisk>>) {
  const { failAt, backAt, ackAt } = story;
  const truth = (_: string, at: number) => (at < backAt ? 'down' : 'up');
  const config = await configOf(story);
  const world = new World({ disk, config, startAt: failAt - 1000, truth });
  await world.runTo(failAt);
  await world.sample('api', 'down');
  const stops = Array.from({ length: random.below(4) }, () => failAt + random.below(dayMs / 4));
  const steps = [
    ...stops.map((at) => ({
      at,
      act: async () => {
        await Promise.resolve();
        world.restart();
      },
    })),
    ...(ackAt >= backAt
      ? []
      : [
          {
            at: ackAt,
            act: () => {
              const uid = incidents.listOpen(world.sql)[0]?.uid ?? '';
              world.apply(incidents.acknowledge({ uid, at: ackAt, by: null, reason: null }));
              return world.settle();
            },
          },
        ]),
    { at: backAt, act: () => world.sample('api', 'up') },
  ].toSorted((a, b) => a.at - b.at);
  for (const { at, act } of steps) {
    await world.runTo(at);
    await act();
  }
  // What still waits comes out at the end of quiet hours, a day later at most.
  for (let tries = 0; tries < 50; tries += 1) {
    const nextAt = outbox.nextDueAt(world.sql);
    if (nextAt === null) break;
    await world.runTo(nextAt + 1000);
  }
  await world.stop();
  return world.notified.map(({ at, channel, message }) => {
    const word = message.event === 'recovered' && message.isLate ? 'late' : message.event;
    return { channel, line: `${word} ${at}` };
  });
}

describe('on call', () => {
  const histories = casesOf(60, 3000);
  it(`equals the model in ${histories} outages over quiet hours, reminders, acknowledgements and restarts`, async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const counts = new Map(['down', 'reminder', 'recovered', 'late'].map((word) => [word, 0]));
    const isSeen = () => [...counts.values()].every((count) => count > 10);
    // In some series few are late: it goes on until all was seen often enough.
    for (let history = 0; history < histories || !isSeen(); history += 1) {
      assert.ok(history < 10 * histories, [...counts].join(' '));
      const story = storyOf(random);
      const sent = await play(story, random, disk);
      for (const ways of story.ways) {
        const lines = sent.flatMap(({ channel, line }) => (channel === ways.name ? line : []));
        const wanted = expected(story, ways);
        assert.deepEqual(lines, wanted, `history ${history}: ${JSON.stringify({ ...story, ways })}`);
        for (const line of wanted) {
          const word = line.split(' ')[0] ?? '';
          counts.set(word, (counts.get(word) ?? 0) + 1);
        }
      }
    }
    console.log(
      `  ${histories} outages: ${[...counts].map(([word, count]) => `${count} ${word}`).join(', ')}`,
    );
  });
});
