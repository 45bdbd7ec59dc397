/** The rows of `[subscribe]`: mails to readers of the status page. */
import { optional, required, setting } from '../row.ts';
import { integer } from '../types/number.ts';
import { text } from '../types/text.ts';

export const subscribeRows = {
  email_channel: required(text({ max: 200 }), {
    doc: 'The channel of type email whose server and sender the mails have. Its own recipients get none of them.',
    example: '"ops-email"',
  }),
  from_name: optional(text({ max: 200 }), {
    doc: 'The name of the sender. The one of the channel when absent.',
    example: '"Example status"',
  }),
  max: setting(integer({ min: 1, max: 10_000 }), 10_000, {
    doc: 'How many readers are kept. Beside them a tenth as many, and at least 100, may wait to confirm: then who has waited longest has to ask again.',
    example: '10000',
  }),
  per_address_per_hour: setting(integer({ min: 1, max: 100 }), 5, {
    doc: 'How many mails with a link readers may ask for in an hour for one address.',
    example: '5',
  }),
};
