/**
 * Decides who else is notified of an outage that lasts and that nobody acknowledged: the steps of its escalation, one
 * after the other. Instants are epoch ms.
 *
 * The time of a step counts from the moment at which the alert before it could be sent, whether its channel took it or
 * not, or at which a message about an upstream named the outage. A muted outage does not escalate.
 */
import type { Escalation } from '../config/config.ts';
import { stepOf } from './events/added-by.ts';
import { fieldsOf, holdOf, numberIn } from './events/stored.ts';
import { namedByOf } from './group.ts';
import type { FinishedRow } from './intent.ts';

export interface StepFacts {
  readonly escalation: Escalation;
  /** The alerts about the outage, the finished ones too. */
  readonly rows: readonly FinishedRow[];
  /** When the alert of an outage is due that is routed to nobody. */
  readonly dueAt: number;
  /** Whether `notify` of its monitor leads to nobody on purpose: it is empty. */
  readonly isUnrouted: boolean;
  /** The channels that a `notify` leads to now, that can be used and take it; null: all. */
  readonly reached: (notify: readonly string[] | null) => readonly string[];
  readonly nowAt: number;
}

export interface DueStep {
  /** 1 is the first. */
  readonly number: number;
  /** Those it leads to now. None: it reaches nobody. */
  readonly channels: readonly string[];
  /** It had its alerts before; who was not among them then has come on call since. */
  readonly wasTaken: boolean;
  /** Nobody at all can be reached otherwise: it goes to every channel. */
  readonly isLastResort: boolean;
}

export interface EscalationProgress {
  /** The steps that are due by now, in their order. */
  readonly steps: readonly DueStep[];
  /** When the next one is due; null: there is none, or it waits for what becomes of an alert. */
  readonly nextAt: number | null;
}

/** Steps come at whole seconds, so that those of many outages come together. */
const gridMs = 1000;

export function escalationProgress({
  escalation,
  rows,
  dueAt,
  isUnrouted,
  reached,
  nowAt,
}: StepFacts): EscalationProgress {
  const steps: DueStep[] = [];
  // A channel outside of the route that only the message about an upstream named it to is no alert to wait for.
  const alerts = rows.filter((row) => !isOnlyNamed(row));
  const own = (number: number) => addedBy(alerts, number).filter(isNoRelief);
  const startedAt = (number: number) => firstCallOf(addedBy(alerts, number));
  const base = own(0);
  // A route that is meant to lead somewhere and leads nowhere is a step that reaches nobody.
  let isMissed = base.length === 0 && !isUnrouted;
  let at = base.length === 0 ? dueAt : startedAt(0);
  let secs = 0;
  for (const [index, { after_secs, notify }] of escalation.steps.entries()) {
    if (at === null) return { steps, nextAt: null };
    const stepAt = isMissed ? at : Math.ceil((at + (after_secs - secs) * 1000) / gridMs) * gridMs;
    if (stepAt > nowAt) return { steps, nextAt: stepAt };
    const number = index + 1;
    const taken = own(number);
    const channels = reached(notify);
    steps.push({ number, channels, wasTaken: taken.length > 0, isLastResort: false });
    isMissed = channels.length === 0 && taken.length === 0;
    const isNew = channels.some((channel) => !knows(rows, channel));
    at = taken.length > 0 ? startedAt(number) : isNew ? null : stepAt;
    secs = after_secs;
  }
  const isLost = alerts.length === 0 && steps.every(({ channels }) => channels.length === 0);
  if (isLost && at !== null && at <= nowAt)
    steps.push({ number: steps.length, channels: reached(null), wasTaken: false, isLastResort: true });
  return { steps, nextAt: null };
}

/** Whether a channel has an alert about the outage itself: not only one about an upstream that named it. */
export function knows(rows: readonly FinishedRow[], channel: string): boolean {
  return rows.some((row) => row.channel === channel && !isOnlyNamed(row));
}

function isOnlyNamed({ state, payload }: FinishedRow): boolean {
  return state === 'sent' && namedByOf(payload) !== null;
}

/** The alerts that a step added, those of later turns too; 0: the route of the monitor. */
function addedBy(rows: readonly FinishedRow[], number: number): readonly FinishedRow[] {
  return rows.filter((row) => (stepOf(row)?.number ?? 0) === number);
}

function isNoRelief(row: FinishedRow): boolean {
  return stepOf(row)?.isRelief !== true;
}

/**
 * When the first alert of a step could be sent; null: none could so far. Alerts of those whose turn began later count when
 * they came first, because the others waited for their next turn: then, and also once that turn has come.
 */
function firstCallOf(rows: readonly FinishedRow[]): number | null {
  const own = rows.filter(isNoRelief);
  const isHeldBack = own.some(({ payload }) => holdOf(payload)?.reason !== 'off_call');
  return calledAt(own) === null && isHeldBack ? null : calledAt(rows);
}

/** When the first of them could be sent; null: none could so far. */
function calledAt(rows: readonly FinishedRow[]): number | null {
  const calls = rows.flatMap((row) => {
    const at = numberIn(fieldsOf(row.payload), 'calledAt');
    if (at !== null) return at;
    return row.state === 'waiting' ? [] : (row.finishedAt ?? []);
  });
  return calls.length === 0 ? null : Math.min(...calls);
}

/** What a delivery remembers once its alert could be sent, which the next step counts from. */
export function called(
  { payload }: Pick<FinishedRow, 'payload'>,
  nowAt: number,
): { readonly calledAt: number } {
  return { calledAt: numberIn(fieldsOf(payload), 'calledAt') ?? nowAt };
}
