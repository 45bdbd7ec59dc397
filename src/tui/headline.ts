/** The first lines of the screen: overall status, counts, daemon, messages sent. */
import { durationText } from '../engine/core/duration.ts';
import { clockText } from '../engine/core/instant.ts';
import { cleanLine } from '../engine/core/text.ts';
import { statuses, type Status } from '../engine/core/status.ts';
import type { LiveView } from '../engine/views/live.ts';
import { countStatuses } from '../engine/views/page.ts';
import { peersHeard } from '../engine/views/peers.ts';
import type { DaemonState, Model } from './model.ts';
import { barsOfCounts } from './strips.ts';
import { type Marks, type StyledText, span, statusTones } from './theme.ts';

export interface Headline {
  readonly state: readonly StyledText[];
  readonly counts: readonly StyledText[];
  readonly daemon: readonly StyledText[];
  readonly alerts: readonly StyledText[];
  readonly clock: readonly StyledText[];
}

export interface HeadlineFacts {
  readonly model: Model | null;
  readonly live: LiveView | null;
  readonly daemon: DaemonState;
  /** Why the last reading failed; null: it did not. */
  readonly trouble: string | null;
  readonly nowAt: number;
  readonly hasBars: boolean;
}

export function headlineOf(facts: HeadlineFacts, marks: Marks): Headline {
  const { model, nowAt, trouble } = facts;
  const clock = [span(`${clockText(nowAt)}Z`, 'dim')];
  if (model === null) {
    const daemon = trouble === null ? span('reading', 'dim') : span(cleanLine(trouble), 'bad');
    return { state: [span('statusd', 'strong')], counts: [], daemon: [daemon], alerts: [], clock };
  }
  const { summary } = model;
  return {
    state: [span(cleanLine(summary.title), 'strong'), span('  '), overallSpan(summary, marks)],
    counts: countSpans(countStatuses(summary.monitors), marks),
    daemon: [...daemonSpans(facts, model), ...nodeSpans(model)],
    alerts: alertSpans(facts, marks),
    clock,
  };
}

function overallSpan(summary: Model['summary'], marks: Marks): StyledText {
  const label = cleanLine(summary.overall_label).toUpperCase();
  // What is down is planned then, as on the page.
  if (summary.overall_state === 'maintenance') return span(`${marks.banner} ${label}`, 'accent');
  const overall = overallOf(summary);
  return span(`${marks.status[overall]} ${label}`, statusTones[overall]);
}

/** By checks, or what an operator says where that is worse; an outage in part without a monitor that is down is amber. */
function overallOf({ overall, overall_state: state }: Model['summary']): Status {
  const checked = statuses.find((status) => status === overall) ?? 'unknown';
  if (state === 'major_outage') return 'down';
  if (state === 'unknown') return 'unknown';
  if (state === 'degraded') return 'degraded';
  return state === 'partial_outage' && checked !== 'down' ? 'degraded' : checked;
}

function countSpans(counts: Readonly<Record<Status, number>>, marks: Marks): StyledText[] {
  const shown = statuses.filter((status) => counts[status] > 0);
  return shown.flatMap((status, index) => [
    span(index === 0 ? '' : ' '),
    span(`${marks.status[status]}${counts[status]}`, statusTones[status]),
  ]);
}

/** Older than this, check whether the daemon does its work. */
const oldMs = 300_000;

/** Whether a daemon checks, and when it last did. */
function daemonSpans({ daemon, nowAt, trouble }: HeadlineFacts, model: Model): StyledText[] {
  const readMs = Math.max(0, nowAt - model.readAt);
  if (daemon === 'gone') return [span(noDaemonText(model, nowAt), 'bad')];
  if (trouble !== null) return [span(`${cleanLine(trouble)}; read ${durationText(readMs)} ago`, 'bad')];
  const ageMs = ageOf(model, readMs);
  const tone = ageMs !== null && ageMs > oldMs ? 'warn' : 'dim';
  return [
    ...(daemon === 'ok' ? [span('daemon ', 'dim'), span('ok', 'good'), span(', ', 'dim')] : []),
    span(checkedText(model, readMs), tone),
  ];
}

/** Nobody checks, and everything else that is shown is of before. */
export function noDaemonText(model: Model, nowAt: number): string {
  return `NO DAEMON, ${checkedText(model, Math.max(0, nowAt - model.readAt))}`;
}

function checkedText(model: Model, readMs: number): string {
  const ageMs = ageOf(model, readMs);
  return ageMs === null ? 'nothing checked yet' : `checked ${durationText(ageMs)} ago`;
}

/** How old the newest check is. The reading may have come from a machine with another clock. */
function ageOf({ summary }: Model, readMs: number): number | null {
  const newest = summary.monitors.reduce<string>(
    (latest, { last_checked }) => (last_checked !== null && last_checked > latest ? last_checked : latest),
    '',
  );
  if (newest === '') return null;
  return Math.max(0, Date.parse(summary.generated_at) - Date.parse(newest)) + readMs;
}

function nodeSpans({ summary }: Model): StyledText[] {
  const heard = peersHeard(summary.peer_counts);
  return heard === null ? [] : [span(`, nodes: ${heard}`, 'dim')];
}

/** How many of the last hours are drawn. */
const barHours = 12;

function alertSpans({ live, hasBars }: HeadlineFacts, marks: Marks): StyledText[] {
  if (live === null) return [];
  const count = live.alerts_by_hour.reduce((sum, ofHour) => sum + ofHour, 0);
  const bars = hasBars && count > 0 ? `${barsOfCounts(live.alerts_by_hour.slice(-barHours), marks)} ` : '';
  return [span(`${bars}alerts sent 24h `, 'dim'), span(String(count), count === 0 ? 'dim' : 'strong')];
}
