/** The rows of `[alerts]`: when to alert. */
import { setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { atLeastOne, integer } from '../types/number.ts';
import { escalation } from './rotations.ts';

/** How many checks in a row confirm a change. */
export const threshold = atLeastOne(100);

/** How many days stored samples are kept. */
export const retentionDays = integer({ min: 1, max: 3650 });

const days = integer({ min: 0, max: 365 });
const windowSecs = integer({ min: 0, max: 2_592_000 });

export const alertsRows = {
  fail_threshold: setting(threshold, 3, {
    doc: 'How many failed checks in a row confirm that a monitor is down.',
    example: '3',
  }),
  recover_threshold: setting(threshold, 1, {
    doc: 'How many healthy checks in a row end an incident.',
    example: '1',
  }),
  alert_on_degraded: setting(flag, false, {
    doc: 'Whether a degraded monitor alerts like one that is down, after as many checks.',
    example: 'false',
  }),
  group_window_secs: setting(windowSecs, 30, {
    doc: 'How long a message waits, so that a flap stays silent and a cascade becomes one message. 0: one message per monitor, at once.',
    example: '30',
  }),
  escalation,
  channel_fail_threshold: setting(threshold, 3, {
    doc: 'How many failed deliveries in a row make a channel failing, which the other channels are notified of.',
    example: '3',
  }),
  push_alert_window_secs: setting(windowSecs, 300, {
    doc: 'How long alerts with the same dedup_key are one. 0: every alert is sent.',
    example: '300',
  }),
  cert_expiry_days: setting(days, 14, {
    doc: 'How many days before a certificate expires to warn.',
    example: '14',
  }),
  domain_expiry_days: setting(days, 14, {
    doc: 'How many days before a domain expires to warn.',
    example: '14',
  }),
  default_retention_days: setting(retentionDays, 90, {
    doc: 'How many days samples are kept.',
    example: '90',
  }),
};
