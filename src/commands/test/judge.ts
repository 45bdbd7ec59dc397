/** Compares the expectations of a test with its result. */
import type { ExpectedMessage, ExpectedNothing, ExpectedState, Test } from './format/test-file.ts';
import type { PlayedTest, PlayedMonitor, Notified } from './runner/test-run.ts';

export type TestFailure =
  /** `instead`: what came in its place, when something much like it did. */
  | { readonly kind: 'missing'; readonly wanted: ExpectedMessage; readonly instead: Notified | null }
  /** No other failure is about it. */
  | { readonly kind: 'unexpected'; readonly notified: Notified }
  | { readonly kind: 'not_nothing'; readonly wanted: ExpectedNothing; readonly notified: Notified }
  | { readonly kind: 'state'; readonly wanted: ExpectedState; readonly shown: PlayedMonitor | null };

export interface TestVerdict {
  readonly failures: readonly TestFailure[];
  /** The messages that were expected. */
  readonly met: ReadonlySet<Notified>;
}

/** A message counts as sent at an instant when it came within the second that begins there. */
const secondMs = 999;

export function judge(
  { expectations }: Pick<Test, 'expectations'>,
  { notified, shown }: PlayedTest,
): TestVerdict {
  const open = expectations.filter((each) => each.kind === 'message');
  const met = new Set<Notified>();
  for (const each of notified) {
    const wanted = open
      .filter((candidate) => isMet(candidate, each))
      .reduce<ExpectedMessage | null>(sooner, null);
    if (wanted === null) continue;
    open.splice(open.indexOf(wanted), 1);
    met.add(each);
  }
  const stray = new Set(notified.filter((each) => !met.has(each)));
  const missing = open.map((wanted): TestFailure => {
    const instead = standIn(wanted, [...stray]);
    if (instead !== null) stray.delete(instead);
    return { kind: 'missing', wanted, instead };
  });
  const others = expectations.flatMap((wanted): TestFailure[] => {
    switch (wanted.kind) {
      case 'message':
        return [];
      case 'nothing': {
        const found = notified.find((each) => isWithin(wanted, each) && isAbout(wanted, each));
        if (found === undefined) return [];
        stray.delete(found);
        return [{ kind: 'not_nothing', wanted, notified: found }];
      }
      case 'state': {
        const seen = shown.get(wanted) ?? null;
        return isShown(wanted, seen) ? [] : [{ kind: 'state', wanted, shown: seen }];
      }
    }
  });
  const unexpected = [...stray].map((each): TestFailure => ({ kind: 'unexpected', notified: each }));
  const failures = [...missing, ...others, ...unexpected];
  return { failures: failures.toSorted((a, b) => atOf(a) - atOf(b)), met };
}

/** When a failure shows, in ms from the start. */
export function atOf(failure: TestFailure): number {
  switch (failure.kind) {
    case 'missing':
      return failure.wanted.fromMs;
    case 'unexpected':
    case 'not_nothing':
      return failure.notified.atMs;
    case 'state':
      return failure.wanted.atMs;
  }
}

/** Of two that a message meets, the one whose time is over first. */
function sooner(best: ExpectedMessage | null, each: ExpectedMessage): ExpectedMessage {
  return best === null || each.toMs < best.toMs ? each : best;
}

function isMet(wanted: ExpectedMessage, notified: Notified): boolean {
  return (
    isLike(wanted, notified) &&
    isWithin(wanted, notified) &&
    wanted.isLate === notified.isLate &&
    isOf(wanted, notified)
  );
}

function isLike({ channel, event, monitor }: ExpectedMessage, notified: Notified): boolean {
  return (
    notified.channel === channel &&
    notified.event === event &&
    (monitor === null || notified.monitor === monitor)
  );
}

function isOf({ impacted, cause }: ExpectedMessage, notified: Notified): boolean {
  if (cause !== null && notified.cause !== cause) return false;
  return impacted === null || impacted.toSorted().join() === notified.impacted.toSorted().join();
}

function isWithin(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { atMs }: Notified,
): boolean {
  return fromMs <= atMs && atMs <= toMs + secondMs;
}

function isAbout({ channels, monitor }: ExpectedNothing, notified: Notified): boolean {
  if (channels !== null && !channels.includes(notified.channel)) return false;
  return monitor === null || notified.monitor === monitor || notified.impacted.includes(monitor);
}

function isShown({ status, hasIncident }: ExpectedState, playedMonitor: PlayedMonitor | null): boolean {
  if (playedMonitor === null) return false;
  if (status !== null && status !== playedMonitor.status) return false;
  return hasIncident === null || hasIncident === playedMonitor.hasIncident;
}

function standIn(wanted: ExpectedMessage, stray: readonly Notified[]): Notified | null {
  return (
    stray
      .filter((notified) => isLike(wanted, notified))
      .toSorted((a, b) => Math.abs(a.atMs - wanted.fromMs) - Math.abs(b.atMs - wanted.fromMs))[0] ?? null
  );
}
