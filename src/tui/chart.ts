/** Draws latency over time as a chart of a few lines. */
import { durationText, latencyText } from '../engine/core/duration.ts';
import { latencyTrace, type LatencyPoint } from '../engine/views/page-latency.ts';
import { type Marks, type StyledText, span } from './theme.ts';

export interface ChartRoom {
  readonly nowAt: number;
  readonly hours: number;
  /** Cells in all, the scale on the left included. */
  readonly width: number;
  readonly height: number;
  /** When it was down, epoch ms. */
  readonly outages: readonly { readonly fromAt: number; readonly toAt: number }[];
}

const scaleWidth = 8;

/** Lines of exactly `width` cells, the time below them. An outage is marked at the bottom. Null: nothing was measured. */
export function chartLines(
  points: readonly LatencyPoint[],
  room: ChartRoom,
  marks: Marks,
): readonly (readonly StyledText[])[] | null {
  const { width, height, nowAt, hours, outages } = room;
  const slices = Math.max(8, width - scaleWidth - 1);
  const trace = latencyTrace(points, { nowAt, hours, slices });
  if (trace === null) return null;
  const sliceMs = (hours * 3_600_000) / slices;
  const startAt = nowAt - hours * 3_600_000;
  const isOut = (slice: number) => {
    const fromAt = startAt + slice * sliceMs;
    return outages.some((outage) => outage.fromAt < fromAt + sliceMs && outage.toAt > fromAt);
  };
  const heights = new Map(
    trace.segments.flat().map(({ at, ms }) => [at, trace.peakMs === 0 ? 0 : (ms / trace.peakMs) * height]),
  );
  const rows = Array.from({ length: height }, (_, fromTop) => {
    const floor = height - 1 - fromTop;
    const label = fromTop === 0 ? latencyText(trace.peakMs, '') : floor === 0 ? '0 ms' : '';
    const cells = Array.from({ length: slices }, (_unused, at) =>
      floor === 0 && isOut(at) ? marks.outage : cellAt(heights.get(at), floor, marks),
    );
    return [span(`${label.padStart(scaleWidth)} `, 'dim'), ...runsOf(cells, marks)];
  });
  return [...rows, timeScale(slices, hours)];
}

/** Outages are red; what was measured is one run beside them. */
function runsOf(cells: readonly string[], { outage }: Marks): StyledText[] {
  const spans: StyledText[] = [];
  for (const cell of cells) {
    const tone = cell === outage ? 'bad' : 'accent';
    const last = spans.at(-1);
    if (last?.tone === tone) spans[spans.length - 1] = span(last.text + cell, tone);
    else spans.push(span(cell, tone));
  }
  return spans;
}

/** What a bar of this height fills of the cell above `floor`. */
function cellAt(height: number | undefined, floor: number, { levels }: Marks): string {
  if (height === undefined) return ' ';
  const within = height - floor;
  // The lowest mark stands for everything that was measured, however small.
  if (within <= 0) return floor === 0 ? (levels[0] ?? ' ') : ' ';
  return levels[Math.min(levels.length - 1, Math.floor(within * levels.length))] ?? ' ';
}

function timeScale(slices: number, hours: number): readonly StyledText[] {
  const ago = (share: number) => `${durationText(hours * 3_600_000 * share)} ago`;
  const left = ago(1);
  const right = 'now';
  const half = Math.floor(slices / 2);
  const start = left + ' '.repeat(Math.max(1, half - left.length)) + (slices >= 40 ? ago(0.5) : '');
  const text = `${start}${' '.repeat(Math.max(1, slices - start.length - right.length))}${right}`;
  return [span(' '.repeat(scaleWidth + 1)), span(text.slice(0, slices), 'dim')];
}
