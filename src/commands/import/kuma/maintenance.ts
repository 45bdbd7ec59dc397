/** Turns a maintenance of Uptime Kuma into a window. */
import type { Item, Remarks } from '../item.ts';
import { printable } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import type { KumaData, KumaMaintenance } from './data.ts';
import { localInstant } from '../zone.ts';

export interface MaintenanceContext {
  readonly hostZone: string;
  readonly nowAt: number;
  readonly data: KumaData;
  /** The ids of the monitors that are here. */
  readonly written: ReadonlyMap<number, string>;
  readonly remarks: Remarks;
}

export function maintenanceItem(window: KumaMaintenance, context: MaintenanceContext): Item {
  const { title, strategy, isActive } = window;
  const { remarks } = context;
  const item = { kind: 'maintenance', name: title || `maintenance ${window.id}`, type: strategy } as const;
  const leftOut = (text: string): Item => ({
    ...item,
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  });
  if (!isActive) return leftOut('is switched off');
  if (strategy !== 'single') {
    return leftOut(
      strategy === 'manual'
        ? 'lasts until it is ended by hand: use `statusd silence`'
        : 'comes again and again: statusd has windows with one start and one end; a cron job can run `statusd silence`',
    );
  }
  const zone = zoneOf(window, context);
  const start = localInstant(window.start, zone);
  const end = localInstant(window.end, zone);
  if (start === null || end === null) return leftOut('has no start or end that can be read');
  if (Date.parse(end) <= context.nowAt) return leftOut('is over');
  const ids = coveredIds(window, context);
  const monitors = ids.flatMap((id) => context.written.get(id) ?? []);
  if (monitors.length === 0) return leftOut('covers no monitor that is here');
  if (monitors.length < ids.length) remarks.approximate('some of its monitors are not here');
  const settings = new Map<string, TomlValue>([
    ['title', printable(title) || 'Maintenance'],
    ['start', start],
    ['end', end],
    ['monitors', monitors],
  ]);
  const table = { section: 'maintenance', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}

/** Kuma 2 writes `SAME_AS_SERVER`, and before it nothing, for the zone that is set for the server. */
function zoneOf({ timezone }: KumaMaintenance, { data, hostZone, remarks }: MaintenanceContext): string {
  if (timezone !== '' && timezone !== 'SAME_AS_SERVER') return timezone;
  const set = (data.settings.get('serverTimezone') ?? '').replace(/^"(.*)"$/, '$1');
  if (set !== '') return set;
  remarks.approximate(`is in the time zone of its server, taken to be ${hostZone}`);
  return hostZone;
}

/** A group stands for everything in it. */
function coveredIds({ monitorIds }: KumaMaintenance, { data }: MaintenanceContext): number[] {
  const covered = new Set(monitorIds);
  for (let size = -1; size !== covered.size; ) {
    size = covered.size;
    for (const { id, parent } of data.monitors) if (parent !== null && covered.has(parent)) covered.add(id);
  }
  const isGroup = new Set(data.monitors.filter(({ type }) => type === 'group').map(({ id }) => id));
  return [...covered].filter((id) => !isGroup.has(id));
}
