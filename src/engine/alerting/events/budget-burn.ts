/** The error budget of an SLO is used up too fast. */
import type { Envelope, Moment, Named, NoticeRow } from './event.ts';
import { type EventFields, numberIn } from './stored.ts';

interface BudgetBurnFigures {
  readonly pace: 'fast' | 'slow';
  /** How many times faster than the SLO allows. */
  readonly rate: number;
  /** The long window of the rule. */
  readonly windowSecs: number;
  readonly uptimePercent: number;
  readonly sloWindowDays: number;
  /** Of the error budget; negative when the SLO is missed. */
  readonly leftMinutes: number | null;
  readonly totalMinutes: number | null;
}

interface BudgetBurnEvent extends Moment, BudgetBurnFigures {
  readonly kind: 'budget_burn';
  readonly monitor: string;
}

export interface BudgetBurn extends Envelope, BudgetBurnFigures {
  readonly event: 'budget_burn';
  readonly monitor: Named;
}

export const budgetBurn: NoticeRow<BudgetBurn, BudgetBurnEvent> = {
  event: 'budget_burn',
  severity: (fields) => (paceOf(fields) === 'fast' ? 'error' : 'warning'),
  subject: 'monitor',
  isMutable: true,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
  raisedBy: ['budget_burn'],
  keyOf: ({ monitor, pace, at }) => `${monitor}.budget_burn.${pace}.${at}`,
  /** The outage has an alert of its own; what was over before its mute ended is none, as an outage is none. */
  suppressedBy: (fields, { isDown, isBurning, wasMuted }) => {
    if (isDown()) return 'outage_open';
    return wasMuted && !isBurning(paceOf(fields)) ? 'muted' : null;
  },
  read: ({ fields, about }) => ({
    monitor: about,
    pace: paceOf(fields),
    rate: numberIn(fields, 'rate') ?? 0,
    windowSecs: numberIn(fields, 'windowSecs') ?? 0,
    uptimePercent: numberIn(fields, 'uptimePercent') ?? 0,
    sloWindowDays: numberIn(fields, 'sloWindowDays') ?? 0,
    leftMinutes: numberIn(fields, 'leftMinutes'),
    totalMinutes: numberIn(fields, 'totalMinutes'),
  }),
  webhook: ({ pace, rate, windowSecs, uptimePercent, leftMinutes }) => ({
    pace,
    rate,
    window_secs: windowSecs,
    slo_uptime_pct: uptimePercent,
    error_budget_minutes_left: leftMinutes,
  }),
};

function paceOf(fields: EventFields): BudgetBurn['pace'] {
  return fields['pace'] === 'fast' ? 'fast' : 'slow';
}
