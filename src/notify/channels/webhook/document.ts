/** The JSON that the webhook channel posts: one shape an event, stable names. */
import { wholeSecs } from '../../../engine/core/duration.ts';
import { timestampText } from '../../../engine/core/instant.ts';
import type { Json } from '../../../db/store/operation.ts';
import type { Grouping, Message, Named } from '../../message.ts';
import { tagsOf } from '../../wording/notice.ts';
import { wordingOf } from '../../wording/words.ts';

type Fields = Readonly<Record<string, Json>>;

/**
 * What every event has, then its own fields. A test never bears the name of what it imitates, so that no machine
 * acts on it: its event is `test`, and `simulates` says the rest.
 */
export function documentOf(message: Message): Fields {
  const subject = subjectOf(message);
  const isImitation = message.isTest && message.event !== 'test';
  return {
    event: isImitation ? 'test' : message.event,
    ...(isImitation && { simulates: message.event }),
    monitor: subject?.name ?? null,
    monitor_id: subject?.id ?? null,
    at: timestampText(message.at),
    delivery_id: message.deliveryId,
    severity: message.severity,
    message: sentenceOf(message),
    ...fieldsOf(message),
    ...(message.repeat !== undefined && { repeat: message.repeat }),
    ...(message.link !== null && { link: message.link }),
  };
}

/** The monitor or the peer that it is about. */
function subjectOf(message: Message): Named | null {
  if ('monitor' in message) return message.monitor;
  return 'peer' in message ? message.peer : null;
}

/** The event in one sentence, for receivers that pass it on to people. */
function sentenceOf(message: Message): string {
  const { title, lines } = wordingOf(message);
  return message.event === 'digest' ? lines.join('\n') : title;
}

const instantOrNull = (at: number | null): string | null => (at === null ? null : timestampText(at));

const namesOf = (monitors: readonly Named[]): Json => monitors.map(({ id, name }) => ({ id, name }));

const groupingOf = ({ groupId, incidentIds }: Grouping): Fields => ({
  incident_ids: incidentIds,
  group_id: groupId,
});

function fieldsOf(message: Message): Fields {
  switch (message.event) {
    case 'down':
      return {
        ...(message.reason !== null && { message: message.reason }),
        category: message.category,
        started_at: timestampText(message.startedAt),
        confirmed_at: timestampText(message.confirmedAt),
        cause: message.cause?.id ?? null,
        impacted: namesOf(message.impacted),
        vantage: message.vantage?.map(({ peer, verdict, error }) => ({ peer, verdict, error })) ?? null,
        incident_id: message.incidentId,
        ...groupingOf(message.grouping),
        snapshot: message.snapshot && {
          status_line: message.snapshot.statusLine,
          headers: message.snapshot.headers,
          ...(message.snapshot.moreHeaders !== undefined && { more_headers: message.snapshot.moreHeaders }),
          body: message.snapshot.body,
        },
      };
    case 'unknown':
      return {
        cause: message.ownFault,
        reason: message.reason,
        started_at: timestampText(message.startedAt),
        confirmed_at: timestampText(message.confirmedAt),
        impacted: namesOf(message.impacted),
        incident_id: message.incidentId,
        incident_ids: message.incidentIds,
      };
    case 'degraded':
      return {
        ...(message.reason !== null && { message: message.reason }),
        latency_ms: message.latencyMs === null ? null : Math.round(message.latencyMs),
        started_at: timestampText(message.startedAt),
      };
    case 'recovered':
      return {
        from: message.from,
        started_at: timestampText(message.startedAt),
        duration_secs: wholeSecs(message.endedAt - message.startedAt),
        impacted: namesOf(message.impacted),
        incident_id: message.incidentId,
        ...groupingOf(message.grouping),
        late: message.isLate,
        resolution: message.isRemoved ? 'monitor_removed' : 'recovered',
        ...(message.from === 'unknown' && {
          cause: message.ownFault ?? null,
          found: Object.fromEntries((message.found ?? []).map(({ id, state }) => [id, state])),
        }),
      };
    case 'alert': {
      const tags = tagsOf(message);
      const text = message.message ?? '';
      return { title: message.title, message: tags === '' ? text : `${text}\n${tags}`.trimStart() };
    }
    case 'channel_failing':
      return {
        channel: message.channel,
        consecutive_failures: message.consecutiveFailures,
        failing_for_secs: wholeSecs(message.at - message.failingSinceAt),
      };
    case 'cert_expiring':
      return { days_left: message.daysLeft, expires_at: timestampText(message.expiresAt) };
    case 'cert_changed':
      return {
        expires_at: timestampText(message.expiresAt),
        spki_sha256: message.spkiSha256,
        previous_spki_sha256: message.previousSpkiSha256,
      };
    case 'cert_unreadable':
      return {
        reason: message.reason,
        since: timestampText(message.sinceAt),
        last_seen_expires_at: instantOrNull(message.lastExpiresAt),
      };
    case 'domain_expiring':
      return {
        domain: message.domain,
        days_left: message.daysLeft,
        expires_at: timestampText(message.expiresAt),
      };
    case 'budget_burn':
      return {
        pace: message.pace,
        rate: message.rate,
        window_secs: message.windowSecs,
        slo_uptime_pct: message.uptimePercent,
        error_budget_minutes_left: message.leftMinutes,
      };
    case 'peer_down':
      return { last_heard_at: instantOrNull(message.lastHeardAt) };
    case 'peer_recovered':
      return { duration_secs: wholeSecs(message.endedAt - message.startedAt) };
    case 'peer_link_degraded':
      return { last_heard_at: instantOrNull(message.lastHeardAt), seen_by: message.seenBy };
    case 'node_blind':
      return {
        node: message.node,
        started_at: timestampText(message.startedAt),
        ended_at: instantOrNull(message.endedAt),
        monitors: message.monitors.map(({ id }) => id),
        monitor_count: message.monitorCount,
      };
    case 'storage_failing':
      return { started_at: timestampText(message.startedAt) };
    case 'digest':
      return { period: `${timestampText(message.fromAt)}/${timestampText(message.toAt)}` };
    case 'test':
      return {};
  }
}
