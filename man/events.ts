/** The part of statusd.toml(5) about events: what each is, and its fields in JSON and in templates. */
import type { EventName } from '../src/engine/alerting/events/catalogue.ts';
import { sectionOf } from './frame.ts';
import { mdocParagraph, mdocProse } from './mdoc.ts';

interface EventPart {
  /** One sentence or two, for people who choose from them. */
  readonly doc: string;
  /** What its document has besides what every event has. */
  readonly fields: readonly string[];
}

const outage = [
  'category',
  'latest_reason',
  'acknowledged',
  'started_at',
  'confirmed_at',
  'cause',
  'impacted',
  'vantage',
  'incident_id',
  'incident_ids',
  'group_id',
  'snapshot',
  'recent_change',
  'escalation',
  'step',
] as const;

/** Every event there is, in the order of the catalogue. */
export const eventParts: Readonly<Record<EventName, EventPart>> = {
  down: { doc: 'A monitor is down; lists the impacted monitors. Severity error.', fields: outage },
  degraded: {
    doc: 'A monitor is degraded. Only with `alert_on_degraded`. Severity warning.',
    fields: ['latency_ms', 'started_at', 'recent_change'],
  },
  unknown: {
    doc: 'Monitors cannot be checked, for example because this host has no name server or no `ping`. Severity error.',
    fields: ['cause', 'reason', 'started_at', 'confirmed_at', 'impacted', 'incident_id', 'incident_ids'],
  },
  unstable: {
    doc:
      'A monitor goes down and comes back again and again: half of its checks failed in the last 10 minutes or 10 checks, whichever is longer, and it came back at least three times, or it was reported down three times within 30 minutes. ' +
      'Checks under a silence or maintenance, and failures at the time of those of an upstream, do not count. ' +
      'Until it has been quiet for 15 minutes or 15 checks, a channel that received this gets no messages about its outages of less than 5 minutes, nor about those that its dependents have with it, unless these are critical. ' +
      'It escalates as an outage does, until one of its outages is acknowledged, and has no reminders. Off with `unstable = false` or `group_window_secs = 0`. ' +
      'Severity warning, for a critical monitor error; to filters and quiet hours it is critical then, as an outage is.',
    fields: [
      'started_at',
      'down_percent',
      'outages',
      'window_secs',
      'incident_ids',
      'group_id',
      'escalation',
      'step',
    ],
  },
  recovered: {
    doc: 'A monitor recovered from one of the four above (`from`). Sent to the channels that received the alert, or as one late message about both. After `unstable`, `of` is unstable too, and `group_id` is that of its message. Severity info.',
    fields: [
      'from',
      'latest_reason',
      'started_at',
      'duration_secs',
      'impacted',
      'incident_id',
      'incident_ids',
      'group_id',
      'late',
      'monitored',
      'resolution',
      'cause',
      'found',
      'of',
      'outages',
    ],
  },
  reminder: {
    doc: 'A monitor is still down. Sent every `repeat_every_secs` (`because` is unacknowledged), and once when an acknowledged outage has a reason of another category (reason_changed). Severity error.',
    fields: ['because', 'latest_reason', 'started_at', 'number', 'impacted', 'incident_id', 'incident_ids'],
  },
  alert: {
    doc: 'A program sent an alert through the API. The program sets its severity. More than five that wait on one channel are one message: `title` has the titles of the first five and how many more there are, `message` a line for each of the first twenty, and `alerts` lists all, each with its `delivery_id`, `monitor`, `monitor_id`, `at`, `severity`, `title`, and where there are any `message` and `dedup_key`. Its severity is the highest of them.',
    fields: ['title', 'alerts'],
  },
  incident: {
    doc: 'An operator opened, updated or resolved an incident. The severity depends on the impact.',
    fields: ['incident_id', 'incident_uid', 'title', 'impact', 'state', 'monitors', 'started_at'],
  },
  channel_failing: {
    doc: 'Deliveries to another channel fail (`channel_fail_threshold`). Severity warning.',
    fields: ['channel', 'consecutive_failures', 'failing_for_secs'],
  },
  cert_expiring: {
    doc: 'A certificate expires within `cert_expiry_days`. Severity warning.',
    fields: ['days_left', 'expires_at'],
  },
  cert_changed: {
    doc: 'The public key of a certificate changed. Severity warning.',
    fields: ['expires_at', 'spki_sha256', 'previous_spki_sha256'],
  },
  cert_unreadable: {
    doc: 'A certificate can no longer be read. Severity warning.',
    fields: ['reason', 'since', 'last_seen_expires_at'],
  },
  domain_expiring: {
    doc: 'The registration of a domain expires within `domain_expiry_days`. Severity warning.',
    fields: ['domain', 'days_left', 'expires_at'],
  },
  budget_burn: {
    doc: 'An error budget (`slo_uptime`) is used up too fast. Severity error for `pace` fast, warning for slow.',
    fields: ['pace', 'rate', 'window_secs', 'slo_uptime_pct', 'error_budget_minutes_left'],
  },
  peer_down: { doc: 'A peer sends no heartbeats. Severity error.', fields: ['last_heard_at'] },
  peer_recovered: {
    doc: 'A peer sends heartbeats again. Severity info.',
    fields: ['duration_secs', 'resolution'],
  },
  peer_link_degraded: {
    doc: 'This node receives no heartbeats from a peer that other peers still see. Severity warning.',
    fields: ['last_heard_at', 'seen_by'],
  },
  node_blind: {
    doc: 'This node lost its network, or has it back. Severity warning.',
    fields: ['node', 'started_at', 'ended_at', 'monitors', 'monitor_count'],
  },
  storage_failing: {
    doc: 'Writes to the database fail. Severity error.',
    fields: ['started_at'],
  },
  nodes_differ: {
    doc: 'Nodes that share a database have had different configurations for three leases. `nodes` lists those that differ from the `leader`; with `stand_in` the leader has another one than the leader before it, and does not check `monitors`. Sent once. Severity warning.',
    fields: ['started_at', 'leader', 'nodes', 'stand_in', 'monitors', 'monitor_count'],
  },
  digest: { doc: 'The summary of `[digest]`. Severity info.', fields: ['period'] },
  test: {
    doc: 'A test message, as sent by `statusd test-alert`; `simulates` names the simulated event.',
    fields: ['simulates'],
  },
};

