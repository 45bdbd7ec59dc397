/** Sets what two configurations would have told of one monitor against each other. */
import type { Judged } from './tell.ts';

/** An alert that at least one of them tells. Null: there was nothing like it on that side. */
export interface Difference {
  readonly told: 'both' | 'now' | 'then';
  readonly now: Judged | null;
  readonly then: Judged | null;
}

/**
 * The alerts of two sides, oldest first. Two are one when they are about the same event and held at the same time,
 * each with the first on the other side that is not taken; for what only one side told, the other names what it made
 * of the same time, if anything.
 */
export function compareAlerts(now: readonly Judged[], then: readonly Judged[]): Difference[] {
  const taken = new Set<Judged>();
  const both: Difference[] = [];
  const onlyNow: Difference[] = [];
  for (const alert of now.filter(isTold)) {
    const match = then.find((other) => isTold(other) && !taken.has(other) && isSame(alert, other));
    if (match === undefined) {
      const like = then.find((other) => isSame(alert, other)) ?? null;
      onlyNow.push({ told: 'now', now: alert, then: like });
    } else {
      taken.add(match);
      both.push({ told: 'both', now: alert, then: match });
    }
  }
  const onlyThen = then
    .filter((alert) => isTold(alert) && !taken.has(alert))
    .map((alert): Difference => {
      return { told: 'then', now: now.find((other) => isSame(alert, other)) ?? null, then: alert };
    });
  return [...both, ...onlyNow, ...onlyThen].sort((a, b) => startOf(a) - startOf(b));
}

function isTold({ fate }: Judged): boolean {
  return fate.kind === 'told';
}

function isSame(a: Judged, b: Judged): boolean {
  return (
    a.event === b.event && a.startedAt < (b.endedAt ?? Infinity) && b.startedAt < (a.endedAt ?? Infinity)
  );
}

function startOf({ now, then, told }: Difference): number {
  return (told === 'then' ? then : now)?.startedAt ?? 0;
}
