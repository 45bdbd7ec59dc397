/** Draws the days of a monitor as bars, which differ by height and shape as well as by colour. */
import type { Status } from '../../engine/core/status.ts';
import { type BarRun, type Bars, barsText } from '../../engine/views/bars.ts';
import type { DayView } from '../../engine/views/day.ts';
import { dateText, percentText, statusWord } from '../../engine/views/page-wording.ts';
import { html, type Html } from './html.ts';

const height = 34;

/**
 * The middles of the strokes: down is the tallest, degraded is cut in two (by the gradient of `barSheet`), no data is a
 * stub. A day is one unit wide, a quarter of it the gap, which the stylesheet makes by a dash pattern.
 */
const middles: Readonly<Record<Status, number>> = { up: 21, degraded: 21, down: 17, unknown: 32 };

/** What the bars of a page refer to, once a page. */
export function barSheet(): Html {
  return html`<linearGradient id="cut" gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="8" y2="34"><stop offset=".38"/><stop offset=".38" stop-opacity="0"/><stop offset=".62" stop-opacity="0"/><stop offset=".62"/></linearGradient>`;
}

/** More troubled days than this share one path a state, without tooltips; the page's text still tells them. */
const maxTooltips = 8;

/** `bars` are those of `history`. */
export function renderBars(history: readonly DayView[], bars: Bars): Html {
  const isQuiet = (state: Status) =>
    state === 'up' || state === 'unknown' || bars.troubled.length > maxTooltips;
  const paths = (['unknown', 'up', 'degraded', 'down'] as const)
    .filter(isQuiet)
    .map((state) => statePath(state, bars.runs));
  const days = history.map((day, from) => (isQuiet(day.state) ? null : dayPath(day, from)));
  return html`<svg class="bars" viewBox="0 0 ${Math.max(1, bars.days) - 0.25} ${height}" preserveAspectRatio="none" role="img" aria-label="${barsText(bars)}">${paths}${days}</svg>`;
}

function statePath(state: Status, runs: readonly BarRun[]): Html | null {
  const own = runs.filter((run) => run.state === state);
  return own.length === 0 ? null : html`<path class="b-${state}" d="${strokes(state, own)}"/>`;
}

function dayPath({ date, state, uptime_permille }: DayView, from: number): Html {
  const title = `${dateText(date)}: ${statusWord(state).toLowerCase()}${uptimePart(uptime_permille)}`;
  return html`<path class="b-${state}" d="${strokes(state, [{ from, length: 1 }])}"><title>${title}</title></path>`;
}

function uptimePart(permille: number | null): string {
  return permille === null ? '' : `, uptime ${percentText(permille * 10)}`;
}

/** Relative moves are the shorter ones. The dashes begin anew with each. */
function strokes(state: Status, runs: readonly Omit<BarRun, 'state'>[]): string {
  let end: number | null = null;
  let path = '';
  for (const { from, length } of runs) {
    path += end === null ? `M${from} ${middles[state]}` : `m${from - end} 0`;
    path += `h${length}`;
    end = from + length;
  }
  return path;
}

/** What the bars mean, once a page. */
export function renderKey(): Html {
  const entry = (state: Status, words: string) =>
    html`<li><svg viewBox="0 0 .75 34" preserveAspectRatio="none" aria-hidden="true"><path class="b-${state}" d="${strokes(state, [{ from: 0, length: 1 }])}"/></svg>${words}</li>`;
  return html`<ul class="key" aria-label="Key to the bars">${entry('up', 'Up')}${entry('degraded', 'Degraded')}${entry('down', 'Down')}${entry('unknown', 'No data')}</ul>`;
}
