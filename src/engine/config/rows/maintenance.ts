/** The rows of `[[maintenance]]`: windows in which alerts are muted. */
import { optional, setting } from '../row.ts';
import { listOf } from '../types/collection.ts';
import { cron } from '../types/cron.ts';
import { duration, instant } from '../types/instant.ts';
import { timeZone } from '../types/page-part.ts';
import { identifier, text } from '../types/text.ts';

/** Ids of monitors. */
export const monitorIds = listOf(identifier, { name: 'an array of monitor ids' });

/** The zone of a schedule in cron. */
export const scheduleZone = setting(timeZone, 'UTC', {
  doc: 'Time zone of the schedule. A time skipped by a daylight-saving change moves to the moment of the change; a repeated time counts once. A schedule with several hours runs at each hour that passes.',
  example: '"Europe/Berlin"',
});

export const maintenanceRows = {
  title: setting(text({ max: 200, isShown: true }), 'Maintenance', {
    doc: 'Title of the maintenance on the status page.',
    example: '"Database upgrade"',
  }),
  start: optional(instant, {
    doc: 'Start: RFC 3339, with an offset. With a schedule: no window starts before this time.',
    example: '"2026-06-08T00:00:00Z"',
  }),
  end: optional(instant, {
    doc: 'End, later than start. With a schedule: no window starts after this time.',
    example: '"2026-06-08T02:00:00Z"',
  }),
  schedule: optional(cron, {
    doc: 'When recurring windows start: five-field cron, at most once an hour. Needs a duration.',
    example: '"0 3 * * 0"',
  }),
  duration: optional(duration, {
    doc: 'Length of each recurring window: numbers with a unit (m, h, d), at least 1m.',
    example: '"2h"',
  }),
  timezone: scheduleZone,
  monitors: setting(monitorIds, [], {
    doc: 'Monitors covered, and peers by their id or listen_id. Empty: all.',
    example: '["database"]',
  }),
};
