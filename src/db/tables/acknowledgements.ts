/** Acknowledgements: each is a fact of its incident. */
import { instant, orNull, sentence, text, uid } from './fields.ts';
import { declareWrite } from './write.ts';

/** Answers whether it was open and nobody had acknowledged it. */
export const acknowledgeIncident = declareWrite(
  'incident.acknowledge',
  { uid, at: instant, by: orNull(text(200)), reason: orNull(sentence) },
  (sql, given) =>
    sql.run(
      `UPDATE incidents SET acknowledged_at = ?, acknowledged_by = ?, acknowledged_why = ?
       WHERE uid = ? AND ended_at IS NULL AND acknowledged_at IS NULL AND impact IS NULL`,
      given.at,
      given.by,
      given.reason,
      given.uid,
    ) > 0,
);

/** Takes an acknowledgement back. Answers whether there was one, of an incident that is open. */
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
