/** What befalls a monitor in a made-up history: outages, its own and those of what it depends on, flaps, slow spells. */
import type { Category } from '../../src/engine/core/probe.ts';
import type { Chance } from './chance.ts';
import type { SeedMonitor } from './monitor.ts';

export interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

interface Failure {
  readonly category: Category;
  readonly reason: string;
  /** Whether the target answered, though wrongly. */
  readonly isAnswered: boolean;
}

/** While it lasts, samples are down, slow by a factor, or unknown. */
export type Episode = Span &
  (
    | {
        readonly kind: 'outage';
        readonly failure: Failure;
        /** The monitor whose outage this one follows from. */
        readonly upstream: string | null;
        /** The monitors that follow it. */
        readonly impacted: readonly string[];
      }
    | { readonly kind: 'slow'; readonly factor: number }
    | { readonly kind: 'unknown' }
  );

const day = 86_400;
const averageSecs = { outage: 9 * day, flap: 3 * day, slow: 5 * day, unknown: 20 * day } as const;

const failures: readonly Failure[] = [
  { category: 'timeout', reason: 'no answer within 10 s', isAnswered: false },
  { category: 'connection', reason: 'connection refused', isAnswered: false },
  { category: 'status', reason: 'answered 503, expected 200-299', isAnswered: true },
  { category: 'status', reason: 'answered 500, expected 200-299', isAnswered: true },
];

const missed: Failure = { category: 'heartbeat', reason: 'no heartbeat came in time', isAnswered: false };

/** The episodes of every monitor, in order of time. `monitors` stand after what they depend on. */
export function episodesOf(
  monitors: readonly SeedMonitor[],
  span: Span,
  chance: (name: string) => Chance,
): Map<string, Episode[]> {
  const all = new Map<string, Episode[]>();
  for (const monitor of monitors) {
    const own = chance(`episodes ${monitor.id}`);
    const episodes = [
      ...outages(monitor, span, own),
      ...monitor.dependsOn.flatMap((upstream) => followed(monitor, all.get(upstream) ?? [], own)),
      ...drawn(span, averageSecs.slow, own).map((fromSecs): Episode => {
        const toSecs = fromSecs + own.between(1200, 9000);
        return { kind: 'slow', fromSecs, toSecs, factor: own.between(1.8, 5) };
      }),
      ...drawn(span, averageSecs.unknown, own).map(
        (fromSecs): Episode => ({ kind: 'unknown', fromSecs, toSecs: fromSecs + own.between(60, 900) }),
      ),
    ];
    all.set(
      monitor.id,
      episodes.sort((a, b) => a.fromSecs - b.fromSecs),
    );
  }
  const followers = followersOf(all);
  for (const [id, episodes] of all)
    all.set(
      id,
      episodes.map((episode) => withImpact(id, episode, followers)),
    );
  return all;
}

/** The stretches in which the whole daemon stood still: an update, a reboot. */
export function gapsOf(span: Span, chance: Chance): Span[] {
  return drawn(span, 12 * day, chance).map((fromSecs) => ({
    fromSecs,
    toSecs: fromSecs + chance.between(120, 2400),
  }));
}

/** Most outages take minutes, some take hours; a flap is over before it is confirmed. */
function outages(monitor: SeedMonitor, span: Span, chance: Chance): Episode[] {
  const outage = (fromSecs: number, secs: number): Episode => ({
    kind: 'outage',
    fromSecs,
    toSecs: fromSecs + secs,
    failure: failureOf(monitor, chance),
    upstream: null,
    impacted: [],
  });
  const checkSecs = monitor.next(monitor.next(0)) - monitor.next(0);
  return [
    ...drawn(span, averageSecs.outage, chance).map((from) =>
      outage(from, Math.min(12 * 3600, 300 + 500 * Math.exp(1.1 * chance.normal()))),
    ),
    ...drawn(span, averageSecs.flap, chance).map((from) =>
      outage(from, checkSecs * chance.between(0.5, 1.9)),
    ),
  ];
}

/** Three in four outages of an upstream that last take the dependent along, a few seconds later. */
function followed(monitor: SeedMonitor, upstream: readonly Episode[], chance: Chance): Episode[] {
  return upstream.flatMap((episode) => {
    if (episode.kind !== 'outage' || episode.toSecs - episode.fromSecs < 240 || !chance.once(0.75)) return [];
    const fromSecs = episode.fromSecs + chance.between(1, 20);
    return [
      { ...episode, fromSecs, failure: failureOf(monitor, chance), upstream: rootOf(monitor, episode) },
    ];
  });
}

function rootOf(monitor: SeedMonitor, episode: Episode & { kind: 'outage' }): string | null {
  return episode.upstream ?? monitor.dependsOn[0] ?? null;
}

/** The monitors whose outages follow one of another, by that one's monitor and end. */
function followersOf(all: ReadonlyMap<string, readonly Episode[]>): ReadonlyMap<string, readonly string[]> {
  const followers = new Map<string, string[]>();
  for (const [id, episodes] of all) {
    for (const episode of episodes) {
      if (episode.kind !== 'outage' || episode.upstream === null) continue;
      const key = followedKey(episode.upstream, episode);
      const known = followers.get(key) ?? [];
      if (!known.includes(id)) known.push(id);
      followers.set(key, known);
    }
  }
  return followers;
}

function followedKey(upstream: string, { toSecs }: Episode): string {
  return `${toSecs} ${upstream}`;
}

function withImpact(
  id: string,
  episode: Episode,
  followers: ReadonlyMap<string, readonly string[]>,
): Episode {
  if (episode.kind !== 'outage' || episode.upstream !== null) return episode;
  return { ...episode, impacted: followers.get(followedKey(id, episode)) ?? [] };
}

function failureOf(monitor: SeedMonitor, chance: Chance): Failure {
  if (monitor.kind === 'push') return missed;
  const fitting = monitor.kind === 'http' ? failures : failures.filter(({ isAnswered }) => !isAnswered);
  return chance.pick(fitting);
}

/** Seconds within a span, `mean` apart on average. */
function drawn({ fromSecs, toSecs }: Span, mean: number, chance: Chance): number[] {
  const found: number[] = [];
  for (let at = fromSecs + chance.until(mean); at < toSecs; at += chance.until(mean))
    found.push(Math.floor(at));
  return found;
}
