/** The contents of each cell of the table. */
import { durationText, latencyText } from '../engine/core/duration.ts';
import { clockText } from '../engine/core/instant.ts';
import { cleanLine } from '../engine/core/text.ts';
import type { AcknowledgedView } from '../engine/views/incident.ts';
import type { LiveMonitor } from '../engine/views/live.ts';
import type { PageMonitor } from '../engine/views/page.ts';
import { errorText, permilleText, shortTimeText } from '../engine/views/page-wording.ts';
import type { TableColumn } from './layout/columns.ts';
import type { RowOfMonitor } from './rows.ts';
import { checksOf, daysOf, isFlapping, latencyOf } from './strips.ts';
import { type Marks, type StyledText, span, statusTones } from './theme.ts';

/** What a cell is made from. */
export interface CellFacts {
  readonly row: RowOfMonitor;
  /** Null: the source does not say, or it is still being read. */
  readonly live: LiveMonitor | null;
  /** How long it is down, in milliseconds; null: it is not. */
  readonly downMs: number | null;
  /** How long ago it was checked when that was read, in milliseconds; null: never. */
  readonly checkedMs: number | null;
  /** RFC 3339. */
  readonly now: string;
}

export function cellOf(facts: CellFacts, { name, width }: TableColumn, marks: Marks): readonly StyledText[] {
  const { row, live } = facts;
  const { monitor } = row;
  switch (name) {
    case 'name':
      return nameSpans(facts, marks);
    case 'now':
      return [nowSpan(facts, marks)];
    case 'uptime':
      return [uptimeSpan(monitor.uptime_24h_permille, marks)];
    case 'slo':
      return [sloSpan(monitor, marks)];
    case 'p95':
      return [latencySpan(monitor.latency_p95_ms, monitor.slo_latency_ms, marks)];
    case 'checks':
      return checksOf(live?.checks ?? [], width, marks);
    case 'latency':
      return latencyOf(live?.hours ?? [], { width, mostMs: monitor.slo_latency_ms, marks });
    case 'note':
      return [span(noteOf(row, facts.now), monitor.status === 'up' ? 'dim' : 'plain')];
    case 'days':
      return daysOf(live?.days ?? monitor.history.map(({ state }) => state), width, marks);
  }
}

/** The status, whether it flaps, then the name; behind a branch what hangs on the row above. Statuses stand in one column. */
function nameSpans({ row, live }: CellFacts, marks: Marks): readonly StyledText[] {
  const { monitor, isNested } = row;
  const flap = live !== null && isFlapping(live.checks) ? span(marks.flapping, 'warn') : span(' ');
  return [
    span(marks.status[monitor.status], statusTones[monitor.status]),
    flap,
    span(' '),
    ...(isNested ? [span(`${marks.branch} `, 'dim')] : []),
    span(cleanLine(monitor.name), 'strong'),
  ];
}

function nowSpan({ row: { monitor }, downMs, checkedMs }: CellFacts, { none }: Marks): StyledText {
  if (downMs !== null) return span(durationText(downMs), 'bad');
  if (checkedMs === null) return span(none, 'dim');
  return span(`${firstUnit(durationText(checkedMs))} ago`, monitor.status === 'degraded' ? 'warn' : 'dim');
}

/** `2s`, `4m`: the larger unit says enough. */
function firstUnit(text: string): string {
  return text.split(' ')[0] ?? text;
}

function uptimeSpan(permille: number | null, { none }: Marks): StyledText {
  const text = permilleText(permille, none);
  return permille === null ? span(text, 'dim') : span(text, permille < 990 ? 'warn' : 'plain');
}

/** The error budget that is left, in percent, cut and never rounded up. */
function sloSpan(
  {
    error_budget_minutes_left: left,
    error_budget_minutes_total: total,
  }: Pick<PageMonitor, 'error_budget_minutes_left' | 'error_budget_minutes_total'>,
  { none }: Marks,
): StyledText {
  if (left === null || total === null || total === 0) return span(none, 'dim');
  const percent = Math.floor((left / total) * 100);
  return span(`${Math.max(-999, percent)}%`, percent <= 0 ? 'bad' : percent < 25 ? 'warn' : 'plain');
}

function latencySpan(ms: number | null, most: number | null, { none }: Marks): StyledText {
  return span(latencyText(ms, none), ms !== null && most !== null && ms > most ? 'warn' : 'plain');
}

type NoteFacts = Pick<RowOfMonitor, 'monitor' | 'because' | 'acknowledged'>;

/** What it is down because of, who takes care of it, what holds its messages back, then why it is not healthy. */
export function noteOf({ monitor, because, acknowledged }: NoteFacts, now: string): string {
  const {
    maintenance,
    silenced_until,
    unstable_since = null,
    last_error,
    last_latency_ms,
    cause,
    status,
  } = monitor;
  const isSlow = status === 'degraded' && last_error === null && last_latency_ms !== null;
  const root = because ?? cause;
  return cleanLine(
    [
      root === null ? null : `because of ${root}`,
      acknowledged === null ? null : ackText(acknowledged),
      maintenance ? 'in maintenance' : null,
      silenced_until === null ? null : `silenced until ${shortTimeText(silenced_until, now)}`,
      unstable_since === null ? null : `unstable since ${shortTimeText(unstable_since, now)}`,
      status === 'up' && monitor.kind === 'push' ? null : errorText(last_error),
      isSlow ? `slow: ${latencyText(last_latency_ms)}` : null,
    ]
      .filter((part) => part !== null)
      .join(', '),
  );
}

/** `ack by ann 14:03`: the row has little room. */
function ackText({ at, by = null }: AcknowledgedView): string {
  return `ack${by === null ? '' : ` by ${by}`} ${clockText(Date.parse(at)).slice(0, 5)}`;
}
