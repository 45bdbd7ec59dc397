/** The rows that every channel has: its filters and its quiet hours. */
import { alertNames, severities } from '../../core/alert-names.ts';
import { quietSpanOf } from '../../core/quiet-hours.ts';
import { optional, setting } from '../row.ts';
import { choice } from '../types/choice.ts';
import { listOf } from '../types/collection.ts';
import { integer } from '../types/number.ts';
import { timeZone } from '../types/page-part.ts';
import { text } from '../types/text.ts';
import { bad, good, notA, type ValueType } from '../types/value.ts';
import { monitorIds } from './maintenance.ts';

const hoursName = 'hours of the day';

const hoursOfDay: ValueType<string> = {
  name: hoursName,
  schema: { type: 'string', pattern: '^\\s*\\d\\d:\\d\\d\\s*-\\s*\\d\\d:\\d\\d\\s*$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(hoursName, raw);
    if (quietSpanOf(raw) !== null) return good(raw.replace(/\s/g, ''));
    return bad(`must be ${hoursName}: two different times`, 'for example "22:00-07:00"');
  },
};

/** Seconds between two reminders. */
export const reminderSecs = integer({ min: 60, max: 2_592_000 });

export const onCallRows = {
  events: optional(listOf(choice(alertNames), { name: 'an array of events' }), {
    doc: 'Send only these events. Recoveries and reminders are always sent to a channel that received the alert. Default: all.',
    example: '["down", "unknown"]',
  }),
  min_severity: setting(choice(severities), 'info', {
    doc: 'Send only events of at least this severity. The outage of a critical monitor counts as critical, any other outage as error.',
    example: '"error"',
  }),
  monitors: optional(monitorIds, {
    doc: 'Send only events about these monitors and the monitors of groups. Events without a monitor are always sent.',
    example: '["database"]',
  }),
  groups: optional(listOf(text({ max: 200 }), { name: 'an array of groups' }), {
    doc: 'Send only events about monitors of these groups and the monitors listed in monitors.',
    example: '["infra"]',
  }),
  quiet_hours: optional(hoursOfDay, {
    doc: 'Hours in which only critical events are sent: from and to; past midnight if from is later than to.',
    example: '"22:00-07:00"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'Time zone of quiet_hours.',
    example: '"Europe/Berlin"',
  }),
  quiet: setting(choice(['hold', 'drop']), 'hold', {
    doc: 'What happens to a message in quiet_hours. hold: it is sent when they end; if the outage has ended by then, as one late message. drop: it is not sent, except for an outage that outlasts them; recoveries and reminders are held.',
    example: '"drop"',
  }),
  repeat_every_secs: optional(reminderSecs, {
    doc: 'Interval of reminders that a monitor is still down, until it recovers or is acknowledged; repeat_every_secs of a monitor replaces it. Whatever is set here, one reminder follows when an acknowledged monitor fails for a reason of another category. Default: no reminders. pagerduty and alertmanager have reminders of their own and get none.',
    example: '3600',
  }),
};