const shared = `
  These are the valid names for \`events\` of a channel. A channel of type webhook posts each event as one JSON object, a
  channel of type exec gets the same object on standard input, and \`body\` of a webhook names its fields in double braces.

  Every event has \`event\` (its name), \`monitor\` and \`monitor_id\` (the display name and the id of the monitor or the
  peer, null without one), \`at\`, \`delivery_id\` (the same in every copy of a message, for receivers that discard
  repeats), \`severity\` (info, warning, error or critical) and \`message\` (a reason or a text), and where they apply
  \`link\` and \`acknowledge_url\` (pages), and \`repeat\` (how many copies may have come before). Templates also have
  \`summary\` and \`text\`: the message in one line and in full, as in other channels.

  Times are RFC 3339 strings in UTC, durations are whole seconds. \`impacted\` is an array of \`{id, name}\`, \`vantage\` one
  of \`{peer, verdict, error}\`, \`recent_change\` is \`{title, at}\`, \`snapshot\` is \`{status_line, headers, body}\`; a dot
  leads into a field: \`{{snapshot.status_line}}\`. Unknown values are null.
`;

/** The section EVENTS. */
export function eventSection(): string[] {
  return sectionOf('EVENTS', [
    ...mdocProse(shared),
    '.Bl -tag -width Ds',
    ...Object.entries(eventParts).flatMap(([name, { doc, fields }]) => [
      `.It Cm ${name}`,
      ...mdocParagraph(`${doc} Also: ${fields.map((field) => `\`${field}\``).join(', ')}.`),
    ]),
    '.El',
  ]);
}
