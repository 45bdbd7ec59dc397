/** Turns the recurring maintenance of Gatus into windows of a schedule. */
import { createRemarks, type Item } from '../item.ts';
import type { TomlValue } from '../toml-value.ts';
import { flagAt, type Loose, secondsAt, textAt, textsAt } from './tree.ts';

/** What a window covers. */
interface Covered {
  /** `maintenance`, or the endpoint it belongs to. */
  readonly name: string;
  /** The id of the one monitor; null: all. */
  readonly monitor: string | null;
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function maintenanceItem(window: Loose, { name, monitor }: Covered): Item {
  const remarks = createRemarks();
  const item = { kind: 'maintenance', name, type: 'maintenance' } as const;
  const leftOut = (text: string): Item => ({
    ...item,
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  });
  if (!flagAt(window, 'enabled', { fallback: true, remarks })) return leftOut('is switched off');
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(textAt(window, 'start')) ?? [];
  const minutes = Math.round((secondsAt(window, 'duration', remarks) ?? 0) / 60);
  const every = textsAt(window, 'every').map((day) => days.indexOf(day));
  if (hour === undefined || minute === undefined || minutes < 1 || every.includes(-1))
    return leftOut('has no start, duration or days that can be read');
  const zone = textAt(window, 'timezone');
  const weekdays = every.length === 0 ? '*' : every.join(',');
  const settings = new Map<string, TomlValue>([
    ['schedule', `${Number(minute)} ${Number(hour)} * * ${weekdays}`],
    ['duration', `${minutes}m`],
    ...(zone === '' || zone === 'UTC' ? [] : ([['timezone', zone]] as const)),
    ...(monitor === null ? [] : ([['monitors', [monitor]]] as const)),
  ]);
  const table = { section: 'maintenance', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}
