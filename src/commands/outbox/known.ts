/** Finds the delivery that a command line names. */
import type { SqlReader } from '../../db/store/sql.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { instantText } from '../../engine/core/instant.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { quoted } from '../duration-argument.ts';
import { rowNumber } from '../row-number.ts';

const hint = '`statusd outbox` shows the numbers.';

/** The delivery of a number, or of a delivery id. Throws `not_found` when there is none in one of these states. */
export function knownDelivery(
  word: string,
  sql: SqlReader,
  states: readonly DeliveryRow['state'][],
): DeliveryRow {
  const id = rowNumber(word);
  const row = (id === null ? null : outbox.findById(sql, id)) ?? outbox.find(sql, word);
  if (row === null) throw new StatusdError('not_found', `there is no message ${quoted(word)}`, { hint });
  if (states.includes(row.state)) return row;
  const since = row.finishedAt === null ? '' : ` at ${instantText(row.finishedAt)}`;
  const became = {
    waiting: 'still waits',
    sent: 'was sent',
    given_up: 'was given up',
    dropped: 'was dropped',
  };
  throw new StatusdError('not_found', `message ${row.id} ${became[row.state]}${since}`, { hint });
}
