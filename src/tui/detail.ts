/** Describes one monitor in headed sections. */
import { durationText, latencyText } from '../engine/core/duration.ts';
import { clockText, dayText } from '../engine/core/instant.ts';
import { cleanLine } from '../engine/core/text.ts';
import { barsText } from '../engine/views/bars.ts';
import type { Explanation } from '../engine/views/explain.ts';
import type { TimelineMoment } from '../engine/views/explain-timeline.ts';
import { type IncidentView, shownLengthMs, stateInWords, whyOf } from '../engine/views/incident.ts';
import type { LiveMonitor } from '../engine/views/live.ts';
import type { PageMonitor, PageSummary } from '../engine/views/page.ts';
import { errorText, permilleText, shortTimeText } from '../engine/views/page-wording.ts';
import { chartLines } from './chart.ts';
import { daysWidth } from './layout/columns.ts';
import type { Detail, Model } from './model.ts';
import { acknowledgedIn } from './rows.ts';
import { checksOf, daysOf } from './strips.ts';
import { acknowledgedText } from './incidents.ts';
import { type Marks, type StyledText, span, type Tone } from './theme.ts';
import { counted, numberText } from '../engine/core/words.ts';

/** A line of a section. A strip is as wide as it says; prose goes on in further lines, behind `lead`. */
export type DetailLine =
  | { readonly kind: 'strip'; readonly spans: readonly StyledText[]; readonly width: number }
  | {
      readonly kind: 'prose';
      readonly lead: readonly StyledText[];
      readonly leadWidth: number;
      readonly text: string;
      readonly tone: Tone;
    };

export interface DetailSection {
  /** Empty: the facts above the sections. */
  readonly heading: string;
  readonly lines: readonly DetailLine[];
}

export interface DetailFacts {
  readonly model: Model;
  readonly monitor: PageMonitor;
  readonly live: LiveMonitor | null;
  /** Null: it is being read. */
  readonly detail: Detail | null;
  readonly hours: number;
  readonly nowAt: number;
  readonly width: number;
  /** Lines the chart may take. */
  readonly chartHeight: number;
}

