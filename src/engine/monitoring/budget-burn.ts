/** Watches error budgets during failures, and reports one that burns too fast without an open outage. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { AlertEvent } from '../alerting/events/catalogue.ts';
import { reasons } from '../alerting/reasons.ts';
import {
  type BurnDecision,
  type BurnEvidence,
  type BurnRule,
  burnRules,
  errorBudget,
  judgeBurn,
  knownUntil,
  type Slo,
  type StatusSecs,
} from '../core/slo.ts';
import { rollingFrom } from '../core/instant.ts';
import { maintainedWithin, type Stretch, stretchesMs } from '../core/maintained.ts';
import { plannedMaintenance } from '../operations/planned-maintenance.ts';
import { countedSecs, withoutSecs } from './counted-time.ts';
import type { StoredSample } from '../../db/samples/sample.ts';
import type { Store } from '../../db/store/store.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { decisions as decisionLog } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { samples } from '../../db/tables/samples.ts';
import { documentOf } from './monitor-memory.ts';
import type { NoticeSender } from './notice-sender.ts';
import type { Observation } from './observation.ts';
import { secsWithin } from './windows.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface BurnOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notices: NoticeSender;
  readonly config: () => Config;
}

/** A budget is looked at this often at most. */
const everyMs = 60_000;

/** How far before a window a sample may lie that counts in it. */
const reachMs = 3_600_000;

/** How many of its last outages are looked at. Each beyond that was a flap, and flaps count. */
const mostOutages = 20;

const longestMs = 1000 * Math.max(...burnRules.map(({ longSecs }) => longSecs));

export class Burn {
  private readonly options: BurnOptions;
  private readonly judgedMs = new Map<string, number>();
  /** The outages because of which a burn was not sent, by monitor. */
  private readonly suppressedIn = new Map<string, string>();

  constructor(options: BurnOptions) {
    this.options = options;
  }

  /** Looks at the budget of a monitor that just failed, or of one that burned the last time. */
  look(watchedMonitor: WatchedMonitor, { status }: Observation): void {
    const { id, monitor, burning } = watchedMonitor;
    if (monitor.slo_uptime === null || (status !== 'down' && burning.length === 0)) return;
    const nowMs = this.options.clock.monotonic();
    if (nowMs - (this.judgedMs.get(id) ?? -Infinity) < everyMs) return;
    this.judgedMs.set(id, nowMs);
    this.judge(watchedMonitor, { uptimePercent: monitor.slo_uptime, windowDays: monitor.slo_window_days });
  }

  private judge(watchedMonitor: WatchedMonitor, slo: Slo): void {
    const { store, clock, notices, config } = this.options;
    const at = clock.now();
    const recent = samples.list(store.sql, watchedMonitor.id, {
      fromAt: at - longestMs - reachMs,
      toAt: at + 1000,
    });
    const { failThreshold } = watchedMonitor.policy;
    const maintained = maintainedWithin(plannedMaintenance(store.sql, config(), at), watchedMonitor.id, {
      fromAt: at - longestMs,
      toAt: at,
    });
    const between = {
      at,
      maintained,
      sinceAt: watchedMonitor.uid === null ? this.knownUntil(watchedMonitor.id) : -Infinity,
    };
    const decisions = burnRules.map((rule) => ({
      rule,
      decision: judgeBurn(rule, { slo, failThreshold }, evidenceOf(recent, rule, between)),
    }));
    const burning = decisions
      .filter(({ rule, decision }) => goesOn(decision, watchedMonitor.burning.includes(rule.pace)))
      .map(({ rule }) => rule.pace);
    if (
      burning.length === watchedMonitor.burning.length &&
      burning.every((pace) => watchedMonitor.burning.includes(pace))
    )
      return;
    // The rules stand in the order of their urgency: of two that begin at once, the first says it all.
    const news = decisions.find(
      ({ rule, decision }) => decision.kind === 'burning' && !watchedMonitor.burning.includes(rule.pace),
    );
    if (news !== undefined && watchedMonitor.uid !== null) {
      this.suppress(watchedMonitor.id, watchedMonitor.uid, at);
      return;
    }
    const events = news === undefined ? [] : [this.happeningOf(watchedMonitor, slo, { ...news, at })];
    watchedMonitor.burning = burning;
    notices.send(events, [
      alertStates.save({ monitor: watchedMonitor.id, state: documentOf(watchedMonitor), at }),
    ]);
  }

  /** Up to when the failures of a monitor are known from messages about its outages. */
  private knownUntil(id: string): number {
    const { store, config } = this.options;
    const last = incidents.list(store.sql, { monitors: [id], isOpen: false, limit: mostOutages });
    return knownUntil(last.incidents, config().alerts.group_window_secs * 1000);
  }

  /** Its monitor is down: that is one message already. Logged once an outage. */
  private suppress(monitor: string, uid: string, at: number): void {
    if (this.suppressedIn.get(monitor) === uid) return;
    this.suppressedIn.set(monitor, uid);
    const reason = 'outage_open';
    this.options.notices.send(
      [],
      [
        decisionLog.log({
          at,
          monitor,
          incident: null,
          channel: null,
          event: 'budget_burn',
          verdict: 'spared',
          reason,
          detail: reasons[reason],
        }),
      ],
    );
  }

  private happeningOf(
    { id }: WatchedMonitor,
    slo: Slo,
    found: { readonly rule: BurnRule; readonly decision: BurnDecision; readonly at: number },
  ): AlertEvent {
    const { rule, decision, at } = found;
    const { store, config: current } = this.options;
    const window = { monitor: id, fromAt: rollingFrom(at, slo.windowDays), toAt: at, nowAt: at };
    const planned = plannedMaintenance(store.sql, current(), at);
    const maintainedSecs = stretchesMs(maintainedWithin(planned, id, window)) / 1000;
    const budget = errorBudget(slo, countedSecs(store.sql, current(), window), maintainedSecs);
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

/** Once sent, it goes on until the long window is calm: a pause of five minutes is no end, nor is an outage of this node. */
function goesOn(decision: BurnDecision, wasBurning: boolean): boolean {
  if (decision.kind === 'burning') return true;
  return wasBurning && decision.why !== 'below_threshold' && decision.why !== 'no_data';
}

interface BurnSpan {
  readonly at: number;
  /** Failures before that are known from other messages. */
  readonly sinceAt: number;
  /** What fails under maintenance uses up nothing. */
  readonly maintained: readonly Stretch[];
}

function evidenceOf(
  recent: readonly StoredSample[],
  { longSecs, shortSecs }: BurnRule,
  { at, sinceAt, maintained }: BurnSpan,
): BurnEvidence {
  const fromAt = at - longSecs * 1000;
  const isMaintained = (when: number) => maintained.some((each) => each.fromAt <= when && when < each.toAt);
  const failed = recent.filter(
    (sample) =>
      sample.status === 'down' && sample.at >= Math.max(fromAt, sinceAt) && !isMaintained(sample.at),
  );
  const counted = (stretch: Stretch): StatusSecs =>
    maintained
      .map((each) => ({
        fromAt: Math.max(each.fromAt, stretch.fromAt),
        toAt: Math.min(each.toAt, stretch.toAt),
      }))
      .filter((part) => part.fromAt < part.toAt)
      .reduce((rest, part) => withoutSecs(rest, secsWithin(recent, part)), secsWithin(recent, stretch));
  return {
    long: counted({ fromAt, toAt: at }),
    short: counted({ fromAt: Math.max(at - shortSecs * 1000, sinceAt), toAt: at }),
    failedChecks: failed.length,
  };
}
