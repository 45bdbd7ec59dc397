/** Draws the average latency over a day as a line, from zero to its peak; single answers were slower than that. */
import { type LatencyTrace, latencyTrace, type LatencyPoint } from '../../engine/views/page-latency.ts';
import { latencyText } from '../../engine/views/page-wording.ts';
import { html, type Html } from './html.ts';

const slices = 48;
const step = 4;
const top = 4;
const bottom = 32;

/** `nowAt` ends the 24 hours that are drawn. Without a point it is a line of text. */
export function renderLatencyLine(points: readonly LatencyPoint[], nowAt: number): Html {
  const trace = latencyTrace(points, { nowAt, hours: 24, slices });
  if (trace === null) return html`<p class="none">No latency in 24 hours</p>`;
  const label = `Average latency of the last 24 hours, highest ${latencyText(trace.peakMs)}`;
  return html`<svg class="line" viewBox="0 0 ${(slices - 1) * step} 34" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${lineOf(trace)}"/></svg>`;
}

function lineOf({ segments, peakMs }: LatencyTrace): string {
  const scale = (bottom - top) / Math.max(1, peakMs);
  return segments
    .map((segment) => strokeOf(segment.map(({ at, ms }) => ({ at, y: Math.round(bottom - ms * scale) }))))
    .join('');
}

interface Point {
  readonly at: number;
  readonly y: number;
}

/** From the first point on, places are relative to the one before, and a straight stretch is one move: both are shorter. */
function strokeOf(points: readonly Point[]): string {
  const [first] = points;
  if (first === undefined) return '';
  const moves: { dx: number; dy: number; readonly slope: number }[] = [];
  let before = first;
  for (const point of points.slice(1)) {
    const [dx, dy] = [(point.at - before.at) * step, point.y - before.y];
    const last = moves.at(-1);
    if (last?.slope === dy / dx) {
      last.dx += dx;
      last.dy += dy;
    } else {
      moves.push({ dx, dy, slope: dy / dx });
    }
    before = point;
  }
  const words = moves.map(({ dx, dy }, index) => `${index === 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`);
  return `M${first.at * step} ${first.y}${words.length === 0 ? 'h0' : `l${words.join('')}`}`;
}
