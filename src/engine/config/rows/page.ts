/** The rows of `[page]`: how the status page presents itself. */
import { setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { text } from '../types/text.ts';

export const pageRows = {
  title: setting(text({ max: 200 }), 'Status', {
    doc: 'The heading of the status page and the title of its feed.',
    example: '"Example status"',
  }),
  history_days: setting(integer({ min: 1, max: 1100 }), 90, {
    doc: 'How many days the uptime bars show.',
    example: '90',
  }),
  show_latency: setting(flag, true, {
    doc: 'Whether the page of a monitor shows its response times.',
    example: 'false',
  }),
};
