/** The rows of `[subscribe]`: mails to readers of the status page. */
import { optional, required, setting } from '../row.ts';
import { integer } from '../types/number.ts';
import { text } from '../types/text.ts';

export const subscribeRows = {
  email_channel: required(text({ max: 200 }), {
    doc: 'Channel of type email that provides the mail server and sender. Its own recipients do not get these mails. A mail account of its own, with events = [] in its channel, leaves the quota of the alerts alone.',
    example: '"ops-email"',
  }),
  from_name: optional(text({ max: 200 }), {
    doc: 'Display name of the sender. Default: that of the channel.',
    example: '"Example status"',
  }),
  max: setting(integer({ min: 1, max: 10_000 }), 10_000, {
    doc: 'Maximum number of confirmed readers. A tenth as many more, and at least 100, may wait to confirm: beyond that the one that has waited longest must subscribe again.',
    example: '10000',
  }),
  per_address_per_hour: setting(integer({ min: 1, max: 100 }), 5, {
    doc: 'Confirmation mails per hour that readers may request for one address; its forms with a plus or with dots count as one. Over all, 30 an hour go out that nobody confirms, 10 of them to one domain. A client address (IPv6: a /64) may ask for 5 at once, then one every 12 minutes.',
    example: '5',
  }),
};
