/** Random lives of push monitors against a model of their deadlines that shares no code with the product. */
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { Random } from '../../support/random.ts';
import { openWorld, type World } from './world.ts';

const second = 1000;
const minute = 60_000;

interface Job {
  readonly id: string;
  /** Every so often, or at each multiple of so many minutes. */
  readonly rhythm: { readonly everyMs: number } | { readonly minutes: number };
  readonly graceMs: number;
  readonly firstAt: number;
  /** Nothing is sent from here on; Infinity: it lives. */
  readonly diesAt: number;
  heardAt: number | null;
  nextAt: number;
}

interface Span {
  readonly fromAt: number;
  readonly toAt: number;
}

export interface HistoryOptions {
  readonly random: Random;
  readonly kind: 'stalls' | 'restarts' | 'both';
}

export interface HistoryOutcome {
  /** What contradicts the model, in words. */
  readonly wrong: readonly string[];
  /** Jobs that died. */
  readonly dead: number;
  /** Times at which this node did not listen. */
  readonly lost: number;
}

const lengthMs = 90 * minute;

/** The start of a standstill is known to a second. */
const beatMs = 1000;

export async function liveThroughHistory({ random, kind }: HistoryOptions): Promise<HistoryOutcome> {
  const drafts = Array.from({ length: 8 }, (_, n) => ({
    id: `job${n}`,
    rhythm:
      random.below(3) === 0
        ? { minutes: random.pick([1, 2, 5, 10]) }
        : { everyMs: (20 + random.below(600)) * second },
    graceMs: (3 + random.below(900)) * second,
    isDead: n === 0 || random.below(2) === 0,
  }));
  const toml = drafts
    .map(({ id, rhythm, graceMs }) => {
      const when =
        'minutes' in rhythm
          ? `schedule = "*/${rhythm.minutes} * * * *"`
          : `interval_secs = ${rhythm.everyMs / second}`;
      return `[[monitors]]\nid = "${id}"\nkind = "push"\n${when}\ngrace_secs = ${graceMs / second}\n`;
    })
    .join('');
  const world = await openWorld(toml);
  const { clock } = world;
  const firstAt = clock.now();
  const jobs = drafts.map(({ isDead, ...draft }): Job => {
    const diesAt = isDead ? firstAt + random.below(lengthMs / 2) : Infinity;
    const nextAt =
      'minutes' in draft.rhythm ? planned(draft.rhythm.minutes, firstAt) : firstAt + random.below(20_000);
    return { ...draft, firstAt, diesAt, heardAt: null, nextAt };
  });
  const gaps: Span[] = [];
  const endAt = firstAt + lengthMs;
  let faultAt = firstAt + random.below(5 * minute);
  while (clock.now() < endAt) {
    const sendAt = Math.min(...jobs.map(({ nextAt, diesAt }) => (nextAt < diesAt ? nextAt : Infinity)));
    const at = Math.min(endAt, faultAt, sendAt);
    if (at > clock.now()) await clock.run(at - clock.now());
    if (faultAt <= clock.now()) {
      gaps.push(await faultIn(world, { random, kind }));
      faultAt = clock.now() + 10 * second + random.below(random.pick([20 * second, 10 * minute]));
    }
    await sendAll(world, jobs);
  }
  await clock.until(world.engine.stop());
  const wrong = jobs.flatMap((job) => faultsOf(world, job, { gaps, endAt }));
  const dead = jobs.filter(({ diesAt }) => diesAt < Infinity).length;
  return { wrong, dead, lost: gaps.length };
}

async function faultIn(world: World, { random, kind }: HistoryOptions): Promise<Span> {
  const { clock } = world;
  const isStall = kind === 'stalls' || (kind === 'both' && random.below(2) === 0);
  const fromAt = clock.now();
  const ms = isStall ? (4 + random.below(40)) * second : (1 + random.below(random.pick([5, 600]))) * second;
  if (isStall) clock.stall(ms);
  else {
    await world.engine.stop();
    clock.stall(ms);
    await world.restart();
  }
  const toAt = fromAt + ms;
  // Timers run before what arrived meanwhile is read.
  await clock.run(200);
  return { fromAt, toAt };
}

/** A job sends at its time; one whose request was lost sends again as soon as this node listens. */
async function sendAll({ clock, engine }: World, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const now = clock.now();
    if (job.nextAt > now) continue;
    if (now >= job.diesAt) {
      job.nextAt = Infinity;
      continue;
    }
    await clock.until(engine.heartbeat({ monitor: job.id, status: 'up', message: null, pingMs: null }));
    job.heardAt = clock.now();
    job.nextAt = nextSend(job, clock.now());
  }
}

function nextSend({ rhythm, nextAt }: Job, now: number): number {
  if ('minutes' in rhythm) return planned(rhythm.minutes, now);
  return nextAt + (Math.floor((now - nextAt) / rhythm.everyMs) + 1) * rhythm.everyMs;
}

function planned(minutes: number, afterAt: number): number {
  const everyMs = minutes * minute;
  return (Math.floor(afterAt / everyMs) + 1) * everyMs;
}

function dueAtOf({ rhythm, heardAt, firstAt }: Job): number {
  if ('everyMs' in rhythm) return (heardAt ?? firstAt) + rhythm.everyMs;
  // A heartbeat up to 30 s early is meant for the instant after it.
  return planned(rhythm.minutes, heardAt === null ? firstAt : heardAt + 30 * second);
}

interface Course {
  readonly gaps: readonly Span[];
  readonly endAt: number;
}

function faultsOf({ store }: World, job: Job, { gaps, endAt }: Course): string[] {
  const downs = incidents
    .list(store.sql, { limit: 1000 })
    .incidents.filter(({ monitor }) => monitor === job.id)
    .map(({ confirmedAt }) => confirmedAt);
  if (job.diesAt === Infinity) return downs.length === 0 ? [] : [`${job.id} lives and was reported down`];
  const dueAt = dueAtOf(job);
  const earliestAt = dueAt + job.graceMs;
  // What fell due while this node did not listen is due when it listens again.
  const resumedAt = gaps.find(({ fromAt, toAt }) => fromAt - beatMs <= dueAt && dueAt < toAt)?.toAt ?? dueAt;
  let latestAt = resumedAt + job.graceMs + second;
  for (const { fromAt, toAt } of gaps)
    if (toAt > dueAt && fromAt <= latestAt) latestAt += toAt - fromAt + beatMs;
  const [downAt = Infinity, ...more] = downs;
  if (more.length > 0) return [`${job.id} was reported down ${downs.length} times`];
  if (downAt < earliestAt) return [`${job.id} was reported ${earliestAt - downAt} ms early`];
  if (latestAt < endAt && downAt > latestAt) return [`${job.id} was reported ${downAt - latestAt} ms late`];
  return [];
}
