/** The rows of `[[incidents]]`: notices that the status page pins. */
import { optional, required, setting } from '../row.ts';
import { choice } from '../types/choice.ts';
import { instant } from '../types/instant.ts';
import { text } from '../types/text.ts';

const noticeSeverities = ['info', 'warning', 'critical', 'resolved'] as const;

export const incidentsRows = {
  title: required(text({ max: 200, isShown: true }), {
    doc: 'The heading of the notice.',
    example: '"Slow answers in Europe"',
  }),
  body: setting(text({ max: 2000, canBeEmpty: true, canBreakLines: true }), '', {
    doc: 'The text below it.',
    example: '"We are looking into it."',
  }),
  severity: setting(choice(noticeSeverities), 'info', {
    doc: 'How it is coloured.',
    example: '"warning"',
  }),
  at: optional(instant, {
    doc: 'Since when it holds: RFC 3339, with an offset.',
    example: '"2026-06-07T12:00:00Z"',
  }),
};
