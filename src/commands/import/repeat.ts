/** Moves reminders from monitors, where other programs have them, to channels. */
import { durationText } from '../../engine/core/duration.ts';
import { bounded, type Remarks } from './item.ts';
import type { TomlValue } from './toml-value.ts';

/** The types of channels whose vendor reminds by rules of its own. */
const remindsItself: readonly TomlValue[] = ['pagerduty', 'alertmanager'];

export const repeatBounds = { min: 60, max: 2_592_000 } as const;

/**
 * The setting of a channel; none where nothing reminds. `repeats`: of each that uses the channel, in s, 0 for never. The
 * shortest is taken, so that no reminder is lost. `type`: of the channel; `whose`: what they are called there.
 */
export function repeatSettings(
  repeats: readonly number[],
  { type, whose, remarks }: { readonly type: TomlValue; readonly whose: string; readonly remarks: Remarks },
): readonly (readonly ['repeat_every_secs', number])[] {
  const some = repeats.filter((secs) => secs > 0);
  if (some.length === 0 || remindsItself.includes(type)) return [];
  const secs = bounded(Math.min(...some), repeatBounds, {
    what: 'a reminder interval in seconds',
    remarks,
  });
  const every = durationText(secs * 1000);
  if (some.length < repeats.length)
    remarks.approximate(
      `only some of its ${whose} remind: in statusd all do, every ${every} until acknowledged`,
    );
  else if (new Set(some).size > 1)
    remarks.approximate(`its ${whose} remind at different intervals: in statusd every ${every}`);
  return [['repeat_every_secs', secs]];
}
