/** Computes SLOs: the error budget, and how fast it burns. */
import type { Status } from './status.ts';

/** The SLO: `uptimePercent` (above 0, below 100) over `windowDays`. */
export interface Slo {
  readonly uptimePercent: number;
  readonly windowDays: number;
}

/** Seconds credited to each status in some span; what is in no status is "no data". */
export type StatusSecs = Readonly<Record<Status, number>>;

/** Minutes of downtime the SLO allows in its window. `leftMinutes` is negative when it is missed. */
export interface ErrorBudget {
  readonly totalMinutes: number;
  readonly spentMinutes: number;
  readonly leftMinutes: number;
}

/**
 * The error budget, given the seconds of the last `windowDays` outside of maintenance, and how long maintenance lasted in
 * them. Only down spends it: a degraded monitor answers, and unknown time counts for neither.
 */
export function errorBudget(
  { uptimePercent, windowDays }: Slo,
  secs: StatusSecs,
  maintainedSecs = 0,
): ErrorBudget {
  const measuredMinutes = Math.max(0, windowDays * 1440 - maintainedSecs / 60);
  const totalMinutes = measuredMinutes * allowedShare(uptimePercent);
  const spentMinutes = secs.down / 60;
  return { totalMinutes, spentMinutes, leftMinutes: totalMinutes - spentMinutes };
}

/**
 * A rule of the multiwindow, multi-burn-rate alerts of the SRE workbook (chapter 5, "Alerting on SLOs"): the long
 * window has used `budgetShare` of the whole budget, and the short one, a twelfth of it, shows that it goes on.
 */
export interface BurnRule {
  readonly pace: 'fast' | 'slow';
  readonly longSecs: number;
  readonly shortSecs: number;
  readonly budgetShare: number;
}

export const burnRules: readonly BurnRule[] = [
  { pace: 'fast', longSecs: 3600, shortSecs: 300, budgetShare: 0.02 },
  { pace: 'slow', longSecs: 21_600, shortSecs: 1800, budgetShare: 0.05 },
];

/**
 * How many times faster than the SLO allows the budget has to burn for `rule`: 14.4 and 6 in a window of 30
 * days, as in the workbook. Never below 1, at which rate the budget lasts exactly as long as its window.
 */
export function burnThreshold({ longSecs, budgetShare }: BurnRule, windowDays: number): number {
  return Math.max(1, (budgetShare * windowDays * 86_400) / longSecs);
}

/**
 * The rules that nothing can make true, in their order: a long window that is down from end to end uses less of the budget
 * than they ask for, since the SLO allows so much downtime.
 */
export function unreachableRules({ uptimePercent, windowDays }: Slo): readonly BurnRule[] {
  return burnRules.filter((rule) => burnThreshold(rule, windowDays) * allowedShare(uptimePercent) > 1);
}

/** What makes a rule reachable: the least SLO in this window, rounded up to hundredths, or the longest window, in whole days. */
export function reachableSlo(rule: BurnRule, { uptimePercent, windowDays }: Slo): Slo {
  const { longSecs, budgetShare } = rule;
  const share = 1 / burnThreshold(rule, windowDays);
  return {
    uptimePercent: Math.ceil(10_000 * (1 - share)) / 100,
    windowDays: Math.floor(longSecs / (budgetShare * 86_400 * allowedShare(uptimePercent))),
  };
}

/**
 * What was seen in the long and in the short window that end now. The short one and the failed checks, which show that
 * it goes on, begin after the last outage that has messages of its own.
 */
export interface BurnEvidence {
  readonly long: StatusSecs;
  readonly short: StatusSecs;
  /** Failed checks in the long window. */
  readonly failedChecks: number;
}

/** An outage that is over. Instants are epoch ms. */
export interface EndedOutage {
  readonly confirmedAt: number;
  readonly endedAt: number | null;
}

/**
 * When the last outage ended that outlasted its group window, and so was notified, folded or muted: people know of
 * what it cost. A flap notified nobody, so what it cost still counts as news. -Infinity: there was none.
 */
export function knownUntil(outages: readonly EndedOutage[], windowMs: number): number {
  return outages.reduce(
    (latest, { confirmedAt, endedAt }) =>
      endedAt === null || endedAt - confirmedAt < windowMs ? latest : Math.max(latest, endedAt),
    -Infinity,
  );
}

/** The share of the long window that has to be covered by samples: two minutes are no hour. */
const leastCoverage = 0.5;

export type BurnDecision = {
  readonly pace: BurnRule['pace'];
  /** The rate in the long window; null when nothing is known of it. */
  readonly rate: number | null;
  readonly threshold: number;
} & (
  | { readonly kind: 'burning' }
  | {
      readonly kind: 'calm';
      /** `is_over`: the long window burned, but the short one no longer does. */
      readonly why: 'no_data' | 'too_little_data' | 'below_threshold' | 'is_over' | 'too_few_failures';
    }
);

/**
 * Whether the budget burns at the pace of `rule`. Fewer than `failThreshold` failed checks in the window never do:
 * one failure of a monitor that is checked once an hour is no hour of downtime. Nor does a window that was hardly seen.
 */
export function judgeBurn(
  rule: BurnRule,
  { slo, failThreshold }: { readonly slo: Slo; readonly failThreshold: number },
  evidence: BurnEvidence,
): BurnDecision {
  const rate = burnRate(slo.uptimePercent, evidence.long);
  const threshold = burnThreshold(rule, slo.windowDays);
  const facts = { pace: rule.pace, rate, threshold };
  if (rate === null) return { ...facts, kind: 'calm', why: 'no_data' };
  if (knownSecs(evidence.long) < rule.longSecs * leastCoverage)
    return { ...facts, kind: 'calm', why: 'too_little_data' };
  if (rate < threshold) return { ...facts, kind: 'calm', why: 'below_threshold' };
  const shortRate = burnRate(slo.uptimePercent, evidence.short) ?? 0;
  if (shortRate < threshold) return { ...facts, kind: 'calm', why: 'is_over' };
  if (evidence.failedChecks < failThreshold) return { ...facts, kind: 'calm', why: 'too_few_failures' };
  return { ...facts, kind: 'burning' };
}

/**
 * How many times faster than allowed the budget was used: 1 uses all of it in exactly the window. Null when
 * nothing is known.
 */
export function burnRate(uptimePercent: number, secs: StatusSecs): number | null {
  const known = knownSecs(secs);
  return known === 0 ? null : secs.down / known / allowedShare(uptimePercent);
}

function knownSecs({ up, degraded, down }: StatusSecs): number {
  return up + degraded + down;
}

/** The share of time that may fail. Rounded, because 1 - 99.9 / 100 is 0.0010000000000000009. */
function allowedShare(uptimePercent: number): number {
  return Number((1 - uptimePercent / 100).toPrecision(12));
}
