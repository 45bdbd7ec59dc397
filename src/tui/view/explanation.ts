/** Draws why a monitor alerted or did not, as `statusd explain` says it. */
import { wrapCells } from '../../engine/views/text/cells.ts';
import { clockText, dayText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Explanation } from '../../engine/views/explain.ts';
import type { TimelineMoment } from '../../engine/views/explain-timeline.ts';
import { emptyLine, line, span, type ScreenLine, type Tone } from '../line.ts';
import type { TablePen } from './table.ts';

const wordWidth = 11;
/** The time of a day, the kind of a moment and the space after each. */
const leadWidth = 10 + wordWidth + 2;

const tones: Readonly<Record<TimelineMoment['kind'], Tone>> = {
  happened: 'strong',
  queued: 'accent',
  held: 'warn',
  told: 'good',
  spared: 'dim',
  undelivered: 'bad',
};

export function explanationLines(
  { headline, timeline, next }: Explanation,
  width: number,
  tablePen: TablePen,
): ScreenLine[] {
  return [
    emptyLine,
    line(span('Decisions', 'strong')),
    ...headline.flatMap((sentence) =>
      wrapCells(cleanLine(sentence), width, tablePen.cells).map((text) => line(text)),
    ),
    ...timelineLines(timeline, width, tablePen),
    ...(next.length === 0 ? [] : [emptyLine, line(span('What happens next', 'strong'))]),
    ...next.flatMap((sentence) =>
      wrapCells(cleanLine(sentence), width, tablePen.cells).map((text) => line(text)),
    ),
  ];
}

/** A line a moment; a date stands where the day changes. */
function timelineLines(timeline: readonly TimelineMoment[], width: number, tablePen: TablePen): ScreenLine[] {
  let day = '';
  return timeline.flatMap((moment) => {
    const today = dayText(moment.at);
    const heading = today === day ? [] : [line(span(today, 'dim'))];
    day = today;
    return [...heading, ...momentLines(moment, width, tablePen)];
  });
}

function momentLines(moment: TimelineMoment, width: number, { cells }: TablePen): ScreenLine[] {
  const { at, kind, channel, event, text, times } = moment;
  const about = channel === null ? '' : `${channel}${event === null ? '' : ` (${event})`}: `;
  const said = cleanLine(`${about}${text}${times > 1 ? ` (${times} times)` : ''}`);
  const [first = '', ...rest] = wrapCells(said, Math.max(20, width - leadWidth), cells);
  const word = (kind === 'happened' ? '' : kind).padEnd(wordWidth);
  return [
    line(
      span(`${clockText(at)}  `, 'dim'),
      span(`${word}  `, tones[kind]),
      span(first, kind === 'happened' ? 'strong' : 'plain'),
    ),
    ...rest.map((more) => line(`${' '.repeat(leadWidth)}${more}`)),
  ];
}
