/** Chooses and orders the rows of the table. */
import { type Status, statuses } from '../engine/core/status.ts';
import { countStatuses, groupsOf, type PageMonitor, type PageSummary } from '../engine/views/page.ts';
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
  readonly isGrouped: boolean;
}

export type TableRow =
  | { readonly kind: 'monitor'; readonly monitor: PageMonitor }
  | {
      readonly kind: 'group';
      /** Null: the monitors in no group. */
      readonly name: string | null;
      readonly counts: Readonly<Record<Status, number>>;
    };

type Summary = Pick<PageSummary, 'monitors' | 'groups'>;

export function rowsOf(summary: Summary, choice: RowChoice): readonly TableRow[] {
  const chosen = summary.monitors.filter(matcher(choice.filter));
  const order = orders[choice.sort];
  if (!choice.isGrouped) return rowsIn(chosen, order);
  return groupsOf({ groups: summary.groups, monitors: chosen }).flatMap(({ name, monitors }): TableRow[] => [
    { kind: 'group', name, counts: countStatuses(monitors) },
    ...rowsIn(monitors, order),
  ]);
}

function rowsIn(monitors: readonly PageMonitor[], order: Order | null): TableRow[] {
  const ordered = order === null ? monitors : monitors.toSorted(order);
  return ordered.map((monitor) => ({ kind: 'monitor', monitor }));
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
