/** Words for an outage: down, degraded, recovered. */
import { durationText, millisecondsText, shownSpanMs } from '../../engine/core/duration.ts';
import { instantText, nearInstantText } from '../../engine/core/instant.ts';
import type { Answer } from '../../engine/core/probe.ts';
import { disagreementOf, vantageWords } from '../../engine/views/vantage.ts';
import {
  type Degraded,
  type Down,
  instabilityText,
  type SeenFrom,
  type Unstable,
} from '../../engine/alerting/events/outage.ts';
import { toldAllTheSameMs } from '../../engine/monitoring/confirm/unstable.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import type { Reminder } from '../../engine/alerting/events/reminder.ts';
import type { Recovered } from '../../engine/alerting/events/recovered.ts';
import { plainLine, plainLines } from './plain.ts';
import { fact, type WordingLine, listed, nameOf, reasonLine, reasonsLine, type Wording } from './wording.ts';

/** A title names this many of the monitors that failed with it. */
const mostInTitle = 5;
const mostInLine = 30;

export function down(message: Down): Wording {
  const { impacted, startedAt, confirmedAt } = message;
  const since = `${instantText(startedAt)}, confirmed at ${nearInstantText(confirmedAt, startedAt)}`;
  const how = plainLine(message.confirmation ?? '');
  const views = plainViews(message.vantage);
  const doubt = disagreementOf(views);
  return {
    title:
      laterTitle(message) ??
      `${nameOf(message.monitor)} is down${doubt === null ? '' : ` (${doubt})`}${withIt(impacted)}`,
    lines: [
      ...reasonsLine(message),
      ...carriedLine(message),
      ...(message.cause === null ? [] : [fact('Caused by', nameOf(message.cause))]),
      ...impactLine(impacted),
      ...vantageWords(views),
      ...changeLine(message),
      ...stepLine(message),
      fact('Down since', `${since}${how === '' ? '' : ` by ${how}`}`, ' '),
      ...incidentLine(message.incidentId),
    ],
    quote: message.snapshot === null ? [] : quoteOf(message.snapshot),
  };
}

/** The title of a message about outages that began after the message about their cause left; null: it is another one. */
function laterTitle({ isLater = false, cause, monitor, impacted }: Down): string | null {
  if (!isLater || cause === null) return null;
  return `Also down because of ${nameOf(cause)}: ${listed([monitor, ...impacted].map(nameOf), mostInTitle)}`;
}

/** Who took care of it before it recovered for a moment. */
function carriedLine({ carried = null }: Down): string[] {
  if (carried === null) return [];
  const by = plainLine(carried.by ?? '', 100);
  return [`Still acknowledged${by === '' ? '' : ` by ${by}`}: it had recovered for less than 10 minutes`];
}

/** Why it comes later than to others. */
function stepLine({ step = null }: Pick<Down, 'step'>): string[] {
  if (step === null) return [];
  if (step.isRelief || step.of === null) return ['You are on call now; nobody has acknowledged it'];
  return [`Nobody has acknowledged it: step ${step.number} of ${plainLine(step.of)}`];
}

export function reminder(message: Reminder): Wording {
  const { monitor, at, startedAt, impacted, number, incidentId } = message;
  const isNews = message.because === 'reason_changed';
  const after = durationText(shownSpanMs(startedAt, at));
  const state = isNews ? 'is down for another reason' : `is still down after ${after}`;
  const since = instantText(startedAt);
  return {
    title: `${nameOf(monitor)} ${state}${withIt(impacted)}`,
    lines: [
      ...reasonsLine(message),
      ...impactLine(impacted),
      fact('Down since', isNews ? since : `${since}; nobody has acknowledged it`, ' '),
      ...(isNews ? [] : [fact('Reminder', String(number), ' ')]),
      ...incidentLine(incidentId),
    ],
    quote: [],
  };
}

export function degraded(message: Degraded): Wording {
  const { latencyMs, limitMs } = message;
  const how = plainLine(message.confirmation ?? '');
  const isSlow = message.reason === null && latencyMs !== null;
  const state = isSlow ? `is slow: ${millisecondsText(latencyMs)}` : 'is degraded';
  return {
    title: `${nameOf(message.monitor)} ${state}`,
    lines: [
      ...reasonLine(message.reason),
      ...(isSlow && limitMs !== null ? [`It should answer within ${millisecondsText(limitMs)}`] : []),
      ...changeLine(message),
      fact(
        'Degraded since',
        `${instantText(message.startedAt)}${how === '' ? '' : `, confirmed by ${how}`}`,
        ' ',
      ),
    ],
    quote: [],
  };
}

