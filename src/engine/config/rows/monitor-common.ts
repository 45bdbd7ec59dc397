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
import { escalationName } from './rotations.ts';

const milliseconds = integer({ min: 1, max: 3_600_000 });

/** The row of `kind` in the table of one kind. */
export function kind<const K extends MonitorKind>(word: K): ConfigRow<K, K> {
  return setting(choice([word]), word, { doc: 'What is asked.', example: `"${word}"` });
}

/** The id and name of a monitor. */
export const identityRows = {
  id: required(identifier, {
    doc: 'The name in addresses and commands, unique: 1 to 128 letters, digits, hyphens and underscores.',
    example: '"website"',
  }),
  name: computed(
    text({ max: 200, isShown: true }),
    { doc: 'same as id', compute: (own): string => own['id'] as string },
    { doc: 'What people read.', example: '"Website"' },
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
    doc: 'How often it is checked. push: how often a heartbeat is expected.',
    example: '60',
  }),
  timeout_secs: timeoutSecs(300, 'The deadline of a probe, from the name lookup to the last byte.'),
  probe_retries: setting(integer({ min: 0, max: 5 }), 1, {
    doc: 'How many further tries a failed probe gets, 1 s apart, before anything is recorded.',
    example: '1',
  }),
  fail_threshold: inherited(threshold, ['alerts', 'fail_threshold'], {
    doc: 'How many failed checks in a row confirm that it is down. push: a heartbeat that says down is one; where they are rare, 1 is right.',
    example: '3',
  }),
  recover_threshold: inherited(threshold, ['alerts', 'recover_threshold'], {
    doc: 'How many healthy checks in a row end an incident.',
    example: '1',
  }),
  degraded_over_ms: optional(milliseconds, {
    doc: 'The latency over which it is degraded.',
    example: '800',
  }),
  group: optional(groupName, {
    doc: 'The group it is shown in, with a page of its own.',
    example: '"infra"',
  }),
  description: optional(text({ max: 500 }), {
    doc: 'What it is, for readers of the status page.',
    example: '"Where orders are paid"',
  }),
  url: optional(webUrl, {
    doc: 'Where readers find it: a link on its page.',
    example: '"https://www.example.com"',
  }),
  critical: setting(flag, false, {
    doc: 'Whether it alone makes a major outage.',
    example: 'true',
  }),
  page_order: setting(integer({ min: -1_000_000, max: 1_000_000 }), 0, {
    doc: 'Where it stands on the status page: lower numbers first, equal ones as in the file.',
    example: '10',
  }),
  depends_on: setting(monitorIds, [], {
    doc: 'The monitors it needs. When one of them is down too, their messages become one.',
    example: '["database"]',
  }),
  public: setting(flag, true, {
    doc: 'Visible without a token. false needs server.auth_token.',
    example: 'false',
  }),
  public_error_detail: setting(flag, false, {
    doc: 'Whether the reason of a failure, answers included, is visible without a token.',
    example: 'false',
  }),
  notify: optional(channelNames, {
    doc: 'The channels and rotations its alerts go through. All of them when absent; [] for none.',
    example: '["ops"]',
  }),
  escalation: inherited(escalationName, ['alerts', 'escalation'], {
    doc: 'Who is notified next where nobody acknowledges its outage: the name of an escalation, or false for none.',
    example: '"page"',
  }),
  push_token: optional(accessToken, {
    doc: 'The token that alerts of producers must present. It must not be empty.',
    example: '"${PUSH_TOKEN}"',
  }),
  slo_uptime: optional(numberBetween({ min: 0, max: 100 }), {
    doc: 'The availability target (SLO) in percent. It gives an error budget and warns when the budget burns.',
    example: '99.9',
  }),
  slo_window_days: setting(integer({ min: 1, max: 1100 }), 30, {
    doc: 'Over how many days the availability target holds.',
    example: '30',
  }),
  slo_latency_ms: optional(milliseconds, {
    doc: 'The latency target (SLO), held against the 95th percentile of 24 hours.',
    example: '500',
  }),
  retention_days: inherited(retentionDays, ['alerts', 'default_retention_days'], {
    doc: 'How many days its samples are kept.',
    example: '90',
  }),
  confirm_with_peers: inherited(flag, ['health', 'confirm_with_peers'], {
    doc: 'Whether peers probe the target too before its alert is sent.',
    example: 'true',
  }),
};
