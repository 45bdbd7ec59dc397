/** Decides whether a silence or a maintenance window holds a message back. */
import { instantText } from '../core/instant.ts';
import { mutedByText, muteOf, type MuteContext } from '../core/mute.ts';
import { inWords } from '../core/words.ts';
import { type EventName, eventRow } from './events/catalogue.ts';

export type Muted =
  | { readonly kind: 'open' }
  /** `by` names what mutes, so that a change of it is noticed. */
  | { readonly kind: 'hold'; readonly untilAt: number; readonly by: string; readonly detail: string };

/** The stage of any message about `monitor`. What is said now, or about this node, is never held back. */
export function mute(event: EventName, monitor: string | null, situation: MuteContext): Muted {
  if (monitor === null || !eventRow(event).isMutable) return { kind: 'open' };
  const muting = muteOf(monitor, situation);
  if (muting.kind === 'open') return muting;
  const [first] = muting.by;
  const what = mutedByText(first);
  const { then = [] } = muting;
  const next = then.length === 0 ? '' : `, then by ${inWords(then.map(mutedByText), 3)}`;
  return {
    kind: 'hold',
    untilAt: muting.untilAt,
    by: `${first.kind === 'silence' ? first.id : first.title} ${muting.untilAt}`,
    detail: `It is held back until ${instantText(muting.untilAt)} by ${what}${next}.`,
  };
}
