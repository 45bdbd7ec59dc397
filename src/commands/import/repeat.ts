/** Writes down how often a monitor reminds. */
import { bounded, type Remarks } from './item.ts';

/** The setting of a monitor that reminds every `secs`, the nearest that statusd takes; a remark says when it is another. */
export function repeatSetting(secs: number, remarks: Remarks): readonly ['repeat_every_secs', number] {
  const bounds = { min: 60, max: 2_592_000 };
  return ['repeat_every_secs', bounded(secs, bounds, { what: 'a reminder interval in seconds', remarks })];
}
