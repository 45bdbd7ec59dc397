/** The rows of `[[incidents]]`: notices that the status page pins. */
import { optional, required, setting } from '../row.ts';
import { choice } from '../types/choice.ts';
import { instant } from '../types/instant.ts';
import { text } from '../types/text.ts';

const noticeSeverities = ['info', 'warning', 'critical', 'resolved'] as const;

export const incidentsRows = {
  title: required(text({ max: 200, isShown: true }), {
    doc: 'Heading of the notice.',
    example: '"Slow answers in Europe"',
  }),
  body: setting(text({ max: 2000, canBeEmpty: true, canBreakLines: true }), '', {
    doc: 'Text below the heading.',
    example: '"We are looking into it."',
  }),
  severity: setting(choice(noticeSeverities), 'info', {
    doc: 'Severity, which sets the colour of the notice.',
    example: '"warning"',
  }),
  at: optional(instant, {
    doc: 'Time of the notice: RFC 3339, with an offset.',
    example: '"2026-06-07T12:00:00Z"',
  }),
};
