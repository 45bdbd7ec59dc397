/** Derives the id of a message from its contents. */
import { messageOf } from '../../engine/alerting/copies.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { idOfAll } from '../../engine/alerting/ids.ts';
import type { Send } from './compose-one.ts';

type Identified = Pick<Send, 'row' | 'event'>;

/**
 * The id that receivers recognise a message of these deliveries by: what was in no other message before has one that says
 * what is in it. So a receiver that discards known ids misses nothing new.
 */
export function messageIdOf([first, ...others]: readonly [Identified, ...Identified[]]): string {
  const given = messageOf(first.row.payload)?.as;
  const isGiven = others.every(({ row }) => messageOf(row.payload)?.as === given);
  return given !== undefined && isGiven ? given : idOfAll([idOf(first), ...others.map(idOf)]);
}

/** What is said of an outage when it is over already is another message than its alert, which may have come. */
function idOf({ row, event }: Identified): string {
  const isLate = event === 'recovered' && readRecovery(row.payload)?.isLate === true;
  return isLate ? `${row.deliveryId}.late` : row.deliveryId;
}
