/** Draws the latency of a day as a line, from zero to its peak. */
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
  const label = `Latency of the last 24 hours, at most ${latencyText(trace.peakMs)}`;
  return html`<svg class="line" viewBox="0 0 ${(slices - 1) * step} 34" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${lineOf(trace)}"/></svg>`;
}

/** From the first point of a segment on, places are relative to the one before, which is shorter. */
function lineOf({ segments, peakMs }: LatencyTrace): string {
  const scale = (bottom - top) / Math.max(1, peakMs);
  return segments
    .map((segment) => {
      let last = 0;
      return segment
        .map(({ at, ms }, index) => {
          const y = Math.round(bottom - ms * scale);
          const move =
            index === 0 ? `M${at * step} ${y}${segment.length === 1 ? 'h0' : 'l'}` : moveBy(y - last, index);
          last = y;
          return move;
        })
        .join('');
    })
    .join('');
}

function moveBy(dy: number, index: number): string {
  return `${index === 1 ? '' : ' '}${step}${dy < 0 ? '' : ' '}${dy}`;
}
