/** The rows of `[digest]`: the summary that is sent by the calendar. */
import { optional, setting } from '../row.ts';
import { scheduleZone } from './maintenance.ts';
import { listOf } from '../types/collection.ts';
import { cron } from '../types/cron.ts';
import { text } from '../types/text.ts';

/** Names of channels: routed to these only. */
export const channelNames = listOf(text({ max: 200 }), { name: 'an array of channel names' });

export const digestRows = {
  schedule: setting(cron, '0 8 * * 1', {
    doc: 'When to send the digest: five-field cron.',
    example: '"0 8 * * 1"',
  }),
  timezone: scheduleZone,
  notify: optional(channelNames, {
    doc: 'Channels that send the digest. Default: all.',
    example: '["ops"]',
  }),
};
