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
    doc: 'Failed checks in a row that confirm a monitor is down.',
    example: '3',
  }),
  recover_threshold: setting(threshold, 1, {
    doc: 'Healthy checks in a row that end an incident.',
    example: '1',
  }),
  alert_on_degraded: setting(flag, false, {
    doc: 'Alert on degraded monitors too, after the same number of checks as for down.',
    example: 'false',
  }),
  group_window_secs: setting(windowSecs, 30, {
    doc: 'Time an alert waits before it is sent, so that a flap sends nothing and a cascade becomes one message. 0: one message per monitor, at once.',
    example: '30',
  }),
  unstable: setting(flag, true, {
    doc: 'Send one message about a monitor that goes down and comes back again and again, instead of one for each outage of less than 5 minutes. Needs a group_window_secs above 0.',
    example: 'true',
  }),
  escalation,
  channel_fail_threshold: setting(threshold, 3, {
    doc: 'Failed deliveries in a row after which a channel counts as failing; the other channels are then notified.',
    example: '3',
  }),
  push_alert_window_secs: setting(windowSecs, 300, {
    doc: 'Time in which alerts with the same dedup_key count as one. 0: every alert is sent.',
    example: '300',
  }),
  cert_expiry_days: setting(days, 14, {
    doc: 'Days before the expiry of a certificate at which to warn.',
    example: '14',
  }),
  domain_expiry_days: setting(days, 14, {
    doc: 'Days before the expiry of a domain at which to warn.',
    example: '14',
  }),
  default_retention_days: setting(retentionDays, 90, {
    doc: 'Days to keep samples.',
    example: '90',
  }),
};
