/** Draws recent history as marks, a cell each, the latest at the right. */
import type { LiveHour } from '../engine/views/live.ts';
import type { Status } from '../engine/core/status.ts';
import { type Marks, type StyledText, span, statusTones, type Tone } from './theme.ts';

interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

/** The last `width` checks. */
export function checksOf(checks: readonly Status[], width: number, marks: Marks): StyledText[] {
  return stripOf(
    checks.slice(-width).map((status) => ({ text: marks.status[status], tone: statusTones[status] })),
    width,
    marks,
  );
}

/** All days in `width` cells, told apart by height as well as by colour; the worst day of a cell is its mark. */
export function daysOf(days: readonly Status[], width: number, marks: Marks): StyledText[] {
  const cells = shared(days, width).map((some) => {
    const worst = badness.find((status) => some.includes(status)) ?? 'unknown';
    return { text: marks.day[worst], tone: statusTones[worst] };
  });
  return stripOf(cells, width, marks);
}

const badness: readonly Status[] = ['down', 'degraded', 'up'];

/** The items in at most `width` parts of equal length, the last one whole. */
function shared<T>(items: readonly T[], width: number): readonly (readonly T[])[] {
  const per = Math.max(1, Math.ceil(items.length / width));
  const count = Math.ceil(items.length / per);
  return Array.from({ length: count }, (_, index) => {
    const end = items.length - (count - 1 - index) * per;
    return items.slice(Math.max(0, end - per), end);
  });
}

/**
 * The upper bounds of the heights of a latency, in milliseconds: the same for every monitor, so that rows can be
 * compared, and what is always slow looks slow.
 */
export const latencySteps = [10, 20, 50, 100, 200, 500, 1000] as const;

/** A day of latency in `width` cells; an hour in which it was down is a red gap, one above `mostMs` is yellow. */
export function latencyOf(
  hours: readonly LiveHour[],
  { width, mostMs, marks }: { readonly width: number; readonly mostMs: number | null; readonly marks: Marks },
): StyledText[] {
  const cells = shared(hours, width).map((some) => latencyCell(some, mostMs, marks));
  return stripOf(cells, width, marks);
}

function latencyCell(hours: readonly LiveHour[], mostMs: number | null, marks: Marks): Cell {
  if (hours.some(({ status }) => status === 'down')) return { text: marks.outage, tone: 'bad' };
  const measured = hours.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]));
  if (measured.length === 0) return { text: marks.gap, tone: 'plain' };
  const ms = Math.max(...measured);
  const step = latencySteps.findIndex((bound) => ms < bound);
  const text = marks.levels[step === -1 ? marks.levels.length - 1 : step] ?? marks.gap;
  return { text, tone: mostMs !== null && ms > mostMs ? 'warn' : 'accent' };
}

/** Counts in heights of the highest of them; nothing at all is a dot. */
export function barsOfCounts(counts: readonly number[], marks: Marks): string {
  const highest = Math.max(1, ...counts);
  return counts
    .map((count) => {
      const level = Math.ceil((count / highest) * marks.levels.length) - 1;
      return count === 0 ? marks.dot : (marks.levels[level] ?? marks.gap);
    })
    .join('');
}

/** Changes between healthy and not, within so few checks, that nobody would call it either. */
const flapChanges = 4;

export function isFlapping(checks: readonly Status[]): boolean {
  const known = checks
    .filter((status) => status !== 'unknown')
    .map((status) => status === 'down' || status === 'degraded');
  return known.filter((isBad, index) => index > 0 && known[index - 1] !== isBad).length >= flapChanges;
}

/** Cells of one tone are one span; what there is too little of is filled at the left. */
function stripOf(cells: readonly Cell[], width: number, { gap }: Marks): StyledText[] {
  const spans: StyledText[] = cells.length < width ? [span(gap.repeat(width - cells.length))] : [];
  for (const { text, tone } of cells) {
    const last = spans.at(-1);
    if (last?.tone === tone) spans[spans.length - 1] = span(last.text + text, tone);
    else spans.push(span(text, tone));
  }
  return spans;
}
