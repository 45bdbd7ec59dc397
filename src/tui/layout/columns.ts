/** Chooses the columns of the table for a width. */
import { liveCounts } from '../../engine/views/live.ts';
import { wideColumns } from './regions.ts';

export type ColumnName = 'name' | 'now' | 'uptime' | 'slo' | 'p95' | 'checks' | 'latency' | 'note' | 'days';

export interface TableColumn {
  readonly name: ColumnName;
  /** In cells. */
  readonly width: number;
}

export interface TableRoom {
  /** What the table has. */
  readonly width: number;
  /** The longest name there is, in cells. */
  readonly nameWidth: number;
  /** The longest note there is; 0: nobody has one. */
  readonly noteWidth: number;
  readonly hasSlo: boolean;
  /** How many of the last checks of a monitor the source knows, at most; 0: it does not say. */
  readonly checks: number;
  /** How many hours ago, at most 24, the first of them was measured; 0: none but this one was. */
  readonly hours: number;
  /** How many days there are; 0: none but one was measured. */
  readonly days: number;
}

/** The mark of the cursor stands in front of the columns. */
export const gutter = 2;
export const gap = 2;
/** The marks of the status and of flapping, in front of a name. */
const markWidth = 3;

const order: readonly ColumnName[] = [
  'name',
  'now',
  'uptime',
  'slo',
  'p95',
  'checks',
  'latency',
  'note',
  'days',
];

const least: Readonly<Record<ColumnName, number>> = {
  name: 18,
  now: 8,
  uptime: 6,
  slo: 8,
  p95: 6,
  checks: 10,
  latency: 12,
  note: 16,
  days: 15,
};

/** What is left out last comes first. Where there is room for all figures, the days tell more than a note cut short. */
const importance: readonly ColumnName[] = [
  'name',
  'now',
  'uptime',
  'checks',
  'note',
  'p95',
  'slo',
  'latency',
  'days',
];
const wideImportance: readonly ColumnName[] = [...importance.filter((name) => name !== 'note'), 'note'];

const mostName = 34;
/** A name of this length is seen whole on a wide screen before there is another column. */
const wideName = 24;
const fairNote = 24;
const fairDays = 45;
/** Where fewer hours were measured, the latency of a day is mostly empty: it gets what names and notes leave. */
const fairHours = 6;

/** The columns in the order they are drawn; together with gutter and gaps they are at most `width` wide. */
export function columnsFor(room: TableRoom): readonly TableColumn[] {
  const chosen = new Set<ColumnName>();
  const isWide = room.width >= wideColumns;
  const named = Math.min(mostName, room.nameWidth + markWidth);
  const widths = {
    ...least,
    name: isWide ? Math.max(least.name, Math.min(wideName, named)) : least.name,
    days: daysWidth(room.days, least.days),
  };
  let used = gutter - gap;
  for (const name of isWide ? wideImportance : importance) {
    if (name === 'latency' && room.hours < fairHours) continue;
    if (!isWanted(name, room) || used + gap + widths[name] > room.width) continue;
    chosen.add(name);
    used += gap + widths[name];
  }
  let spare = Math.max(0, room.width - used);
  const widen = (name: ColumnName, most: number) => {
    if (!chosen.has(name)) return;
    const more = Math.min(spare, Math.max(0, most - widths[name]));
    widths[name] += more;
    spare -= more;
  };
  widen('name', named);
  widen('note', Math.min(fairNote, room.noteWidth));
  widen('checks', Math.min(liveCounts.checks, room.checks));
  widen('days', daysWidth(room.days, Math.min(widths.days + spare, fairDays)));
  // Each cell is an hour, or two.
  if (spare >= liveCounts.hours - widths.latency) widen('latency', liveCounts.hours);
  widen('days', daysWidth(room.days, widths.days + spare));
  widen('note', room.noteWidth);
  // A long name is cut only where all the width is needed.
  widen('name', room.nameWidth + markWidth);
  if (isWanted('latency', room) && !chosen.has('latency') && widths.name >= named) {
    if (spare >= gap + widths.latency) chosen.add('latency');
  }
  return order.filter((name) => chosen.has(name)).map((name) => ({ name, width: widths[name] }));
}

/** Cells for so many days in at most `room` cells: all of them, with several days to a cell where it takes that. */
export function daysWidth(days: number, room: number): number {
  return days <= room ? days : Math.ceil(days / Math.ceil(days / Math.max(1, room)));
}

function isWanted(name: ColumnName, { noteWidth, hasSlo, checks, hours, days }: TableRoom): boolean {
  if (name === 'checks') return checks > 0;
  if (name === 'latency') return hours > 0;
  if (name === 'slo') return hasSlo;
  if (name === 'days') return days > 0;
  return name !== 'note' || noteWidth > 0;
}

/** The heading says how much of the past is shown, and is never cut. */
export function headingOf({ name, width }: TableColumn, days: number): string {
  switch (name) {
    case 'name':
      return `${' '.repeat(markWidth)}NAME`;
    case 'now':
      return 'NOW';
    case 'uptime':
      return '24H';
    case 'slo':
      return 'SLO LEFT';
    case 'p95':
      return 'P95';
    case 'checks':
      return width < 14 ? `LAST ${width}` : `LAST ${width} CHECKS`;
    case 'latency':
      return 'LATENCY 24H';
    case 'note':
      return 'NOTE';
    case 'days':
      return width < 7 ? 'DAYS' : `${days} DAYS`;
  }
}

/** Whether the column holds a figure, which stands at its right. */
export function isFigure(name: ColumnName): boolean {
  return name === 'now' || name === 'uptime' || name === 'slo' || name === 'p95';
}
