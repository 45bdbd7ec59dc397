/** Turns the maintenance of Uptime Kuma into windows: one, or a schedule. */
import { createRemarks, type Item, type Remarks } from '../item.ts';
import { printable } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import { localInstant } from '../zone.ts';
import type { KumaData, KumaMaintenance, KumaSettings } from './data.ts';

export interface MaintenanceContext {
  readonly hostZone: string;
  /** Windows that were over by then are not taken over. */
  readonly nowAt: number;
  readonly data: KumaData;
  /** The ids of the monitors that are here. */
  readonly written: ReadonlyMap<number, string>;
}

interface WindowInputs extends MaintenanceContext {
  readonly remarks: Remarks;
}

export function maintenanceItem(window: KumaMaintenance, context: MaintenanceContext): Item {
  const { title, strategy, isActive } = window;
  const remarks = createRemarks();
  const making = { ...context, remarks };
  const item = { kind: 'maintenance', name: title || `maintenance ${window.id}`, type: strategy } as const;
  const leftOut = (text: string): Item => ({
    ...item,
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  });
  if (!isActive) return leftOut('is switched off');
  if (strategy === 'manual')
    return leftOut('lasts until it is ended by hand: use `statusd maintenance add`, or `statusd silence`');
  const times = strategy === 'single' ? windowOf(window, making) : scheduleOf(window, making);
  if (typeof times === 'string') return leftOut(times);
  const ids = coveredIds(window, context);
  const monitors = ids.flatMap((id) => context.written.get(id) ?? []);
  if (monitors.length === 0) return leftOut('covers no monitor that was imported');
  if (monitors.length < ids.length) remarks.approximate('some of its monitors were not imported');
  const settings = new Map<string, TomlValue>([
    ['title', printable(title) || 'Maintenance'],
    ...times,
    ['monitors', monitors],
  ]);
  const table = { section: 'maintenance', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}

/** The settings, or why there are none. */
type Times = KumaSettings | string;

function windowOf(window: KumaMaintenance, making: WindowInputs): Times {
  const zone = zoneOf(window, making);
  const start = localInstant(window.start, zone);
  const end = localInstant(window.end, zone);
  if (start === null || end === null) return 'has no start or end that can be read';
  if (Date.parse(end) <= making.nowAt) return 'is over';
  return [
    ['start', start],
    ['end', end],
  ];
}

function scheduleOf(window: KumaMaintenance, making: WindowInputs): Times {
  const schedule = cronOf(window);
  if (schedule === null) return whyNone(window);
  const secs = window.strategy === 'cron' ? window.durationSecs : spanSecs(window);
  const minutes = Math.round(secs / 60);
  if (minutes < 1) return 'has no duration that can be read';
  const zone = zoneOf(window, making);
  const start = localInstant(window.start, zone);
  const end = localInstant(window.end, zone);
  if (end !== null && Date.parse(end) <= making.nowAt) return 'is over';
  return [
    // A beginning that is past says nothing more.
    ...(start === null || Date.parse(start) <= making.nowAt ? [] : ([['start', start]] as const)),
    ...(end === null ? [] : ([['end', end]] as const)),
    ['schedule', schedule],
    ['duration', `${minutes}m`],
    ...(zone === 'UTC' ? [] : ([['timezone', zone]] as const)),
  ];
}

/** The five fields; null: there are none for it. */
function cronOf({ strategy, startTime, intervalDays, weekdays, daysOfMonth, cron, start }: KumaMaintenance) {
  if (strategy === 'cron') return /^\S+( +\S+){4}$/.test(cron) ? cron : null;
  const [, hour, minute] = /^(\d{1,2}):(\d\d)/.exec(startTime) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const at = `${Number(minute)} ${Number(hour)}`;
  switch (strategy) {
    case 'recurring-weekday':
      return weekdays.length === 0 ? null : `${at} * * ${weekdays.join(',')}`;
    case 'recurring-day-of-month': {
      // Uptime Kuma itself skips what is before the last day.
      const days = daysOfMonth.flatMap((day) => (day === 'lastDay1' ? 'L' : /^\d+$/.test(day) ? day : []));
      return days.length === 0 ? null : `${at} ${[...new Set(days)].join(',')} * *`;
    }
    case 'recurring-interval': {
      if (intervalDays === 1) return `${at} * * *`;
      const weekday = new Date(`${start.slice(0, 10)}T00:00:00Z`).getUTCDay();
      return intervalDays === 7 && Number.isFinite(weekday) ? `${at} * * ${weekday}` : null;
    }
    default:
      return null;
  }
}

function whyNone({ strategy, intervalDays }: KumaMaintenance): string {
  return strategy === 'recurring-interval' && intervalDays > 1
    ? `comes every ${intervalDays} days, for which cron has no schedule: plan it with \`statusd maintenance add\``
    : 'has no schedule that can be read';
}

/** From its first minute to its last, over midnight where the last is earlier. */
function spanSecs({ startTime, endTime }: KumaMaintenance): number {
  const minuteOf = (text: string) => {
    const [, hour = 'x', minute = 'x'] = /^(\d{1,2}):(\d\d)/.exec(text) ?? [];
    return 60 * Number(hour) + Number(minute);
  };
  const minutes = minuteOf(endTime) - minuteOf(startTime);
  return Number.isFinite(minutes) ? 60 * (minutes < 0 ? minutes + 24 * 60 : minutes) : 0;
}

/** Kuma 2 writes `SAME_AS_SERVER`, and before it nothing, for the zone that is set for the server. */
function zoneOf({ timezone }: KumaMaintenance, { data, hostZone, remarks }: WindowInputs): string {
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