export function detailSections(facts: DetailFacts, marks: Marks): readonly DetailSection[] {
  const { detail, monitor, model, live, width } = facts;
  const head: DetailSection = { heading: '', lines: factLines(monitor, model.summary, marks) };
  if (detail === null) return [head, { heading: 'Reading', lines: [] }];
  const days =
    detail.days?.map(({ state }) => state) ?? live?.days ?? monitor.history.map(({ state }) => state);
  const dayCells = daysWidth(days.length, width);
  const perMark = Math.ceil(days.length / Math.max(1, dayCells));
  const now = model.summary.generated_at;
  const sections: readonly DetailSection[] = [
    head,
    {
      heading: `Average latency of the last ${rangeText(facts.hours)}`,
      lines: latencyLines(facts, detail, marks),
    },
    {
      heading: `Last ${counted(Math.min(width, live?.checks.length ?? 0), 'check')}`,
      lines:
        live === null || live.checks.length === 0
          ? []
          : [stripLine(checksOf(live.checks, Math.min(width, live.checks.length), marks))],
    },
    {
      heading: `${counted(days.length, 'day')}${perMark === 1 ? '' : `, a mark for each ${perMark}`}`,
      lines:
        days.length === 0
          ? []
          : [
              stripLine(daysOf(days, dayCells, marks)),
              ...(detail.days === null ? [] : [prose(barsText(detail.days), 'dim')]),
            ],
    },
    { heading: 'Channels', lines: channelLines(detail, model.summary) },
    { heading: 'Incidents', lines: incidentLines(detail.incidents, now) },
    ...(detail.explanation === null
      ? [{ heading: 'Decisions', lines: [prose('this server does not say why it alerted', 'dim')] }]
      : explanationSections(detail.explanation)),
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

/** `24h`, `7d`. */
export function rangeText(hours: number): string {
  return hours > 24 ? `${hours / 24}d` : `${hours}h`;
}

function prose(text: string, tone: Tone = 'plain', lead: readonly StyledText[] = []): DetailLine {
  const leadWidth = lead.reduce((sum, one) => sum + one.text.length, 0);
  return { kind: 'prose', lead, leadWidth, text: cleanLine(text), tone };
}

function stripLine(spans: readonly StyledText[]): DetailLine {
  return { kind: 'strip', spans, width: spans.reduce((sum, { text }) => sum + text.length, 0) };
}

/** The parts that there are in one paragraph. */
function paragraph(parts: readonly (string | null)[], tone: Tone): DetailLine[] {
  const text = parts.filter((part) => part !== null).join(', ');
  return text === '' ? [] : [prose(text, tone)];
}

function factLines(monitor: PageMonitor, summary: PageSummary, { none }: Marks): DetailLine[] {
  const now = summary.generated_at;
  const acknowledged = acknowledgedIn(summary).get(monitor.id) ?? null;
  const {
    maintenance,
    silenced_until,
    unstable_since = null,
    cause,
    impacted,
    last_checked,
    last_latency_ms,
  } = monitor;
  const why = errorText(monitor.last_error);
  const names = new Map(summary.monitors.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  return [
    ...paragraph([why], monitor.status === 'down' ? 'bad' : 'warn'),
    ...paragraph(
      [
        cause === null ? null : `because of ${nameOf(cause)}`,
        impacted.length === 0 ? null : `impacted: ${impacted.map(nameOf).join(', ')}`,
      ],
      'strong',
    ),
    ...paragraph(
      [
        acknowledged === null ? null : acknowledgedText(acknowledged, now),
        maintenance ? 'in maintenance' : null,
        silenced_until === null ? null : `silenced until ${shortTimeText(silenced_until, now)}`,
        unstable_since === null ? null : `unstable since ${shortTimeText(unstable_since, now)}`,
      ],
      'accent',
    ),
    ...paragraph(
      [
        `uptime 24h ${permilleText(monitor.uptime_24h_permille, none)}`,
        `coverage ${permilleText(monitor.coverage_24h_permille, none)}`,
        `p50 ${latencyText(monitor.latency_p50_ms, none)}`,
        `p95 ${latencyText(monitor.latency_p95_ms, none)}`,
        `p99 ${latencyText(monitor.latency_p99_ms, none)}`,
        last_latency_ms === null ? null : `last ${latencyText(last_latency_ms, none)}`,
        last_checked === null ? 'never checked' : `checked ${shortTimeText(last_checked, now)}`,
      ],
      'plain',
    ),
    ...paragraph(
      [
        budgetText(monitor),
        daysText('certificate expires', monitor.cert_expiry_days),
        daysText('domain expires', monitor.domain_expiry_days),
      ],
      'dim',
    ),
  ];
}

function budgetText(monitor: PageMonitor): string | null {
  const {
    slo_uptime_pct: objective,
    error_budget_minutes_left: left,
    error_budget_minutes_total: total,
  } = monitor;
  if (objective === null || left === null || total === null) return null;
  return left < 0
    ? `SLO ${objective}%: budget exceeded by ${-left} of ${total} min`
    : `SLO ${objective}%: ${left} of ${total} min of budget left`;
}

/** `days` is rounded down: -1 is less than a day ago. */
function daysText(what: string, days: number | null): string | null {
  if (days === null) return null;
  if (days < -1) return `${what.replace('expires', 'expired')} ${-days - 1} d ago`;
  return days < 0 ? what.replace('expires', 'has expired') : `${what} in ${days} d`;
}

function latencyLines(
  { nowAt, width, chartHeight, hours }: DetailFacts,
  detail: Detail,
  marks: Marks,
): DetailLine[] {
  if (detail.hours !== hours) return [prose('reading', 'dim')];
  const outages = (detail.incidents ?? []).flatMap(({ kind, started_at, ended_at }) =>
    kind === 'down'
      ? [{ fromAt: Date.parse(started_at), toAt: ended_at === null ? nowAt : Date.parse(ended_at) }]
      : [],
  );
  const chart = chartLines(detail.latency, { nowAt, hours, width, height: chartHeight, outages }, marks);
  if (chart === null) return [prose(`no latency was measured in the last ${rangeText(hours)}`, 'dim')];
  return chart.map(stripLine);
}

function channelLines({ channels }: Detail, summary: PageSummary): DetailLine[] {
  if (channels === null) return [];
  if (channels.length === 0) return [prose('no channel receives its alerts', 'warn')];
  const known = new Map((summary.channels ?? []).map((channel) => [channel.name, channel]));
  return channels.map((name) => {
    const { failing = false, consecutive_failures: failures = 0 } = known.get(name) ?? {};
    if (failing) {
      const failed =
        failures === 1 ? 'its last delivery failed' : `${numberText(failures)} deliveries failed in a row`;
      return prose(`${name}: broken, ${failed}`, 'warn');
    }
    return failures === 0
      ? prose(`${name}: ok`)
      : prose(`${name}: the last ${failures === 1 ? 'delivery' : `${failures} deliveries`} failed`, 'warn');
  });
}

function incidentLines(incidents: Detail['incidents'], now: string): DetailLine[] {
  if (incidents === null) return [];
  if (incidents.length === 0) return [prose('none on record', 'dim')];
  return incidents.flatMap((incident) => incidentBlockLines(incident, now));
}

function incidentBlockLines(incident: IncidentView, now: string): DetailLine[] {
  const { id, kind, started_at, ended_at, note, updates, acknowledged } = incident;
  const length = durationText(shownLengthMs(incident));
  const why = whyOf(incident);
  const isOpen = ended_at === null;
  const what = kind === 'down' ? '' : `${stateInWords(kind, isOpen)}, `;
  const lasted = `${what}${isOpen ? `open for ${length}` : `lasted ${length}`}`;
  const number = id === undefined ? '' : `#${id} `;
  const text = `${number}${shortTimeText(started_at, now)}, ${lasted}${why === null ? '' : `: ${why}`}`;
  return [
    prose(text, isOpen ? 'bad' : 'plain'),
    ...(acknowledged === null ? [] : [prose(acknowledgedText(acknowledged, now), 'accent', [span('  ')])]),
    ...updates
      .filter(({ message }) => message !== null)
      .map(({ at, state, message }) =>
        prose(`${state}: ${message ?? ''}`, 'plain', [span(`  ${shortTimeText(at, now)}  `, 'dim')]),
      ),
    ...(note === null ? [] : [prose(`note: ${note}`, 'accent', [span('  ')])]),
  ];
}

const momentWords: Readonly<Record<TimelineMoment['kind'], string>> = {
  happened: '',
  queued: 'queued',
  held: 'held',
  told: 'sent',
  spared: 'not sent',
  undelivered: 'failed',
};

const momentTones: Readonly<Record<TimelineMoment['kind'], Tone>> = {
  happened: 'strong',
  queued: 'accent',
  held: 'warn',
  told: 'good',
  spared: 'dim',
  undelivered: 'bad',
};

function explanationSections({ headline, timeline, next }: Explanation): readonly DetailSection[] {
  return [
    { heading: 'Decisions', lines: [...headline.map((text) => prose(text)), ...momentLines(timeline)] },
    { heading: 'What happens next', lines: next.map((text) => prose(text)) },
  ];
}

/** A line a moment; a date stands where the day changes. */
function momentLines(timeline: readonly TimelineMoment[]): DetailLine[] {
  let day = '';
  return timeline.flatMap(({ at, kind, channel, event, text, times }) => {
    const today = dayText(at);
    const heading = today === day ? [] : [prose(today, 'dim')];
    day = today;
    const about = channel === null ? '' : `${channel}${event === null ? '' : ` (${event})`}: `;
    const lead = [span(`${clockText(at)}  `, 'dim'), span(momentWords[kind].padEnd(10), momentTones[kind])];
    const said = `${about}${text}${times > 1 ? ` (${times} times)` : ''}`;
    return [...heading, prose(said, kind === 'happened' ? 'strong' : 'plain', lead)];
  });
}
