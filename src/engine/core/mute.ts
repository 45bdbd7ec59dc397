/** Decides whether messages about a monitor are held back. Instants are epoch ms. */
import { upstreams, type Graph } from './graph.ts';

/** An ad-hoc mute: from when it is stored until `untilAt`. `monitors`: config ids, null for all. */
export interface ActiveSilence {
  readonly id: number;
  readonly monitors: readonly string[] | null;
  readonly untilAt: number;
}

/** A configured window from `startAt` to before `endAt`. `monitors`: config ids, empty for all. */
export interface MaintenanceWindow {
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly monitors: readonly string[];
}

interface Mutes {
  readonly silences: readonly ActiveSilence[];
  readonly maintenances: readonly MaintenanceWindow[];
}

/** What mutes; `over` is the upstream it was meant for, null when it covers the monitor itself. */
export type MutedBy =
  | { readonly kind: 'silence'; readonly id: number; readonly over: string | null }
  | { readonly kind: 'maintenance'; readonly title: string; readonly over: string | null };

export type Muting =
  | { readonly kind: 'open' }
  /** `untilAt` is the first instant that no mute known today covers: mutes that follow each other are one. */
  | {
      readonly kind: 'muted';
      readonly untilAt: number;
      /** Those of now. */
      readonly by: readonly [MutedBy, ...MutedBy[]];
      /** Those that go on when the first of `by` is over, in their order; absent: none. */
      readonly then?: readonly MutedBy[];
    };

/** Where the question is asked: the mutes there are, what depends on what, and when. */
export interface MuteContext {
  readonly mutes: Mutes;
  readonly graph: Graph;
  readonly nowAt: number;
}

interface MuteSpan {
  readonly fromAt: number;
  readonly untilAt: number;
  readonly by: MutedBy;
}

/** What holds a message back, by its number or its title. */
export function mutedByText(by: MutedBy): string {
  return by.kind === 'silence' ? `silence ${by.id}` : `the maintenance window '${by.title}'`;
}

/**
 * Whether `monitor` is muted, until when, and by what. An upstream under a mute covers everything that depends on
 * it, however far below, because maintenance of it is expected to fail all of that.
 */
export function muteOf(monitor: string, { mutes, graph, nowAt }: MuteContext): Muting {
  const spans = spansOver(mutes, [monitor, ...upstreams(graph, monitor)]);
  const [first, ...others] = spans.filter(({ fromAt, untilAt }) => fromAt <= nowAt && nowAt < untilAt);
  if (first === undefined) return { kind: 'open' };
  const by = [first.by, ...others.map((other) => other.by)] as const;
  const next = following(spans, first);
  const untilAt = next.at(-1)?.untilAt ?? first.untilAt;
  return { kind: 'muted', untilAt, by, ...(next.length > 0 && { then: next.map((each) => each.by) }) };
}

/** The spans of all mutes that cover any of `ids`, the monitor asked for first, each mute once. */
function spansOver({ silences, maintenances }: Mutes, ids: readonly string[]): MuteSpan[] {
  const spans: MuteSpan[] = [];
  for (const { id, monitors, untilAt } of silences) {
    const over = coverOf(monitors, ids);
    if (over !== null)
      spans.push({
        fromAt: -Infinity,
        untilAt,
        by: { kind: 'silence', id, over: over.upstream },
      });
  }
  for (const { title, monitors, startAt, endAt } of maintenances) {
    const over = coverOf(monitors.length === 0 ? null : monitors, ids);
    if (over !== null)
      spans.push({
        fromAt: startAt,
        untilAt: endAt,
        by: { kind: 'maintenance', title, over: over.upstream },
      });
  }
  return spans;
}

function coverOf(
  monitors: readonly string[] | null,
  ids: readonly string[],
): { readonly upstream: string | null } | null {
  if (monitors === null) return { upstream: null };
  const found = ids.find((id) => monitors.includes(id));
  if (found === undefined) return null;
  return { upstream: found === ids[0] ? null : found };
}

/** What prolongs the first one, each beyond the one before. */
function following(spans: readonly MuteSpan[], first: MuteSpan): readonly MuteSpan[] {
  const next: MuteSpan[] = [];
  let end = first.untilAt;
  for (const span of spans.toSorted((a, b) => a.fromAt - b.fromAt)) {
    if (span.fromAt > end || span.untilAt <= end) continue;
    next.push(span);
    end = span.untilAt;
  }
  return next;
}
