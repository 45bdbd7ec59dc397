/** Renders one monitor of the status page. */
import { type Bars, barsOf } from '../../engine/views/bars.ts';
import { circumstancesOf } from '../../engine/views/incident.ts';
import type { PageFigures, PageMonitor } from '../../engine/views/page.ts';
import { latencyText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';
import { dateText, percentText, shortTimeText, statusWord } from '../../engine/views/page-wording.ts';
import { renderBars } from './bars.ts';
import { html, type Html, type HtmlPart } from './html.ts';
import { smallIcon, time } from './layout.ts';
import { linkTo, linkToHeatmap, type PageContext } from './page-context.ts';
import { type LatencyPoint, type LatencyTrace, latencyTrace } from '../../engine/views/page-latency.ts';

/** Where a monitor is shown. */
export interface MonitorPlace {
  /** The instant the page tells of, RFC 3339. */
  readonly now: string;
  readonly nameOf: (id: string) => string;
  /** The links to the pages of a monitor's own, by its id; null: none. */
  readonly linksOf: (id: string) => Html | null;
}

export interface MonitorLinks {
  readonly site: PageContext;
  /** Whether the reader may open the pages of a monitor's own, by its id. */
  readonly hasPages: (id: string) => boolean;
}

/** An item of a list. */
export function renderMonitor(monitor: PageMonitor, figures: PageFigures, place: MonitorPlace): Html {
  const { id, name, status } = monitor;
  const isBad = status === 'down' || status === 'degraded';
  const bars = barsOf(monitor.history);
  return html`<li class="m${isBad ? ` is-${status}` : ''}" id="m-${id}"><div class="mh"><h3><bdi>${name}</bdi></h3>${tagsOf(monitor, place.now)}<span class="w c-${status}">${smallIcon(status)}${statusWord(status)}</span></div>${isBad ? trouble(monitor, place) : words(monitor)}<div>${renderBars(monitor.history, bars)}${uptimes(figures)}</div><div class="l">${renderLatencyLine(figures.points, Date.parse(place.now))}${percentiles(monitor)}</div>
${details(monitor, bars, place)}</li>
`;
}

type Tag = readonly [words: string, kind: '' | 'warn' | 'bad'];

function tagsOf(monitor: PageMonitor, now: string): Html[] {
  const { maintenance, silenced_until, cert_expiry_days, domain_expiry_days } = monitor;
  const left = monitor.error_budget_minutes_left;
  const tags: Tag[] = [];
  if (maintenance) tags.push(['Maintenance', '']);
  if (silenced_until !== null) tags.push([`Silenced until ${shortTimeText(silenced_until, now)}`, '']);
  if (left !== null && left <= 0) tags.push(['Error budget spent', 'bad']);
  if (cert_expiry_days !== null && cert_expiry_days <= 14)
    tags.push(expiryTag('Certificate', cert_expiry_days));
  if (domain_expiry_days !== null && domain_expiry_days <= 14)
    tags.push(expiryTag('Domain', domain_expiry_days));
  return tags.map(([words, kind]) => html`<span class="tag${kind === '' ? '' : ` ${kind}`}">${words}</span>`);
}

function expiryTag(what: string, days: number): Tag {
  return days < 0
    ? [`${what} expired`, 'bad']
    : [`${what}: ${counted(days, 'day')} left`, days <= 3 ? 'bad' : 'warn'];
}

/** What a healthy heartbeat said, as it said it. */
function words({ status, last_error }: PageMonitor): Html | null {
  return status === 'up' && last_error !== null ? html`<p class="err">${last_error}</p>` : null;
}

function trouble({ last_error, cause, impacted }: PageMonitor, { nameOf }: MonitorPlace): Html | null {
  const sentences = circumstancesOf({ error: last_error, cause, impacted }, nameOf);
  return sentences.length === 0 ? null : html`<p class="err">${sentences.join(' ')}</p>`;
}

function uptimes({ day, week, month, quarter }: PageFigures): Html {
  return html`<dl class="n" aria-label="Uptime">${figure('24 hours', percentText(day))}${figure('7 days', percentText(week))}${figure('30 days', percentText(month))}${figure('90 days', percentText(quarter))}</dl>`;
}

function percentiles({ latency_p50_ms, latency_p95_ms, latency_p99_ms }: PageMonitor): Html {
  return html`<dl class="n" aria-label="Latency">${figure('p50', latencyText(latency_p50_ms))}${figure('p95', latencyText(latency_p95_ms))}${figure('p99', latencyText(latency_p99_ms))}</dl>`;
}

function figure(name: string, value: HtmlPart): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function details(monitor: PageMonitor, bars: Bars, place: MonitorPlace): Html {
  const { now } = place;
  const { id, name, last_checked, last_latency_ms, coverage_24h_permille } = monitor;
  const latest = last_latency_ms === null ? '' : `, ${latencyText(last_latency_ms)}`;
  return html`<details><summary>Details<span class="vh"> of ${name}</span></summary><dl class="d">${promises(monitor)}${
    last_checked === null
      ? figure('Last check', 'none yet')
      : figure('Last check', html`${time(last_checked, shortTimeText(last_checked, now))}${latest}`)
  }${coverage_24h_permille === null ? null : figure('Coverage, 24 h', percentText(coverage_24h_permille * 10))}${expiries(monitor)}${troubledDays(bars)}${place.linksOf(id)}</dl></details>`;
}

/** What leads from the item of a monitor to the pages of its own. Null: the reader may open none. */
export function renderLinks(id: string, { site, hasPages }: MonitorLinks): Html | null {
  if (!hasPages(id)) return null;
  return figure(
    'More',
    html`<a href="${linkTo(site, '/history', { monitor: id })}">Incidents</a>, <a href="${linkToHeatmap(site, id)}">heatmap</a>`,
  );
}

function promises(monitor: PageMonitor): HtmlPart {
  const { slo_uptime_pct, slo_latency_ms } = monitor;
  const total = monitor.error_budget_minutes_total;
  const left = monitor.error_budget_minutes_left;
  return [
    slo_uptime_pct === null ? null : figure('Promised uptime', `${slo_uptime_pct}%`),
    total === null || left === null ? null : figure('Error budget left', budgetText(left, total)),
    slo_latency_ms === null ? null : figure('Promised latency', latencyText(slo_latency_ms)),
  ];
}

/** Minutes left are cut, never rounded up: `31 of 43 min`, `overspent by 12 min`. */
function budgetText(left: number, total: number): string {
  if (left < 0) return `overspent by ${Math.ceil(-left)} of ${Math.floor(total)} min`;
  return `${Math.floor(left)} of ${Math.floor(total)} min`;
}

function expiries({ cert_expiry_days, domain_expiry_days }: PageMonitor): HtmlPart {
  const left = (days: number) => (days < 0 ? 'expired' : `${counted(days, 'day')} left`);
  return [
    cert_expiry_days === null ? null : figure('Certificate', left(cert_expiry_days)),
    domain_expiry_days === null ? null : figure('Domain', left(domain_expiry_days)),
  ];
}

const listedDays = 3;

function troubledDays({ troubled }: Bars): Html | null {
  if (troubled.length === 0) return null;
  const words = troubled
    .slice(0, listedDays)
    .map(({ date, state, uptime_permille }) =>
      [dateText(date), state, uptime_permille === null ? '' : percentText(uptime_permille * 10)]
        .join(' ')
        .trim(),
    );
  const more = troubled.length > listedDays ? `, ${troubled.length - listedDays} more` : '';
  return figure('Days with trouble', `${words.join(', ')}${more}`);
}

const slices = 48;
const step = 4;
const top = 4;
const bottom = 32;

/** `nowAt` ends the 24 hours that are drawn. Without a point it is a line of text. */
function renderLatencyLine(points: readonly LatencyPoint[], nowAt: number): Html {
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
