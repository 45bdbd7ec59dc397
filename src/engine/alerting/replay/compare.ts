/** Compares the alerts that two configurations would have sent about one monitor. */
import type { JudgedEpisode } from './judge-episodes.ts';

/** An alert that at least one of them sends. Null: there was nothing like it on that side. */
export interface AlertDifference {
  readonly notified: 'both' | 'now' | 'then';
  readonly now: JudgedEpisode | null;
  readonly then: JudgedEpisode | null;
}

/**
 * The alerts of two sides, oldest first. Two are one when they are about the same event and held at the same time,
 * each with the first on the other side that is not taken; for what only one side sent, the other names what it made
 * of the same time, if anything.
 */
export function compareAlerts(
  now: readonly JudgedEpisode[],
  then: readonly JudgedEpisode[],
): AlertDifference[] {
  const taken = new Set<JudgedEpisode>();
  const both: AlertDifference[] = [];
  const onlyNow: AlertDifference[] = [];
  for (const alert of now.filter(isNotified)) {
    const match = then.find((other) => isNotified(other) && !taken.has(other) && isSame(alert, other));
    if (match === undefined) {
      const like = then.find((other) => isSame(alert, other)) ?? null;
      onlyNow.push({ notified: 'now', now: alert, then: like });
    } else {
      taken.add(match);
      both.push({ notified: 'both', now: alert, then: match });
    }
  }
  const onlyThen = then
    .filter((alert) => isNotified(alert) && !taken.has(alert))
    .map((alert): AlertDifference => {
      return { notified: 'then', now: now.find((other) => isSame(alert, other)) ?? null, then: alert };
    });
  return [...both, ...onlyNow, ...onlyThen].sort((a, b) => startOf(a) - startOf(b));
}

function isNotified({ fate }: JudgedEpisode): boolean {
  return fate.kind === 'told';
}

function isSame(a: JudgedEpisode, b: JudgedEpisode): boolean {
  return (
    a.event === b.event && a.startedAt < (b.endedAt ?? Infinity) && b.startedAt < (a.endedAt ?? Infinity)
  );
}

function startOf({ now, then, notified }: AlertDifference): number {
  return (notified === 'then' ? then : now)?.startedAt ?? 0;
}
