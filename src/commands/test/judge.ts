/** Holds what a test expects against what came of it. */
import type { ExpectedMessage, ExpectedNothing, ExpectedState, Test } from './format/test-file.ts';
import type { Played, Shown, Told } from './play/played.ts';

export type Failure =
  /** `instead`: what came in its place, when something much like it did. */
  | { readonly kind: 'missing'; readonly wanted: ExpectedMessage; readonly instead: Told | null }
  /** No other failure speaks of it. */
  | { readonly kind: 'unexpected'; readonly told: Told }
  | { readonly kind: 'not_nothing'; readonly wanted: ExpectedNothing; readonly told: Told }
  | { readonly kind: 'state'; readonly wanted: ExpectedState; readonly shown: Shown | null };

export interface Verdict {
  readonly failures: readonly Failure[];
  /** The messages that were expected. */
  readonly met: ReadonlySet<Told>;
}

/** A message counts as told at an instant when it came within the second that begins there. */
const secondMs = 999;

export function judge({ expectations }: Pick<Test, 'expectations'>, { told, shown }: Played): Verdict {
  const open = expectations.filter((each) => each.kind === 'message');
  const met = new Set<Told>();
  for (const each of told) {
    const wanted = open
      .filter((candidate) => isMet(candidate, each))
      .reduce<ExpectedMessage | null>(sooner, null);
    if (wanted === null) continue;
    open.splice(open.indexOf(wanted), 1);
    met.add(each);
  }
  const stray = new Set(told.filter((each) => !met.has(each)));
  const missing = open.map((wanted): Failure => {
    const instead = standIn(wanted, [...stray]);
    if (instead !== null) stray.delete(instead);
    return { kind: 'missing', wanted, instead };
  });
  const others = expectations.flatMap((wanted): Failure[] => {
    switch (wanted.kind) {
      case 'message':
        return [];
      case 'nothing': {
        const found = told.find((each) => isWithin(wanted, each) && isAbout(wanted, each));
        if (found === undefined) return [];
        stray.delete(found);
        return [{ kind: 'not_nothing', wanted, told: found }];
      }
      case 'state': {
        const seen = shown.get(wanted) ?? null;
        return isShown(wanted, seen) ? [] : [{ kind: 'state', wanted, shown: seen }];
      }
    }
  });
  const unexpected = [...stray].map((each): Failure => ({ kind: 'unexpected', told: each }));
  const failures = [...missing, ...others, ...unexpected];
  return { failures: failures.toSorted((a, b) => atOf(a) - atOf(b)), met };
}

/** When a failure shows, in ms from the start. */
export function atOf(failure: Failure): number {
  switch (failure.kind) {
    case 'missing':
      return failure.wanted.fromMs;
    case 'unexpected':
    case 'not_nothing':
      return failure.told.atMs;
    case 'state':
      return failure.wanted.atMs;
  }
}

/** Of two that a message meets, the one whose time is over first. */
function sooner(best: ExpectedMessage | null, each: ExpectedMessage): ExpectedMessage {
  return best === null || each.toMs < best.toMs ? each : best;
}

function isMet(wanted: ExpectedMessage, told: Told): boolean {
  return (
    isLike(wanted, told) && isWithin(wanted, told) && wanted.isLate === told.isLate && isOf(wanted, told)
  );
}

function isLike({ channel, event, monitor }: ExpectedMessage, told: Told): boolean {
  return told.channel === channel && told.event === event && (monitor === null || told.monitor === monitor);
}

function isOf({ impacted, cause }: ExpectedMessage, told: Told): boolean {
  if (cause !== null && told.cause !== cause) return false;
  return impacted === null || impacted.toSorted().join() === told.impacted.toSorted().join();
}

function isWithin(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { atMs }: Told,
): boolean {
  return fromMs <= atMs && atMs <= toMs + secondMs;
}

function isAbout({ channels, monitor }: ExpectedNothing, told: Told): boolean {
  if (channels !== null && !channels.includes(told.channel)) return false;
  return monitor === null || told.monitor === monitor || told.impacted.includes(monitor);
}

function isShown({ status, hasIncident }: ExpectedState, shown: Shown | null): boolean {
  if (shown === null) return false;
  if (status !== null && status !== shown.status) return false;
  return hasIncident === null || hasIncident === shown.hasIncident;
}

function standIn(wanted: ExpectedMessage, stray: readonly Told[]): Told | null {
  return (
    stray
      .filter((told) => isLike(wanted, told))
      .toSorted((a, b) => Math.abs(a.atMs - wanted.fromMs) - Math.abs(b.atMs - wanted.fromMs))[0] ?? null
  );
}
