/** Acknowledgements: each is a fact of its incident, and may be carried over to the next one of its monitor. */
import type { Sql, SqlReader } from '../store/sql.ts';
import { instant, orNull, sentence, text, uid } from './fields.ts';
import { declareWrite } from './write.ts';

/** Answers whether it was open and nobody had acknowledged it. */
export const acknowledgeIncident = declareWrite(
  'incident.acknowledge',
  { uid, at: instant, by: orNull(text(200)), reason: orNull(sentence) },
  (sql, given) =>
    sql.run(
      `UPDATE incidents SET acknowledged_at = ?, acknowledged_by = ?, acknowledged_why = ?, carried_from = NULL
       WHERE uid = ? AND ended_at IS NULL AND acknowledged_at IS NULL AND impact IS NULL`,
      given.at,
      given.by,
      given.reason,
      given.uid,
    ) > 0,
);

/** Takes an acknowledgement back; `carried_from` stays, as who was left out has to be notified now. Answers whether there was one, of an incident that is open. */
export const unacknowledgeIncident = declareWrite(
  'incident.unacknowledge',
  { uid },
  (sql, given) =>
    sql.run(
      `UPDATE incidents SET acknowledged_at = NULL, acknowledged_by = NULL, acknowledged_why = NULL
       WHERE uid = ? AND ended_at IS NULL AND acknowledged_at IS NOT NULL`,
      given.uid,
    ) > 0,
);

/** An acknowledged incident that is over, and whose acknowledgement the next one of its monitor may carry on. */
export interface CarriableAck {
  readonly uid: string;
  /** Epoch ms. */
  readonly endedAt: number;
}

/** The one of a monitor; `ownFault` null: of its outages, else of its times without checks for that cause. Null: none. */
export function carriable(
  sql: SqlReader,
  { monitor, ownFault }: { readonly monitor: string; readonly ownFault: string | null },
): CarriableAck | null {
  return sql.get(
    `SELECT uid, ack_ended_at FROM incidents
     WHERE monitor = ? AND ack_ended_at IS NOT NULL AND own_fault IS ? ORDER BY id DESC LIMIT 1`,
    [monitor, ownFault],
    (row) => ({ uid: row.text('uid'), endedAt: row.number('ack_ended_at') }),
  );
}

interface OpenedIncident {
  readonly uid: string;
  readonly monitor: string;
  readonly confirmedAt: number;
  readonly ownFault: string | null;
  readonly carriedFrom: string | null;
}

/** Gives an incident that begins the acknowledgement of the one before. Whatever it carries on, no later one can. */
export function carryAcknowledgement(
  sql: Sql,
  { uid: opened, monitor, confirmedAt, ownFault, carriedFrom }: OpenedIncident,
): void {
  if (carriedFrom !== null)
    sql.run(
      `UPDATE incidents SET carried_from = ?2, acknowledged_at = ?3,
         acknowledged_by = (SELECT acknowledged_by FROM incidents WHERE uid = ?2),
         acknowledged_why = (SELECT acknowledged_why FROM incidents WHERE uid = ?2)
       WHERE uid = ?1`,
      opened,
      carriedFrom,
      confirmedAt,
    );
  sql.run(
    `UPDATE incidents SET ack_ended_at = NULL
     WHERE monitor = ? AND ack_ended_at IS NOT NULL AND (own_fault IS NULL) = (? IS NULL)`,
    monitor,
    ownFault,
  );
}
