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

export const onCallRows = {
  events: optional(listOf(choice(alertNames), { name: 'an array of events' }), {
    doc: 'Only these events. Recoveries and reminders go to who got the alert, also where they are not among them. All when absent.',
    example: '["down", "unknown"]',
  }),
  min_severity: setting(choice(severities), 'info', {
    doc: 'Only what is at least as severe. What a critical monitor is down for counts as critical, any other outage as error.',
    example: '"error"',
  }),
  monitors: optional(monitorIds, {
    doc: 'Only what is about these monitors, or those of groups. What is about no monitor passes.',
    example: '["database"]',
  }),
  groups: optional(listOf(text({ max: 200 }), { name: 'an array of groups' }), {
    doc: 'Only what is about monitors of these groups, or about those of monitors.',
    example: '["infra"]',
  }),
  quiet_hours: optional(hoursOfDay, {
    doc: 'When only what is critical is sent: from and to, over midnight where from is later.',
    example: '"22:00-07:00"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'The time zone of quiet_hours.',
    example: '"Europe/Berlin"',
  }),
  quiet: setting(choice(['hold', 'drop']), 'hold', {
    doc: 'What becomes of a message in quiet_hours. hold: it is sent when they end, as one late message where it is over by then. drop: it is not sent, unless it is an outage that lasts longer than they do; recoveries and reminders are held.',
    example: '"drop"',
  }),
  repeat_every_secs: optional(integer({ min: 60, max: 2_592_000 }), {
    doc: 'How long after a message that a monitor is down, and then again and again, a reminder is sent, until it recovers or is acknowledged. None when absent. pagerduty and alertmanager remind by rules of their own, and get none.',
    example: '3600',
  }),
};
