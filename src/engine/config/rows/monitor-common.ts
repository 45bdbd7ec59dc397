/** The rows of `[[monitors]]` that every kind has. */
import type { MonitorKind } from '../../core/probe.ts';
import { computed, inherited, optional, required, setting, type ConfigRow } from '../row.ts';
import { choice } from '../types/choice.ts';
import { flag } from '../types/flag.ts';
import { integer, numberBetween } from '../types/number.ts';
import { accessToken } from '../types/secret-text.ts';
import { groupName, identifier, text } from '../types/text.ts';
import { webUrl } from '../types/url.ts';
import { retentionDays, threshold } from './alerts.ts';
import { channelNames } from './digest.ts';
import { monitorIds } from './maintenance.ts';
import { reminderSecs } from './on-call.ts';
import { escalationName } from './rotations.ts';

const milliseconds = integer({ min: 1, max: 3_600_000 });

/** The row of `kind` in the table of one kind. */
export function kind<const K extends MonitorKind>(word: K): ConfigRow<K, K> {
  return setting(choice([word]), word, { doc: 'Kind of check.', example: `"${word}"` });
}

/** The id and name of a monitor. */
export const identityRows = {
  id: required(identifier, {
    doc: 'Unique id, used in URLs and commands: 1 to 128 letters, digits, hyphens and underscores.',
    example: '"website"',
  }),
  name: computed(
    text({ max: 200, isShown: true }),
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'Display name.', example: '"Website"' },
  ),
};

/** A probe has to end before the next one is due. */
export function timeoutSecs(max: number, doc: string) {
  return computed(
    integer({ min: 1, max }),
    {
      doc: '10, or interval_secs where that is less',
      compute: (own): number => Math.min(10, own['interval_secs'] as number),
    },
    { doc, example: '10' },
  );
}

/** How often it is asked, when its alerts are sent, who sees it. */
export const policyRows = {
  interval_secs: setting(integer({ min: 1, max: 2_592_000 }), 60, {
    doc: 'Check interval. push: the interval at which heartbeats are expected.',
    example: '60',
  }),
  timeout_secs: timeoutSecs(300, 'Deadline of a probe, from the name lookup to the last byte.'),
  probe_retries: setting(integer({ min: 0, max: 5 }), 1, {
    doc: 'Retries of a failed probe, 1 s apart, before the check is recorded as failed.',
    example: '1',
  }),
  fail_threshold: inherited(threshold, ['alerts', 'fail_threshold'], {
    doc: 'Failed checks in a row that confirm it is down. push: a heartbeat that reports down counts as one; set 1 if heartbeats are rare.',
    example: '3',
  }),
  recover_threshold: inherited(threshold, ['alerts', 'recover_threshold'], {
    doc: 'Healthy checks in a row that end an incident.',
    example: '1',
  }),
  degraded_over_ms: optional(milliseconds, {
    doc: 'Latency above which the monitor is degraded.',
    example: '800',
  }),
  group: optional(groupName, {
    doc: 'Group on the status page; each group also has a page of its own.',
    example: '"infra"',
  }),
  description: optional(text({ max: 500 }), {
    doc: 'Description shown on the status page.',
    example: '"Where orders are paid"',
  }),
  url: optional(webUrl, {
    doc: 'Link shown on the page of the monitor.',
    example: '"https://www.example.com"',
  }),
  critical: setting(flag, false, {
    doc: 'Report a major outage on the status page when this monitor alone is down.',
    example: 'true',
  }),
  page_order: setting(integer({ min: -1_000_000, max: 1_000_000 }), 0, {
    doc: 'Position on the status page: lower numbers first, equal ones in the order of the file.',
    example: '10',
  }),
  depends_on: setting(monitorIds, [], {
    doc: 'Monitors it depends on. When one of them is down too, a single message covers both.',
    example: '["database"]',
  }),
  public: setting(flag, true, {
    doc: 'Visible without a token. false needs server.auth_token.',
    example: 'false',
  }),
  public_error_detail: setting(flag, false, {
    doc: 'Show the reason of a failure, including the response, without a token.',
    example: 'false',
  }),
  notify: optional(channelNames, {
    doc: 'Channels and rotations for its alerts. Default: all channels; [] for none.',
    example: '["ops"]',
  }),
  escalation: inherited(escalationName, ['alerts', 'escalation'], {
    doc: 'Escalation to use while nobody acknowledges an outage: its name, or false for none.',
    example: '"page"',
  }),
  repeat_every_secs: optional(reminderSecs, {
    doc: 'Interval of reminders on all of its channels while it is down, until it recovers or is acknowledged. Default: repeat_every_secs of each channel.',
    example: '1800',
  }),
  push_token: optional(accessToken, {
    doc: 'Token that programs must present to send alerts. It must not be empty.',
    example: '"${PUSH_TOKEN}"',
  }),
  slo_uptime: optional(numberBetween({ min: 0, max: 100 }), {
    doc: 'Availability target (SLO) in percent. It defines an error budget; budget_burn is sent when 2 % of the budget is used within an hour, or 5 % within six.',
    example: '99.9',
  }),
  slo_window_days: setting(integer({ min: 1, max: 1100 }), 30, {
    doc: 'Days over which the availability target is measured: the last N times 24 hours, to the minute. Planned maintenance counts neither for uptime nor for the budget.',
    example: '30',
  }),
  slo_latency_ms: optional(milliseconds, {
    doc: 'Latency target (SLO), compared with the 95th percentile of the last 24 hours.',
    example: '500',
  }),
  retention_days: inherited(retentionDays, ['alerts', 'default_retention_days'], {
    doc: 'Days to keep its samples.',
    example: '90',
  }),
  confirm_with_peers: inherited(flag, ['health', 'confirm_with_peers'], {
    doc: 'Have peers probe the target too before its alert is sent.',
    example: 'true',
  }),
};
