/** The rows of `[[maintenance]]`: windows in which alerts are muted. */
import { optional, setting } from '../row.ts';
import { listOf } from '../types/collection.ts';
import { cron } from '../types/cron.ts';
import { duration, instant } from '../types/instant.ts';
import { timeZone } from '../types/page-part.ts';
import { identifier, text } from '../types/text.ts';

/** Ids of monitors. */
export const monitorIds = listOf(identifier, { name: 'an array of monitor ids' });

export const maintenanceRows = {
  title: setting(text({ max: 200, isShown: true }), 'Maintenance', {
    doc: 'What the status page shows.',
    example: '"Database upgrade"',
  }),
  start: optional(instant, {
    doc: 'When it begins: RFC 3339, with an offset. With a schedule: no window begins before.',
    example: '"2026-06-08T00:00:00Z"',
  }),
  end: optional(instant, {
    doc: 'When it ends, after start. With a schedule: no window begins after.',
    example: '"2026-06-08T02:00:00Z"',
  }),
  schedule: optional(cron, {
    doc: 'When it begins again and again: five-field cron, at most once an hour. It needs a duration.',
    example: '"0 3 * * 0"',
  }),
  duration: optional(duration, {
    doc: 'How long a window of the schedule lasts: numbers with a unit (m, h, d), at least 1m.',
    example: '"2h"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'The time zone of the schedule. A time of day that a change of the clock leaves out comes when it is set; one that it repeats counts once. Schedules of several hours go by each hour that passes.',
    example: '"Europe/Berlin"',
  }),
  monitors: setting(monitorIds, [], {
    doc: 'The monitors it covers, and peers by their id or listen_id. Empty: all.',
    example: '["database"]',
  }),
};
