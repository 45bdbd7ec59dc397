/** The end of an outage, a degradation or a time without checks. Instants are epoch ms. */
import { timestampText } from '../../core/instant.ts';
import { latestJson, type LatestReason } from '../../core/latest-reason.ts';
import { wholeSecs } from '../../core/duration.ts';
import type { Envelope, EventRow, Named } from './event.ts';
import type { Grouping } from './outage.ts';
import {
  fieldsOf,
  type Hold,
  holdOf,
  namesJson,
  numberIn,
  type PayloadJson,
  textIn,
  textsIn,
} from './stored.ts';

/** The end of something that is to be sent, as the outbox keeps it. */
export interface RecoveryPayload {
  readonly from: 'down' | 'degraded' | 'unknown' | 'unstable';
  readonly startedAt: number;
  readonly endedAt: number;
  /** No alert could be sent while it lasted: the only message about it. */
  readonly isLate: boolean;
  /** The monitor left the configuration: whether it recovered is not known. */
  readonly isRemoved: boolean;
  /** As in the message that it ends. */
  readonly ownFault: string | null;
  readonly causeGroup: string | null;
  readonly alsoNamed: readonly string[];
  /** Of what was unstable: how many outages it had; null: it was something else. */
  readonly outages: number | null;
  /** The delivery that it ends, and what the monitor was called in that; null: a version that did not keep it wrote this. */
  readonly alertId: string | null;
  readonly knownAs: string | null;
  readonly hold: Hold | null;
}

/** The payload of a `recovered` delivery; null when it is none. */
export function readRecovery(payload: PayloadJson): RecoveryPayload | null {
  const fields = fieldsOf(payload);
  const startedAt = numberIn(fields, 'startedAt');
  const endedAt = numberIn(fields, 'endedAt');
  if (startedAt === null || endedAt === null) return null;
  const from =
    (['degraded', 'unknown', 'unstable'] as const).find((each) => each === fields['from']) ?? 'down';
  return {
    from,
    startedAt,
    endedAt,
    isLate: fields['isLate'] === true,
    isRemoved: fields['isRemoved'] === true,
    ownFault: textIn(fields, 'ownFault'),
    causeGroup: textIn(fields, 'causeGroup'),
    alsoNamed: textsIn(fields, 'alsoNamed'),
    outages: numberIn(fields, 'outages'),
    alertId: textIn(fields, 'alertId'),
    knownAs: textIn(fields, 'knownAs'),
    hold: holdOf(payload),
  };
}

/** What a monitor was like when it could be checked again; `failing`: it fails, and is not confirmed down yet. */
export interface FoundState extends Named {
  readonly state: 'up' | 'degraded' | 'failing' | 'down' | 'unknown';
}

export interface Recovered extends Envelope {
  readonly event: 'recovered';
  readonly monitor: Named;
  /** What it recovered from. */
  readonly from: 'down' | 'degraded' | 'unknown' | 'unstable';
  readonly startedAt: number;
  readonly endedAt: number;
  /** What it was down for. */
  readonly reason: string | null;
  /** What it was down for in the end; null, or absent: the same. */
  readonly latest?: LatestReason | null;
  /** Everything else that was named with it and is up again. */
  readonly impacted: readonly Named[];
  readonly grouping: Grouping;
  /** After a time without checks: what was found then, and what had prevented them (ownFaultKey). */
  readonly found?: readonly FoundState[];
  readonly ownFault?: string | null;
  /** As of its payload. */
  readonly outages?: number | null;
  /** No alert could be sent while it was down: this is the only message about it, and `severity` is info. */
  readonly isLate: boolean;
  /** The monitor left the configuration: it ended for that, and whether it recovered is not known. */
  readonly isRemoved: boolean;
  /** It recovered, and left the configuration before this was sent: how it is now is not known. */
  readonly isGone?: true;
  /** Null in a test, and when it was only degraded. */
  readonly incidentId: number | null;
  /** As of its payload; absent: not known. */
  readonly alertId?: string | null;
  readonly knownAs?: string | null;
}

export const recovered: EventRow<Recovered> = {
  event: 'recovered',
  outlastsQuietHours: true,
  severity: 'info',
  trouble: (fields) => (textIn(fields, 'from') === 'degraded' ? 'warning' : 'error'),
  subject: 'monitor',
  isMutable: true,
  givenUp: 'never',
  withoutChannel: 'kept_for_30_days',
  withoutMonitor: 'sent',
  isWithoutIncident: (payload) => ['degraded', 'unstable'].includes(readRecovery(payload)?.from ?? ''),
  webhook: (message) => ({
    from: message.from,
    ...(message.from === 'unstable' && { of: 'unstable', outages: message.outages ?? null }),
    ...latestJson(message.latest),
    started_at: timestampText(message.startedAt),
    duration_secs: wholeSecs(message.endedAt - message.startedAt),
    impacted: namesJson(message.impacted),
    incident_id: message.incidentId,
    incident_ids: message.grouping.incidentIds,
    group_id: message.grouping.groupId,
    late: message.isLate,
    ...(message.isGone === true && { monitored: false }),
    resolution: message.isRemoved ? 'monitor_removed' : 'recovered',
    ...(message.from === 'unknown' && {
      cause: message.ownFault ?? null,
      found: Object.fromEntries((message.found ?? []).map(({ id, state }) => [id, state])),
    }),
  }),
};
