/** An operator opened an incident of which channels are to know, said more about it, or resolved it. */
import {
  type IncidentImpact,
  incidentImpacts,
  incidentStates,
  type OperatorState,
} from '../../core/record.ts';
import { timestampText } from '../../core/instant.ts';
import type { Envelope, Moment, Named, NoticeRow, Severity } from './event.ts';
import { type EventFields, numberIn, textIn, textsIn } from './stored.ts';

/** `update`: the uid of what was said; with it nothing is sent twice. */
export interface IncidentSaidEvent extends Moment {
  readonly kind: 'incident_said';
  /** Of the incident. */
  readonly uid: string;
  readonly update: string;
  readonly number: number;
  readonly title: string;
  readonly impact: IncidentImpact;
  /** Null: it stays what it was. */
  readonly state: OperatorState | null;
  readonly message: string | null;
  /** Ids; none: it is about everything. */
  readonly monitors: readonly string[];
  readonly startedAt: number;
}

export interface IncidentSaid extends Envelope {
  readonly event: 'incident';
  readonly uid: string;
  /** Null: another version wrote none. */
  readonly number: number | null;
  readonly title: string;
  readonly impact: IncidentImpact;
  readonly state: OperatorState | null;
  readonly message: string | null;
  readonly monitors: readonly Named[];
  readonly startedAt: number;
}

const severities: Readonly<Record<IncidentImpact, Severity>> = {
  none: 'info',
  maintenance: 'info',
  degraded: 'warning',
  partial: 'error',
  major: 'critical',
};

export const incidentSaid: NoticeRow<IncidentSaid, IncidentSaidEvent> = {
  event: 'incident',
  severity: (fields) => (stateOf(fields) === 'resolved' ? 'info' : severities[impactOf(fields)]),
  subject: 'node',
  isMutable: false,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'sent',
  raisedBy: ['incident_said'],
  keyOf: ({ uid, update }) => `incident.${uid}.${update}`,
  episodeOf: ({ uid }) => uid,
  read: ({ fields, at, named }) => ({
    uid: textIn(fields, 'uid') ?? '',
    number: numberIn(fields, 'number'),
    title: textIn(fields, 'title') ?? '',
    impact: impactOf(fields),
    state: stateOf(fields),
    message: textIn(fields, 'message'),
    monitors: textsIn(fields, 'monitors').map(named),
    startedAt: numberIn(fields, 'startedAt') ?? at,
  }),
  webhook: ({ uid, number, title, impact, state, message, monitors, startedAt }, line) => ({
    incident_id: number,
    incident_uid: uid,
    title: line(title, 200),
    impact,
    state,
    message: message ?? '',
    monitors: monitors.map(({ id }) => id),
    started_at: timestampText(startedAt),
  }),
};

function impactOf(fields: EventFields): IncidentImpact {
  return incidentImpacts.find((each) => each === fields['impact']) ?? 'degraded';
}

function stateOf(fields: EventFields): IncidentSaid['state'] {
  return incidentStates.find((each) => each === fields['state']) ?? null;
}
