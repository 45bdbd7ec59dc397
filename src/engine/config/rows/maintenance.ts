/** The rows of `[[maintenance]]`: windows in which alerts keep quiet. */
import { required, setting } from '../row.ts';
import { listOf } from '../types/collection.ts';
import { instant } from '../types/instant.ts';
import { identifier, text } from '../types/text.ts';

/** Ids of monitors. */
export const monitorIds = listOf(identifier, { name: 'an array of monitor ids' });

export const maintenanceRows = {
  title: setting(text({ max: 200 }), 'Maintenance', {
    doc: 'What the status page shows.',
    example: '"Database upgrade"',
  }),
  start: required(instant, {
    doc: 'When it begins: RFC 3339, with an offset.',
    example: '"2026-06-08T00:00:00Z"',
  }),
  end: required(instant, {
    doc: 'When it ends, after start.',
    example: '"2026-06-08T02:00:00Z"',
  }),
  monitors: setting(monitorIds, [], {
    doc: 'The monitors it covers, and peers by their listen_id. Empty: all.',
    example: '["database"]',
  }),
};
