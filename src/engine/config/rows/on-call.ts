/** The rows that every channel has: what it gets of what notify leads to it, and when. */
import { optional } from '../row.ts';
import { integer } from '../types/number.ts';

export const onCallRows = {
  repeat_every_secs: optional(integer({ min: 60, max: 2_592_000 }), {
    doc: 'How long after a message that a monitor is down, and then again and again, a reminder is sent, until it recovers or somebody acknowledges it. None when absent.',
    example: '3600',
  }),
};
