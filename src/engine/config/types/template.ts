/** A text with places for the fields of an event. */
import { nearest } from '../../core/nearest.ts';
import { templateFault } from '../../core/template.ts';
import { text } from './text.ts';
import { bad, type ValueType } from './value.ts';

/** What can stand in a template: the fields of the webhook's document for any event, and its words. */
export const eventFields: readonly string[] = [
  ...[
    'event',
    'simulates',
    'monitor',
    'monitor_id',
    'at',
    'delivery_id',
    'severity',
    'message',
    'repeat',
    'link',
  ],
  // One line, and all lines, as other channels show them.
  ...['summary', 'text'],
  ...[
    'category',
    'reason',
    'cause',
    'impacted',
    'vantage',
    'snapshot',
    'recent_change',
    'latest_reason',
    'because',
    'acknowledged',
    'title',
    'state',
    'impact',
  ],
  ...[
    'incident_id',
    'incident_ids',
    'incident_uid',
    'group_id',
    'started_at',
    'confirmed_at',
    'ended_at',
    'from',
    'of',
    'outages',
    'down_percent',
  ],
  ...[
    'duration_secs',
    'late',
    'monitored',
    'resolution',
    'found',
    'latency_ms',
    'channel',
    'consecutive_failures',
  ],
  ...['failing_for_secs', 'days_left', 'expires_at', 'spki_sha256', 'previous_spki_sha256', 'since'],
  ...['last_seen_expires_at', 'domain', 'pace', 'rate', 'window_secs', 'slo_uptime_pct'],
  ...[
    'error_budget_minutes_left',
    'last_heard_at',
    'seen_by',
    'leader',
    'nodes',
    'stand_in',
    'node',
    'monitors',
    'monitor_count',
    'period',
    'number',
  ],
  ...['escalation', 'step', 'acknowledge_url', 'alerts'],
];

const body = text({ max: 100_000, canBreakLines: true });

export const eventTemplate: ValueType<string> = {
  ...body,
  read: (raw) => {
    const reading = body.read(raw);
    if (!reading.isGood) return reading;
    const fault = templateFault(reading.value, eventFields);
    switch (fault?.kind) {
      case undefined:
        return reading;
      case 'open':
        return bad('has {{ without }}', 'for example {{message}}');
      case 'malformed':
        return bad(
          `holds {{${fault.word}}}, which is no field`,
          'for example {{message}} or {{message|raw}}',
        );
      case 'unknown_filter':
        return bad(
          `writes a field as ${fault.word}`,
          'there are json, raw and url, for example {{message|raw}}',
        );
      case 'unknown_field': {
        const guess = nearest(fault.word, eventFields);
        const hint =
          guess === null ? 'statusd.toml(5) lists the fields of events' : `did you mean {{${guess}}}?`;
        return bad(`names no field of an event: ${fault.word}`, hint);
      }
    }
  },
};
