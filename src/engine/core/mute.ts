/** Decides whether messages about a monitor are held back. Instants are epoch ms. */
import { type Graph, upstreams } from './graph.ts';

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

/** A mute, by its number or its title. */
export type MutedBy =
  | { readonly kind: 'silence'; readonly id: number }
  | { readonly kind: 'maintenance'; readonly title: string };

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

/** The mutes there are, and when the question is asked. */
export interface MuteContext {
  readonly mutes: Mutes;
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

/** Whether a mute that lists `monitor` covers it, until when, and which. What depends on it is no part of that. */
export function muteOf(monitor: string, { mutes, nowAt }: MuteContext): Muting {
  const spans = spansOver(mutes, monitor);
  const [first, ...others] = spans.filter(({ fromAt, untilAt }) => fromAt <= nowAt && nowAt < untilAt);
  if (first === undefined) return { kind: 'open' };
  const by = [first.by, ...others.map((other) => other.by)] as const;
  const next = following(spans, first);
  const untilAt = next.at(-1)?.untilAt ?? first.untilAt;
  return { kind: 'muted', untilAt, by, ...(next.length > 0 && { then: next.map((each) => each.by) }) };
}

/**
 * Whether a page shows a monitor as under maintenance: it is, or something that it depends on is, which readers expect to
 * take it along. Its alerts are another question.
 */
export function isMaintained(monitor: string, graph: Graph, { mutes, nowAt }: MuteContext): boolean {
  if (mutes.maintenances.length === 0) return false;
  const planned = { mutes: { ...mutes, silences: [] }, nowAt };
  return [monitor, ...upstreams(graph, monitor)].some((id) => muteOf(id, planned).kind === 'muted');
}

/** The spans of all mutes that list a monitor, or all of them. */
function spansOver({ silences, maintenances }: Mutes, monitor: string): MuteSpan[] {
  return [
    ...silences
      .filter(({ monitors }) => monitors === null || monitors.includes(monitor))
      .map(({ id, untilAt }): MuteSpan => ({ fromAt: -Infinity, untilAt, by: { kind: 'silence', id } })),
    ...maintenances
      .filter(({ monitors }) => monitors.length === 0 || monitors.includes(monitor))
      .map(
        ({ title, startAt, endAt }): MuteSpan => ({
          fromAt: startAt,
          untilAt: endAt,
          by: { kind: 'maintenance', title },
        }),
      ),
  ];
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