export function unstable(message: Unstable): Wording {
  return {
    title: `${nameOf(message.monitor)} is unstable: ${instabilityText(message)}`,
    lines: [
      ...reasonLine(message.reason),
      `Outages of less than ${durationText(toldAllTheSameMs)} are not sent one by one until it is stable again`,
      ...stepLine(message),
      fact('Unstable since', instantText(message.startedAt), ' '),
    ],
    quote: [],
  };
}

export function recovered(message: Recovered): Wording {
  if (message.isRemoved) return removed(message);
  const { startedAt, endedAt, isLate, isGone = false } = message;
  const is = isGone ? 'was' : 'is';
  const lasted = durationText(shownSpanMs(startedAt, endedAt));
  const name = nameOf(message.monitor);
  const { state, again } = endWords[message.from];
  const { outages = null } = message;
  return {
    title: isLate
      ? `${name} was ${message.from} ${lasted}, sent late${withIt(message.impacted)}`
      : `${name} ${is} ${again} after ${lasted}${withIt(message.impacted)}${isGone ? ', and is no longer monitored' : ''}`,
    lines: [
      ...(isLate ? [`It ${is} ${again}. No message could be delivered while it was ${message.from}`] : []),
      ...(outages === null ? [] : [fact('Outages', String(outages))]),
      ...(isGone ? ['It was removed from the configuration since'] : []),
      fact(`${state} from`, `${instantText(startedAt)} to ${nearInstantText(endedAt, startedAt)}`, ' '),
      ...reasonsLine(message),
      ...impactLine(message.impacted),
      ...incidentLine(message.incidentId),
    ],
    quote: [],
  };
}

const endWords = {
  down: { state: 'Down', again: 'up again' },
  degraded: { state: 'Degraded', again: 'healthy again' },
  unknown: { state: 'Not checked', again: 'checked again' },
  unstable: { state: 'Unstable', again: 'stable again' },
} as const;

/** It ends without a recovery: nothing may sound as if the monitor were up. */
function removed(message: Recovered): Wording {
  const { startedAt, endedAt, from } = message;
  const was = from === 'unknown' ? 'could not be checked' : `was ${from}`;
  return {
    title: `${nameOf(message.monitor)} is no longer monitored; it ${was} since ${instantText(startedAt)}`,
    lines: [
      `It was removed from the configuration at ${nearInstantText(endedAt, startedAt)}. Whether it recovered is not known`,
      ...reasonsLine(message),
      ...(message.impacted.length === 0
        ? []
        : [fact('Affected or removed with it', listed(message.impacted.map(nameOf), mostInLine))]),
      ...incidentLine(message.incidentId),
    ],
    quote: [],
  };
}

function withIt(impacted: readonly Named[]): string {
  if (impacted.length === 0) return '';
  return `, ${impacted.length} more with it: ${listed(impacted.map(nameOf), mostInTitle)}`;
}

/** Only what the title has no room for. */
function impactLine(impacted: readonly Named[]): WordingLine[] {
  return impacted.length > mostInTitle
    ? [fact('Failed with it', listed(impacted.map(nameOf), mostInLine))]
    : [];
}

/** The names of peers are the operator's own words, but not every channel shows every character. */
function plainViews(views: Down['vantage']): SeenFrom[] {
  return (views ?? []).map((view) => ({
    ...view,
    peer: view.peer === null ? null : plainLine(view.peer, 100),
  }));
}

function changeLine({ change, startedAt }: Down | Degraded): WordingLine[] {
  if (change === undefined || change === null) return [];
  const title = plainLine(change.title, 200);
  return [fact('Recent change', `${title}, ${durationText(Math.max(0, startedAt - change.at))} before`)];
}

function incidentLine(id: number | null): WordingLine[] {
  return id === null ? [] : [fact('Incident', String(id), ' ')];
}

function quoteOf({ statusLine, body }: Answer): string[] {
  const status = plainLine(statusLine, 160);
  return [...(status === '' ? [] : [status]), ...plainLines(body, { most: 8, maxLength: 160 })];
}
