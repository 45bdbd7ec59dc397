/** Draws the latency of a day as a chart of a few lines. */
import { latencyText } from '../../engine/core/duration.ts';
import { latencyTrace, type LatencyPoint } from '../../engine/views/page-latency.ts';
import { line, paddedStart, span, type ScreenLine } from '../line.ts';
import type { TablePen } from './table.ts';

export interface ChartRoom {
  readonly nowAt: number;
  /** Cells in all, the scale on the left included. */
  readonly width: number;
  readonly height: number;
}

const hours = 24;
const scaleWidth = 7;

export function chartLines(
  points: readonly LatencyPoint[],
  room: ChartRoom,
  tablePen: TablePen,
): ScreenLine[] {
  const { width, height, nowAt } = room;
  const slices = Math.max(8, width - scaleWidth - 1);
  const trace = latencyTrace(points, { nowAt, hours, slices });
  if (trace === null) return [line(span('no latency was measured in the last 24 hours', 'dim'))];
  const heights = new Map(
    trace.segments.flat().map(({ at, ms }) => [at, trace.peakMs === 0 ? 0 : (ms / trace.peakMs) * height]),
  );
  const rows = Array.from({ length: height }, (_, fromTop) => {
    const floor = height - 1 - fromTop;
    const label = fromTop === 0 ? latencyText(trace.peakMs, '') : floor === 0 ? '0 ms' : '';
    const bars = Array.from({ length: slices }, (_unused, at) =>
      cellAt(heights.get(at), floor, tablePen),
    ).join('');
    return line(
      span(`${paddedStart(label, scaleWidth, tablePen.cells)} `, 'dim'),
      span(bars.trimEnd(), 'accent'),
    );
  });
  return [...rows, timeScale(slices)];
}

/** What a bar of this height fills of the cell above `floor`. */
function cellAt(height: number | undefined, floor: number, { marks }: TablePen): string {
  if (height === undefined) return ' ';
  const within = height - floor;
  // The lowest mark stands for everything that was measured, however small.
  if (within <= 0) return floor === 0 ? (marks.levels[0] ?? ' ') : ' ';
  return marks.levels[Math.min(marks.levels.length - 1, Math.floor(within * marks.levels.length))] ?? ' ';
}

function timeScale(slices: number): ScreenLine {
  const left = '24h ago';
  const right = 'now';
  const middle = '12h ago';
  const half = Math.floor(slices / 2);
  const start = left + ' '.repeat(Math.max(1, half - left.length)) + (slices >= 40 ? middle : '');
  const text = `${start}${' '.repeat(Math.max(1, slices - start.length - right.length))}${right}`;
  return line(span(' '.repeat(scaleWidth + 1)), span(text, 'dim'));
}
