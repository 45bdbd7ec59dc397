/** Draws the response time of a stretch of time as a line. */
import { latencyText } from '../../engine/core/duration.ts';
import { type LatencyPoint, type LatencyTrace, latencyTrace } from '../../engine/views/page-latency.ts';
import { html, type Html } from './html.ts';
import type { Speech } from './words/speech.ts';

const top = 4;
const bottom = 70;

export interface ChartFacts {
  readonly title: string;
  readonly hours: number;
  /** Into how many equal stretches the time is cut. */
  readonly slices: number;
  readonly points: readonly LatencyPoint[];
  /** What was changed, the oldest first; absent: nothing. */
  readonly marks?: readonly ChartMark[];
  /** The end of what is drawn, epoch ms. */
  readonly nowAt: number;
}

/** Something that was changed; RFC 3339. */
export interface ChartMark {
  readonly at: string;
  readonly title: string;
}

/** How many changes are named beside the figures; the others are drawn alone. */
const mostNamed = 5;

/** With its figures as text, so that the picture is none to miss. */
export function renderChart(
  { title, hours, slices, points, marks = [], nowAt }: ChartFacts,
  speech: Speech,
): Html {
  const trace = latencyTrace(points, { nowAt, hours, slices });
  if (trace === null)
    return html`<figure><figcaption><b>${title}</b> <span>${speech.words.noLatency}</span></figcaption></figure>`;
  const average = points.reduce((sum, { latency_ms }) => sum + latency_ms, 0) / Math.max(1, points.length);
  const words = speech.fill('latencyRange', latencyText(average), latencyText(trace.peakMs));
  const fromAt = nowAt - hours * 3_600_000;
  const shown = marks.filter(({ at }) => Date.parse(at) >= fromAt && Date.parse(at) <= nowAt);
  const named = shown.map(
    (mark) => `${mark.title}, ${speech.shortTime(mark.at, new Date(nowAt).toISOString())}`,
  );
  const label = [`${title}: ${words}`, ...named.slice(-mostNamed)].join('; ');
  const drawn = shown.map(({ at }, index) => {
    const x = Math.round(((Date.parse(at) - fromAt) / (nowAt - fromAt)) * (slices - 1) * 10) / 10;
    return html`<path class="mk" d="M${x} 0v72"><title>${named[index] ?? ''}</title></path>`;
  });
  return html`<figure><figcaption><b>${title}</b> <span>${words}</span></figcaption><svg class="line" viewBox="0 0 ${slices - 1} 72" preserveAspectRatio="none" role="img" aria-label="${label}">${drawn}<path d="${lineOf(trace)}"/></svg></figure>`;
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
    const [dx, dy] = [point.at - before.at, point.y - before.y];
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
  return `M${first.at} ${first.y}${words.length === 0 ? 'h0' : `l${words.join('')}`}`;
}
