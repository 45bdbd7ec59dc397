/** Draws a few numbers or days in one line of cells. */
import type { DayView } from '../../engine/views/day.ts';
import { span, type LineSpan } from '../line.ts';
import { statusTones, type Marks } from '../theme.ts';

/** The last `width` values as heights of the highest of them. */
export function sparkOf(values: readonly (number | null)[], width: number, marks: Marks): LineSpan {
  const shown = values.slice(-width);
  const highest = Math.max(...shown.map((value) => value ?? 0));
  const cells = shown.map((value) => (value === null ? marks.gap : levelOf(value, highest, marks)));
  return span(marks.gap.repeat(width - shown.length) + cells.join(''), 'accent');
}

function levelOf(value: number, highest: number, { levels, gap }: Marks): string {
  const share = highest === 0 ? 0 : value / highest;
  return levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] ?? gap;
}

/** The last `width` days, days of the same state in one span. */
export function daysOf(history: readonly DayView[], width: number, marks: Marks): LineSpan[] {
  const shown = history.slice(-width);
  const spans: LineSpan[] = [];
  if (shown.length < width) spans.push(span(marks.gap.repeat(width - shown.length)));
  for (const { state } of shown) {
    const tone = statusTones[state];
    const last = spans.at(-1);
    const isSame = last?.tone === tone;
    spans.splice(
      isSame ? -1 : spans.length,
      isSame ? 1 : 0,
      span((isSame ? last.text : '') + marks.day[state], tone),
    );
  }
  return spans;
}
