/** Watches error budgets while something fails, and says when one burns too fast. */
import type { Clock } from '../core/clock.ts';
import type { Happening } from '../core/tell/queue.ts';
import {
  type BurnDecision,
  type BurnEvidence,
  type BurnRule,
  burnRules,
  errorBudget,
  judgeBurn,
  type Slo,
} from '../core/slo.ts';
import { tallyWithin } from '../../db/read/within.ts';
import type { Sample } from '../../db/samples/sample.ts';
import type { Store } from '../../db/store.ts';
import { alertStates } from '../../db/topics/alert-states.ts';
import { samples } from '../../db/topics/samples.ts';
import { documentOf } from './memory.ts';
import type { Notices } from './notices.ts';
import type { Seen } from './seen.ts';
import { secsWithin } from './windows.ts';
import type { Watched } from './watched.ts';

export interface BurnOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notices: Notices;
}

/** A budget is looked at this often at most. */
const everyMs = 60_000;

/** How far before a window a sample may lie that speaks into it. */
const reachMs = 3_600_000;

const longestMs = 1000 * Math.max(...burnRules.map(({ longSecs }) => longSecs));

export class Burn {
  private readonly options: BurnOptions;
  private readonly judgedMs = new Map<string, number>();

  constructor(options: BurnOptions) {
    this.options = options;
  }

  /** Looks at the budget of a monitor that just failed, or of one that burned the last time. */
  look(watched: Watched, { status }: Seen): void {
    const { id, monitor, burning } = watched;
    if (monitor.slo_uptime === null || (status !== 'down' && burning.length === 0)) return;
    const nowMs = this.options.clock.monotonic();
    if (nowMs - (this.judgedMs.get(id) ?? -Infinity) < everyMs) return;
    this.judgedMs.set(id, nowMs);
    this.judge(watched, { uptimePercent: monitor.slo_uptime, windowDays: monitor.slo_window_days });
  }

  private judge(watched: Watched, slo: Slo): void {
    const { store, clock, notices } = this.options;
    const at = clock.now();
    const recent = samples.list(store.sql, watched.id, { fromAt: at - longestMs - reachMs, toAt: at + 1000 });
    const { failThreshold } = watched.policy;
    const decisions = burnRules.map((rule) => ({
      rule,
      decision: judgeBurn(rule, { slo, failThreshold }, evidenceOf(recent, rule, at)),
    }));
    const burning = decisions
      .filter(({ rule, decision }) => goesOn(decision, watched.burning.includes(rule.pace)))
      .map(({ rule }) => rule.pace);
    if (burning.length === watched.burning.length && burning.every((pace) => watched.burning.includes(pace)))
      return;
    // The rules stand in the order of their urgency: of two that begin at once, the first says it all.
    const news = decisions.find(
      ({ rule, decision }) => decision.kind === 'burning' && !watched.burning.includes(rule.pace),
    );
    const happenings = news === undefined ? [] : [this.happeningOf(watched, slo, { ...news, at })];
    watched.burning = burning;
    notices.say(happenings, [alertStates.save({ monitor: watched.id, state: documentOf(watched), at })]);
  }

  private happeningOf(
    { id }: Watched,
    slo: Slo,
    found: { readonly rule: BurnRule; readonly decision: BurnDecision; readonly at: number },
  ): Happening {
    const { rule, decision, at } = found;
    const window = { fromAt: at - slo.windowDays * 86_400_000, toAt: at, now: at };
    const budget = errorBudget(slo, tallyWithin(this.options.store.sql, id, window).secs);
    return {
      kind: 'budget_burn',
      at,
      monitor: id,
      pace: rule.pace,
      rate: decision.rate ?? 0,
      windowSecs: rule.longSecs,
      uptimePercent: slo.uptimePercent,
      sloWindowDays: slo.windowDays,
      leftMinutes: budget.leftMinutes,
      totalMinutes: budget.totalMinutes,
    };
  }
}

/** Once told, it goes on until the long window is calm: a pause of five minutes is no end. */
function goesOn(decision: BurnDecision, wasBurning: boolean): boolean {
  return decision.kind === 'burning' || (wasBurning && decision.why === 'is_over');
}

function evidenceOf(recent: readonly Sample[], { longSecs, shortSecs }: BurnRule, at: number): BurnEvidence {
  const fromAt = at - longSecs * 1000;
  return {
    long: secsWithin(recent, { fromAt, toAt: at }),
    short: secsWithin(recent, { fromAt: at - shortSecs * 1000, toAt: at }),
    failedChecks: recent.filter((sample) => sample.status === 'down' && sample.at >= fromAt).length,
  };
}
