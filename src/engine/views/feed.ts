/** Lists recent events of a page, and the messages about them, in order of time. */
import { durationText, shownSpanMs } from '../core/duration.ts';
import { rfc3339 } from '../core/instant.ts';
import type { DecisionFacts, EventFacts } from '../core/record.ts';
import { sentenceOf } from './explain-timeline.ts';

export const liveEventKinds = ['down', 'unknown', 'up', 'sent', 'failed', 'suppressed', 'changed'] as const;
type LiveEventKind = (typeof liveEventKinds)[number];

export interface LiveEvent {
  /** RFC 3339. */
  readonly at: string;
  readonly kind: LiveEventKind;
  /** The id of the monitor it is about; null: of none in particular. */
  readonly monitor: string | null;
  /** One line. */
  readonly text: string;
}

export interface EventFeedFacts {
  readonly incidents: readonly {
    readonly monitor: string;
    readonly name: string;
    readonly ownFault: string | null;
    readonly startedAt: number;
    readonly confirmedAt: number;
    readonly endedAt: number | null;
    readonly reason: string | null;
  }[];
  readonly decisions: readonly DecisionFacts[];
  readonly changes: readonly EventFacts[];
  readonly nameOf: (monitor: string) => string;
}

interface Moment extends Omit<LiveEvent, 'at'> {
  readonly at: number;
}

/** The newest first, at most `limit`. */
export function feedOf(facts: EventFeedFacts, limit: number): LiveEvent[] {
  const moments: Moment[] = [
    ...facts.incidents.flatMap(momentsOf),
    ...sentMoments(facts),
    ...facts.changes.map(
      ({ at, title, monitors }): Moment => ({
        at,
        kind: 'changed',
        monitor: monitors.length === 1 ? (monitors[0] ?? null) : null,
        text: title,
      }),
    ),
  ];
  return moments
    .toSorted((a, b) => b.at - a.at)
    .slice(0, limit)
    .map((moment) => ({ ...moment, at: rfc3339(moment.at) }));
}

function momentsOf(incident: EventFeedFacts['incidents'][number]): Moment[] {
  const { monitor, name, ownFault, startedAt, confirmedAt, endedAt, reason } = incident;
  const isUnknown = ownFault !== null;
  const began: Moment = {
    at: confirmedAt,
    kind: isUnknown ? 'unknown' : 'down',
    monitor,
    text: `${name} ${isUnknown ? 'cannot be checked' : 'is down'}${reason === null ? '' : `: ${reason}`}`,
  };
  if (endedAt === null) return [began];
  return [
    began,
    {
      at: endedAt,
      kind: 'up',
      monitor,
      text: `${name} recovered after ${durationText(shownSpanMs(startedAt, endedAt))}`,
    },
  ];
}

/** One line has the channels about which the same was decided at one time; a message that is not sent, for the same reason. */
function sentMoments({ decisions, nameOf }: EventFeedFacts): Moment[] {
  const lines = new Map<string, { readonly decision: DecisionFacts; readonly channels: string[] }>();
  for (const decision of decisions) {
    const { at, monitor, event, verdict, reason, channel } = decision;
    if (!['told', 'undelivered', 'spared'].includes(verdict)) continue;
    const why = verdict === 'spared' ? sentenceOf(decision) : '';
    const key = [Math.floor(at / 1000), monitor, event, verdict, reason, why].join('\n');
    const known = lines.get(key) ?? { decision, channels: [] };
    if (channel !== null) known.channels.push(channel);
    lines.set(key, known);
  }
  return [...lines.values()].map(({ decision, channels }) => momentOf(decision, channels, nameOf));
}

function momentOf(
  decision: DecisionFacts,
  channels: readonly string[],
  nameOf: (monitor: string) => string,
): Moment {
  const { at, monitor, event, verdict } = decision;
  const what = `${monitor === null ? '' : `${nameOf(monitor)} `}${event.replaceAll('_', ' ')}`;
  const names = channels.join(', ');
  switch (verdict) {
    case 'told':
      return { at, kind: 'sent', monitor, text: `sent to ${names}: ${what}` };
    case 'undelivered':
      return { at, kind: 'failed', monitor, text: `not delivered to ${names}: ${what}` };
    default:
      return {
        at,
        kind: 'suppressed',
        monitor,
        text: `not sent${names === '' ? '' : ` to ${names}`}: ${what}. ${sentenceOf(decision)}`,
      };
  }
}
