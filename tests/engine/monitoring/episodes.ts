/** Faults of this node, lived through in virtual time: what was told meanwhile, and whether it still hears (A8). */
import { samples } from '../../../src/db/tables/samples.ts';
import type { Random } from '../../support/random.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type Answer, failed, httpMonitors, openWorld, silent, unknown, up, type World } from './world.ts';

export const second = 1000;
export const minute = 60_000;
export const hosts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export const push = '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 600\ngrace_secs = 60\n';

export const settings = (threshold: number) =>
  `[alerts]\nfail_threshold = ${threshold}\ngroup_window_secs = 0\n`;

export function answerAll(world: World, ids: readonly string[], answer: () => Answer): void {
  for (const id of ids) world.targets.set(id, answer);
}

export function downRows(world: World): string[] {
  return world.outbox().filter((row) => / down /.test(row));
}

export function lastStatus(world: World, id: string): string | undefined {
  return samples.recent(world.store.sql, id, { limit: 1, hours: 2 }).at(-1)?.status;
}

export function heartbeat(world: World): Promise<void> {
  return world.clock.until(
    world.engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null }),
  );
}

/** Puts every target's next check under way, stands still so long, then everything is as before. */
export async function standStill(world: World, ids: readonly string[], work: () => void): Promise<void> {
  await putUnderWay(world, ids, ids.length);
  work();
  answerAll(world, ids, () => up());
  await world.clock.run(5 * minute);
}

/** Lets the targets be silent until checks of so many of them have begun. */
async function putUnderWay(world: World, ids: readonly string[], count: number): Promise<void> {
  answerAll(world, ids, () => silent(10 * second));
  const asked = world.checks.length;
  while (new Set(world.checks.slice(asked).map(({ id }) => id)).size < count) await world.clock.run(second);
}

export const faults = ['stall', 'stop', 'clock', 'network', 'resolver'] as const;

type Fault = (typeof faults)[number];

export interface Episode {
  readonly fault: Fault;
  readonly random: Random;
  /** False: two hosts, and a clock that hides a standstill, so that nothing tells the node from the world. */
  readonly isDefended?: boolean;
}

export interface Outcome {
  /** Who was told to be down for no fault of its own. */
  readonly wrong: readonly string[];
  /** A real outage afterwards was told. */
  readonly isAwake: boolean;
}

/** One fault at a moment of chance, for a time of chance, and what comes after it. */
export async function liveThrough({ fault, random, isDefended = true }: Episode): Promise<Outcome> {
  const ids = isDefended ? hosts.slice(0, 3 + random.below(6)) : hosts.slice(0, 2);
  // A check that is asked before the one before it came back is left out, so they are further apart than that.
  const monitors = httpMonitors(ids, `interval_secs = ${11 + random.below(50)}`);
  const clock = new VirtualClock();
  const hidden = { ms: 0 };
  const blind = {
    now: () => clock.now() - hidden.ms,
    monotonic: () => clock.monotonic() - hidden.ms,
    sleep: clock.sleep,
    after: clock.after,
  };
  const toml = settings(isDefended ? 1 + random.below(3) : 1) + monitors + push;
  const world = await openWorld(toml, { clock, engine: { clock: blind } });
  await heartbeat(world);
  await clock.run(3 * minute + random.below(minute));
  const stall = (ms: number) => {
    clock.stall(ms);
    if (!isDefended) hidden.ms += ms;
  };
  await fail(world, ids, { fault, random, isDefended, stall });
  const wrong = downRows(world);
  await heartbeat(world);
  answerAll(world, ['a'], () => failed('status'));
  await clock.run(5 * minute);
  const isAwake = downRows(world).length > wrong.length;
  await clock.until(world.engine.stop());
  return { wrong, isAwake };
}

interface Failing extends Required<Episode> {
  readonly stall: (ms: number) => void;
}

async function fail(
  world: World,
  ids: readonly string[],
  { fault, random, isDefended, stall }: Failing,
): Promise<void> {
  const { clock } = world;
  switch (fault) {
    case 'stall':
    case 'stop': {
      const ms = fault === 'stall' ? (11 + random.below(30)) * second : (1 + random.below(300)) * minute;
      // So soon after the first one began, none has failed yet for any other reason.
      await putUnderWay(world, ids, 1);
      await clock.run(random.below(8 * second));
      stall(ms);
      answerAll(world, ids, () => up());
      await sendOnTime(world, 5 * minute);
      return;
    }
    case 'clock': {
      answerAll(world, ids, () => silent(10 * second));
      await clock.run(random.below(10 * second));
      clock.step((random.below(2) === 0 ? 1 : -1) * (1 + random.below(300)) * minute);
      answerAll(world, ids, () => up());
      await clock.run(5 * minute);
      return;
    }
    case 'network':
      answerAll(world, ids, () => silent(10 * second));
      await clock.run(lasting(random));
      answerAll(world, ids, () => up());
      // What the job sent meanwhile is lost; a healthy one goes on.
      await sendOnTime(world, 5 * minute);
      return;
    case 'resolver': {
      // A dns monitor whose own name server does not answer.
      const dead = () => silent(10 * second, 'the name server did not answer');
      answerAll(world, ids, isDefended ? random.pick([dead, unknown]) : dead);
      // Whoever sends heartbeats resolves names elsewhere.
      for (let left = lasting(random); left > 0; left -= minute) {
        await heartbeat(world);
        await clock.run(Math.min(left, minute));
      }
      answerAll(world, ids, () => up());
      await clock.run(5 * minute);
    }
  }
}

/** Lets time pass while the job sends every 10 min of its own clock, as it did before this node stood still. */
async function sendOnTime({ clock, engine }: World, ms: number): Promise<void> {
  const endMs = clock.monotonic() + ms;
  for (let nextMs = 0; nextMs < endMs; nextMs += 10 * minute) {
    if (nextMs < clock.monotonic()) continue;
    await clock.run(nextMs - clock.monotonic());
    await clock.until(engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null }));
  }
  await clock.run(endMs - clock.monotonic());
}

const lasting = (random: Random) => (1 + random.below(30)) * minute + random.below(minute);
