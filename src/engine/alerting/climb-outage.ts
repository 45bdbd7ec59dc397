/** The step that the escalation of an open outage has reached. */
import type { Config, Escalation, Monitor, Rotation } from '../config/config.ts';
import { type EscalationProgress, escalationProgress } from './escalate.ts';
import type { OutageEvent } from './events/outage.ts';
import { severityOf } from './events/catalogue.ts';
import { holdOf } from './events/stored.ts';
import { routed } from './filter.ts';
import type { FinishedRow } from './intent.ts';

export interface ClimbingOutage {
  readonly event: OutageEvent;
  readonly monitor: Monitor;
  /** Epoch ms. */
  readonly confirmedAt: number;
  /** The deliveries about it, the finished ones too. */
  readonly rows: readonly FinishedRow[];
}

type Rules = Pick<Config, 'alerts' | 'channels' | 'rotations' | 'escalations'>;

/** The channels that a `notify` (null: all) leads to at an instant, and that take the alert. */
export function reachedBy(
  notify: readonly string[] | null,
  { event, monitor }: Pick<ClimbingOutage, 'event' | 'monitor'>,
  { config, at }: { readonly config: Rules; readonly at: number },
): readonly string[] {
  return routed(notify, config, { event, severity: severityOf(event, null), monitor, at }).channels;
}

export function escalationOf(
  { escalation }: Pick<Monitor, 'escalation'>,
  { escalations }: Pick<Config, 'escalations'>,
): Escalation | null {
  return escalations.find(({ name }) => name === escalation) ?? null;
}

type Names = Pick<Config, 'rotations' | 'escalations'>;

/** Every name that alerts of a monitor lead to, sooner or later; null: every channel. */
export function namesOf(monitor: Monitor, config: Names): readonly string[] | null {
  const steps = escalationOf(monitor, config)?.steps ?? [];
  return monitor.notify && [...monitor.notify, ...steps.flatMap(({ notify }) => notify)];
}

/** The rotations among the names of a `notify`. */
export function rotationsOf(
  notify: readonly string[],
  { rotations }: Pick<Config, 'rotations'>,
): readonly Rotation[] {
  return rotations.filter(({ name }) => notify.includes(name));
}

/** It waits for a channel that is not routed to the outage any more: nobody is called by it. */
function isWithdrawn({ state, payload }: FinishedRow): boolean {
  return state === 'waiting' && holdOf(payload)?.reason === 'not_routed';
}

/** Null: its monitor has no escalation, or it has none itself. */
export function climbOutage(
  outage: ClimbingOutage,
  config: Rules,
  nowAt: number,
): (EscalationProgress & { readonly escalation: Escalation }) | null {
  const { event, monitor, confirmedAt, rows } = outage;
  const escalation = event === 'degraded' ? null : escalationOf(monitor, config);
  if (escalation === null) return null;
  const climbed = escalationProgress({
    escalation,
    rows: rows.filter((row) => row.event === event && !isWithdrawn(row)),
    dueAt: confirmedAt + config.alerts.group_window_secs * 1000,
    isUnrouted: monitor.notify?.length === 0,
    reached: (notify) => reachedBy(notify, outage, { config, at: nowAt }),
    nowAt,
  });
  return { ...climbed, escalation };
}
