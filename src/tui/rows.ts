/** Chooses and orders the rows of the table. */
import { type Status, statuses } from '../engine/core/status.ts';
import { countStatuses, groupsOf, type PageMonitor, type PageSummary } from '../engine/views/page.ts';
import type { AcknowledgedView } from '../engine/views/incident.ts';
import { statusWord } from '../engine/views/page-wording.ts';

export const sorts = ['status', 'config', 'name', 'uptime', 'latency'] as const;
export type SortOrder = (typeof sorts)[number];

export const sortWords: Readonly<Record<SortOrder, string>> = {
  status: 'worst first',
  config: 'as configured',
  name: 'by name',
  uptime: 'by uptime',
  latency: 'by p95',
};

export interface RowChoice {
  readonly filter: string;
  readonly sort: SortOrder;
  readonly isReversed: boolean;
  readonly isGrouped: boolean;
  /** The names of the groups whose monitors are not shown. */
  readonly folded: ReadonlySet<string | null>;
}

export const allRows: RowChoice = {
  filter: '',
  sort: 'status',
  isReversed: false,
  isGrouped: false,
  folded: new Set(),
};

export interface RowOfMonitor {
  readonly kind: 'monitor';
  readonly monitor: PageMonitor;
  /** The name of the monitor that it is down because of; null: it is down for itself, or not at all. */
  readonly because: string | null;
  /** It stands below that one. */
  readonly isNested: boolean;
  /** Of its open incident; null: it has none. */
  readonly acknowledged: AcknowledgedView | null;
}

export interface RowOfGroup {
  readonly kind: 'group';
  /** Null: the monitors in no group. */
  readonly name: string | null;
  readonly counts: Readonly<Record<Status, number>>;
  readonly isFolded: boolean;
}

export type TableRow = RowOfMonitor | RowOfGroup;

/** What a row is known by, whatever order it stands in. */
export function keyOfRow(row: TableRow): string {
  return row.kind === 'monitor' ? row.monitor.id : `group ${row.name ?? ''}`;
}

type Summary = Pick<PageSummary, 'monitors' | 'groups' | 'incidents'>;

export function rowsOf(summary: Summary, choice: RowChoice): readonly TableRow[] {
  const chosen = summary.monitors.filter(matcher(choice.filter));
  const names = new Map(summary.monitors.map(({ id, name }) => [id, name]));
  const acknowledged = acknowledgedIn(summary);
  const rowOf = (monitor: PageMonitor, isNested = false): RowOfMonitor => {
    const { cause } = monitor;
    return {
      kind: 'monitor',
      monitor,
      because: cause === null ? null : (names.get(cause) ?? cause),
      isNested,
      acknowledged: acknowledged.get(monitor.id) ?? null,
    };
  };
  if (!choice.isGrouped) return rowsIn(chosen, choice, rowOf);
  const groups = groupsOf({ groups: summary.groups, monitors: chosen });
  return inOrder(groups, choice).flatMap(({ name, monitors }): TableRow[] => {
    const isFolded = choice.folded.has(name);
    const heading: RowOfGroup = { kind: 'group', name, counts: countStatuses(monitors), isFolded };
    return [heading, ...(isFolded ? [] : rowsIn(monitors, choice, rowOf))];
  });
}

interface GroupOfMonitors {
  readonly monitors: readonly PageMonitor[];
}

/** The worst first: groups by the worst of their monitors, then by how many are as bad. Else as configured. */
function inOrder<G extends GroupOfMonitors>(
  groups: readonly G[],
  { sort, isReversed }: RowChoice,
): readonly G[] {
  if (sort !== 'status') return groups;
  const ordered = groups.toSorted((one, other) => {
    const [counts, others] = [countStatuses(one.monitors), countStatuses(other.monitors)];
    const worst = severity.find((status) => counts[status] > 0 || others[status] > 0) ?? 'up';
    return worst === 'up' ? 0 : others[worst] - counts[worst];
  });
  return isReversed ? ordered.reverse() : ordered;
}

/** By the id of the monitor. */
export function acknowledgedIn({
  incidents,
}: Pick<Summary, 'incidents'>): ReadonlyMap<string, AcknowledgedView> {
  return new Map(
    incidents.flatMap(({ monitor, acknowledged }) =>
      monitor === null || acknowledged === null ? [] : [[monitor, acknowledged]],
    ),
  );
}

/** The worst first is by cause: what fails because of another monitor stands below it. */
function rowsIn(
  monitors: readonly PageMonitor[],
  { sort, isReversed }: RowChoice,
  rowOf: (monitor: PageMonitor, isNested?: boolean) => RowOfMonitor,
): RowOfMonitor[] {
  const order = orders[sort];
  const ordered = order === null ? [...monitors] : monitors.toSorted(order);
  if (isReversed) ordered.reverse();
  if (sort !== 'status' || isReversed) return ordered.map((monitor) => rowOf(monitor));
  const shown = new Map(ordered.map((monitor) => [monitor.id, monitor]));
  const below = new Map<string, PageMonitor[]>();
  for (const monitor of ordered) {
    const root = rootOf(monitor, shown);
    if (root !== null) below.set(root.id, [...(below.get(root.id) ?? []), monitor]);
  }
  return ordered.flatMap((monitor) => {
    if (rootOf(monitor, shown) !== null) return [];
    const dependents = below.get(monitor.id) ?? [];
    return [rowOf(monitor), ...dependents.map((dependent) => rowOf(dependent, true))];
  });
}

/** Where the chain of causes ends among what is shown; null: there is none, or they cause each other. */
function rootOf(monitor: PageMonitor, shown: ReadonlyMap<string, PageMonitor>): PageMonitor | null {
  const seen = new Set([monitor.id]);
  let root: PageMonitor | null = null;
  for (let cause = monitor.cause; cause !== null; cause = root.cause) {
    const above = shown.get(cause);
    if (above === undefined) return root;
    if (seen.has(cause)) return null;
    seen.add(cause);
    root = above;
  }
  return root;
}

/** Every word has to occur in the name, the id, the group or the status. */
function matcher(filter: string): (monitor: PageMonitor) => boolean {
  const words = filter
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return () => true;
  return ({ id, name, group, status }) => {
    const text = `${name}\n${id}\n${group ?? ''}\n${status}\n${statusWord(status)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

type Order = (a: PageMonitor, b: PageMonitor) => number;

const severity: readonly Status[] = ['down', 'degraded', 'unknown', 'up'];
const collator = new Intl.Collator('en', { numeric: true });

/** Sorting keeps the order of equals: that of the configuration. */
const orders: Readonly<Record<SortOrder, Order | null>> = {
  config: null,
  status: (a, b) => severity.indexOf(a.status) - severity.indexOf(b.status),
  name: (a, b) => collator.compare(a.name, b.name),
  uptime: (a, b) => (a.uptime_24h_permille ?? Infinity) - (b.uptime_24h_permille ?? Infinity),
  latency: (a, b) => (b.latency_p95_ms ?? -1) - (a.latency_p95_ms ?? -1),
};

/** `8 up, 1 down`. */
export function countsText(counts: Readonly<Record<Status, number>>): string {
  return statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status === 'unknown' ? 'no data' : status}`)
    .join(', ');
}
