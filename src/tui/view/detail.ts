/** Draws everything that is known of one monitor. */
import { wrapCells } from '../../engine/views/text/cells.ts';
import { durationText, latencyText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { barsText } from '../../engine/views/bars.ts';
import type { DayView } from '../../engine/views/day.ts';
import { type IncidentView, stateInWords } from '../../engine/views/incident.ts';
import type { PageMonitor, PageSummary } from '../../engine/views/page.ts';
import { errorText, permilleText, shortTimeText } from '../../engine/views/page-wording.ts';
import { emptyLine, line, type LineSpan, type ScreenLine, span, type Tone } from '../line.ts';
import type { Detail, Model } from '../model.ts';
import { chartLines } from './chart.ts';
import { explanationLines } from './explanation.ts';
import { daysOf, statusSpan, type TablePen } from './table.ts';

export interface DetailView {
  readonly model: Model;
  readonly monitor: PageMonitor;
  /** Null: it is being read. */
  readonly detail: Detail | null;
  readonly nowAt: number;
  readonly width: number;
  /** Lines the chart may take. */
  readonly chartHeight: number;
}

/** Text is easier to read in shorter lines than a terminal may have. */
const mostWidth = 110;

export function detailLines(view: DetailView, tablePen: TablePen): ScreenLine[] {
  const { detail, monitor, model, nowAt, chartHeight } = view;
  const width = Math.min(view.width, mostWidth);
  const head = [
    line(
      statusSpan(monitor, tablePen.marks),
      '  ',
      span(cleanLine(monitor.name), 'strong'),
      span(
        `  ${cleanLine([monitor.id, monitor.kind, monitor.group].filter((word) => word !== null).join(`, `))}`,
        'dim',
      ),
    ),
    ...factLines(monitor, model.summary, { width, pen: tablePen }),
  ];
  if (detail === null) return [...head, emptyLine, line(span('reading', 'dim'))];
  return [
    ...head,
    ...section(
      'Average latency of the last 24 hours',
      chartLines(detail.latency, { nowAt, width, height: chartHeight }, tablePen),
    ),
    ...section('Days', dayLines(detail.days ?? monitor.history, width, tablePen)),
    ...section('Channels', channelLines(detail, model.summary)),
    ...section(
      'Incidents',
      incidentLines(detail.incidents, { width, now: model.summary.generated_at, pen: tablePen }),
    ),
    ...(detail.explanation === null
      ? section('Decisions', [line(span('this server does not say why it alerted', 'dim'))])
      : explanationLines(detail.explanation, width, tablePen)),
  ];
}

function section(heading: string, lines: readonly ScreenLine[]): ScreenLine[] {
  return lines.length === 0 ? [] : [emptyLine, line(span(heading, 'strong')), ...lines];
}

interface Room {
  readonly width: number;
  readonly pen: TablePen;
}

function factLines(
  monitor: PageMonitor,
  { generated_at: now }: PageSummary,
  { width, pen }: Room,
): ScreenLine[] {
  const { none } = pen.marks;
  const figures = [
    `uptime 24h ${permilleText(monitor.uptime_24h_permille, none)}`,
    `coverage ${permilleText(monitor.coverage_24h_permille, none)}`,
    `p50 ${latencyText(monitor.latency_p50_ms, none)}`,
    `p95 ${latencyText(monitor.latency_p95_ms, none)}`,
    `p99 ${latencyText(monitor.latency_p99_ms, none)}`,
    monitor.last_latency_ms === null ? null : `last ${latencyText(monitor.last_latency_ms, none)}`,
    monitor.last_checked === null ? 'never checked' : `checked ${shortTimeText(monitor.last_checked, now)}`,
  ];
  const limits = [
    budgetText(monitor),
    daysText('certificate expires', monitor.cert_expiry_days),
    daysText('domain expires', monitor.domain_expiry_days),
    monitor.cause === null ? null : `because of ${cleanLine(monitor.cause)}`,
    monitor.impacted.length === 0 ? null : `with it: ${cleanLine(monitor.impacted.join(', '))}`,
  ];
  const held = [
    monitor.maintenance ? 'in maintenance' : null,
    monitor.silenced_until === null ? null : `silenced until ${shortTimeText(monitor.silenced_until, now)}`,
  ];
  const why = errorText(monitor.last_error);
  return [
    ...prose(figures, 'plain', { width, pen }),
    ...prose(limits, 'dim', { width, pen }),
    ...prose(held, 'accent', { width, pen }),
    ...prose([why === null ? null : cleanLine(why)], monitor.status === 'down' ? 'bad' : 'warn', {
      width,
      pen,
    }),
  ];
}

/** The parts that there are in one paragraph. */
function prose(parts: readonly (string | null)[], tone: Tone, { width, pen }: Room): ScreenLine[] {
  const text = parts.filter((part) => part !== null).join(', ');
  return text === '' ? [] : wrapCells(text, width, pen.cells).map((one) => line(span(one, tone)));
}

function budgetText(monitor: PageMonitor): string | null {
  const { slo_uptime_pct, error_budget_minutes_left, error_budget_minutes_total } = monitor;
  if (slo_uptime_pct === null || error_budget_minutes_left === null || error_budget_minutes_total === null)
    return null;
  const left =
    error_budget_minutes_left < 0
      ? `its ${error_budget_minutes_total} minutes are overspent by ${-error_budget_minutes_left}`
      : `${error_budget_minutes_left} of ${error_budget_minutes_total} minutes left`;
  return `objective ${slo_uptime_pct}%: ${left}`;
}

function daysText(what: string, days: number | null): string | null {
  if (days === null) return null;
  return days < 0 ? `${what.replace('expires', 'expired')} ${-days} d ago` : `${what} in ${days} d`;
}

function dayLines(history: readonly DayView[], width: number, { marks }: TablePen): ScreenLine[] {
  if (history.length === 0) return [];
  const shown = history.slice(-width);
  const spans: readonly LineSpan[] = daysOf(shown, shown.length, marks);
  return [{ spans }, line(span(barsText(shown), 'dim'))];
}

function channelLines({ channels }: Detail, summary: PageSummary): ScreenLine[] {
  if (channels === null) return [];
  if (channels.length === 0) return [line(span('it notifies nobody', 'warn'))];
  const known = new Map((summary.channels ?? []).map((channel) => [channel.name, channel]));
  return channels.map((name) => {
    const channel = known.get(name);
    if (channel?.failing === true) {
      return line(
        span(
          `${cleanLine(name)}: broken, ${channel.consecutive_failures} deliveries failed in a row`,
          'warn',
        ),
      );
    }
    const failures = channel?.consecutive_failures ?? 0;
    return failures === 0
      ? line(span(cleanLine(name)), span(': ok', 'dim'))
      : line(
          span(cleanLine(name)),
          span(`: the last ${failures === 1 ? 'delivery' : `${failures} deliveries`} failed`, 'warn'),
        );
  });
}

function incidentLines(
  incidents: Detail['incidents'],
  { width, now, pen }: Room & { readonly now: string },
): ScreenLine[] {
  if (incidents === null) return [];
  if (incidents.length === 0) return [line(span('none on record', 'dim'))];
  return incidents.flatMap((incident) => incidentBlock(incident, { width, now, pen }));
}

function incidentBlock(
  { id, kind, started_at, ended_at, duration_secs, error, note }: IncidentView,
  { width, now, pen }: Room & { readonly now: string },
): ScreenLine[] {
  const length = durationText(duration_secs * 1000);
  const number = id === undefined ? '' : `#${id} `;
  const why = errorText(error);
  const rest = why === null ? '' : `: ${cleanLine(why)}`;
  const isOpen = ended_at === null;
  const what = kind === 'down' ? '' : `${stateInWords(kind, isOpen)}, `;
  const lasted = `${what}${isOpen ? `open for ${length}` : `lasted ${length}`}`;
  const [first = '', ...more] = wrapCells(
    `${number}${shortTimeText(started_at, now)}, ${lasted}${rest}`,
    width,
    pen.cells,
  );
  return [
    line(span(first, ended_at === null ? 'bad' : 'plain')),
    ...more.map((text) => line(span(`  ${text}`, ended_at === null ? 'bad' : 'plain'))),
    ...(note === null
      ? []
      : wrapCells(`note: ${cleanLine(note)}`, width - 2, pen.cells).map((text) =>
          line(span(`  ${text}`, 'accent')),
        )),
  ];
}
