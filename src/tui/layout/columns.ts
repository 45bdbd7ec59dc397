/** Chooses the columns of the table for a width. */

export type ColumnName = 'status' | 'name' | 'group' | 'uptime' | 'p50' | 'p95' | 'p99' | 'trend' | 'error';

export interface TableColumn {
  readonly name: ColumnName;
  readonly width: number;
}

export interface TableRoom {
  /** What the terminal has. */
  readonly width: number;
  /** The longest name and group there are, in cells. */
  readonly nameWidth: number;
  readonly groupWidth: number;
  readonly isGrouped: boolean;
  /** Whether any monitor has something to say in its last column. */
  readonly hasError: boolean;
}

/** The mark of the cursor stands in front of the columns. */
export const gutter = 2;
export const gap = 2;

const order: readonly ColumnName[] = [
  'status',
  'name',
  'group',
  'uptime',
  'p50',
  'p95',
  'p99',
  'trend',
  'error',
];

const least: Readonly<Record<ColumnName, number>> = {
  status: 10,
  name: 14,
  group: 8,
  uptime: 7,
  p50: 7,
  p95: 7,
  p99: 7,
  trend: 10,
  error: 16,
};

/** What is left out last comes first. */
const importance: readonly ColumnName[] = [
  'status',
  'name',
  'uptime',
  'p95',
  'error',
  'trend',
  'group',
  'p50',
  'p99',
];

const mostName = 32;
const mostGroup = 18;
const mostTrend = 24;
/** An error is readable from here on; what is more comes after the other columns. */
const fairError = 32;
/** A name is cut to this before another column is left out. */
const fairName = 18;

/** The columns in the order they are drawn; together with gutter and gaps they are at most `width` wide. */
export function columnsFor(room: TableRoom): readonly TableColumn[] {
  const chosen = new Set<ColumnName>();
  const widths = { ...least, name: Math.max(least.name, Math.min(fairName, room.nameWidth)) };
  let used = gutter - gap;
  for (const name of importance) {
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
  widen('name', Math.min(mostName, room.nameWidth));
  widen('error', fairError);
  widen('trend', mostTrend);
  widen('group', Math.min(mostGroup, room.groupWidth));
  widen('error', Infinity);
  return order.filter((name) => chosen.has(name)).map((name) => ({ name, width: widths[name] }));
}

function isWanted(name: ColumnName, { isGrouped, groupWidth, hasError }: TableRoom): boolean {
  if (name === 'group') return !isGrouped && groupWidth > 0;
  return name !== 'error' || hasError;
}
