/** Decides whether the message about a dependent is spoken for by one about its upstream. */
import { rootsOf, upstreams, type Graph } from '../graph.ts';
import { isPartOf, type Outage, type Outages } from './outage.ts';
import type { ReasonWord } from './reasons.ts';

/** What is known of a monitor beside its incident. Epoch ms. */
export interface Look {
  /** When its streak of failures began; null: the last answer was none. */
  readonly failingSinceAt: number | null;
  /** When it was last checked, or somebody tried to; null: never. */
  readonly lookedAt: number | null;
}

export interface FoldFacts {
  readonly graph: Graph;
  readonly outages: Outages;
  readonly look: (monitor: string) => Look;
  readonly windowMs: number;
  readonly nowAt: number;
}

export type Folding =
  /** `cause`: the upstream to name, which this channel is not told of. */
  | { readonly kind: 'send'; readonly cause: string | null; readonly reason: ReasonWord }
  | { readonly kind: 'fold'; readonly into: readonly [string, ...string[]] }
  | { readonly kind: 'hold'; readonly untilAt: number; readonly by: string }
  /** It was folded and is no more: a new window, then it is decided again. */
  | { readonly kind: 'renew'; readonly untilAt: number }
  /** Have these checked now, then decide again. */
  | { readonly kind: 'ask'; readonly ids: readonly string[] };

/** How long a failing upstream may take to be confirmed or to recover before its dependent is told without it. */
export const patienceMs = 300_000;

/** How often a failing upstream is looked at while somebody waits for it. */
const pauseMs = { least: 2000, most: 30_000 };

/** A message whose window is over: the outage it is about, the channel it is for, whether it is folded so far. */
export interface Foldable {
  readonly outage: Outage;
  readonly channel: string;
  readonly isFolded: boolean;
}

/** The stage of a `down` or `degraded` message. */
export function fold({ outage, channel, isFolded }: Foldable, facts: FoldFacts): Folding {
  const folding = foldAnew(outage, channel, facts);
  if (!isFolded || folding.kind === 'fold') return folding;
  return { kind: 'renew', untilAt: facts.nowAt + facts.windowMs };
}

/** The upstreams to blame for an outage, those with no such monitor above them. */
export function causesOf(
  dependent: Outage,
  { graph, outages }: Pick<FoldFacts, 'graph' | 'outages'>,
): string[] {
  return rootsOf(graph, dependent.monitor, (id) => {
    const upstream = outages.get(id);
    return upstream !== undefined && isPartOf(dependent, upstream);
  });
}

function foldAnew(dependent: Outage, channel: string, facts: FoldFacts): Folding {
  if (facts.windowMs === 0) return alone;
  const { graph, outages } = facts;
  const isCause = (id: string): boolean => {
    const upstream = outages.get(id);
    return upstream !== undefined && isPartOf(dependent, upstream);
  };
  const { monitor } = dependent;
  const isHeard = (id: string): boolean => isCause(id) && outages.get(id)?.channels.has(channel) === true;
  const [first, ...others] = rootsOf(graph, monitor, isHeard);
  if (first !== undefined) return { kind: 'fold', into: [first, ...others] };
  const cause = causesOf(dependent, facts)[0] ?? null;
  if (cause !== null) return { kind: 'send', cause, reason: 'cause_elsewhere' };
  if (dependent.isToldAlone) return alone;
  return suspect(dependent, facts);
}

const alone: Folding = { kind: 'send', cause: null, reason: 'sent' };

/** No upstream is known to be down: perhaps because none was looked at since. */
function suspect(dependent: Outage, { graph, outages, look, windowMs, nowAt }: FoldFacts): Folding {
  const pause = Math.min(Math.max(windowMs, pauseMs.least), pauseMs.most);
  const wellSoFar = upstreams(graph, dependent.monitor).filter((id) => !outages.has(id));
  const failing = wellSoFar.filter((id) => {
    const { failingSinceAt } = look(id);
    return failingSinceAt !== null && nowAt - failingSinceAt < patienceMs;
  });
  const unseen = wellSoFar.filter(
    (id) => !failing.includes(id) && lookedAtOf(look(id)) < dependent.startedAt,
  );
  const stale = failing.filter((id) => nowAt - lookedAtOf(look(id)) >= pause);
  if (unseen.length + stale.length > 0) return { kind: 'ask', ids: [...unseen, ...stale] };
  const [by] = failing;
  return by === undefined ? alone : { kind: 'hold', untilAt: nowAt + pause, by };
}

function lookedAtOf({ lookedAt }: Look): number {
  return lookedAt ?? -Infinity;
}
