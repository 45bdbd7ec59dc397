/** The changes to the incident record. */
import { instant, json, list, optional, orNull, text } from './fields.ts';
import { category, monitorId, sentence, snapshot, uid } from './names.ts';
import { declareWrite } from './write.ts';

/**
 * Answers the id of the incident: the same one again when the uid is known, the one that is open when the monitor
 * has one, for it cannot have two.
 */
export const openIncident = declareWrite(
  'incident.open',
  {
    uid,
    monitor: monitorId,
    name: text(200),
    startedAt: instant,
    confirmedAt: instant,
    category,
    reason: orNull(sentence),
    cause: optional(orNull(sentence), null),
    impacted: optional(list(monitorId, 10_000), []),
    snapshot: optional(orNull(snapshot), null),
    vantage: optional(orNull(json(20_000)), null),
    /** Of a monitor that cannot be checked, which is no outage. */
    ownFault: optional(orNull(text(200)), null),
  },
  (sql, incident) => {
    const idOf = () =>
      sql.get('SELECT id FROM incidents WHERE uid = ?', [incident.uid], (row) => row.number('id'));
    const openId = () =>
      sql.get('SELECT id FROM incidents WHERE monitor = ? AND ended_at IS NULL', [incident.monitor], (row) =>
        row.number('id'),
      );
    const known = idOf() ?? openId();
    if (known !== null) return known;
    sql.run(
      `INSERT INTO incidents
         (uid, monitor, name, started_at, confirmed_at, category, reason, cause, impacted, snapshot, vantage, own_fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      incident.uid,
      incident.monitor,
      incident.name,
      incident.startedAt,
      incident.confirmedAt,
      incident.category,
      incident.reason,
      incident.cause,
      JSON.stringify(incident.impacted),
      incident.snapshot === null ? null : JSON.stringify(incident.snapshot),
      incident.vantage === null ? null : JSON.stringify(incident.vantage),
      incident.ownFault,
    );
    if (incident.ownFault !== null) return idOf() ?? 0;
    sql.run(
      `INSERT INTO incident_totals (monitor, count) VALUES (?, 1) ON CONFLICT (monitor) DO UPDATE SET count = count + 1`,
      incident.monitor,
    );
    return idOf() ?? 0;
  },
);

/** Answers whether the incident was open. */
export const closeIncident = declareWrite(
  'incident.close',
  { uid, endedAt: instant },
  (sql, incident) =>
    sql.run(
      'UPDATE incidents SET ended_at = ? WHERE uid = ? AND ended_at IS NULL',
      incident.endedAt,
      incident.uid,
    ) > 0,
);

/** What became known later: the root cause, the monitors folded into it, what other nodes saw. */
export const describeIncident = declareWrite(
  'incident.describe',
  {
    uid,
    cause: orNull(sentence),
    impacted: list(monitorId, 10_000),
    vantage: orNull(json(20_000)),
  },
  (sql, incident) =>
    sql.run(
      'UPDATE incidents SET cause = ?, impacted = ?, vantage = ? WHERE uid = ?',
      incident.cause,
      JSON.stringify(incident.impacted),
      incident.vantage === null ? null : JSON.stringify(incident.vantage),
      incident.uid,
    ) > 0,
);

/** Sets the operator's note, null to clear it; `at` is when. Answers whether there is such an incident. */
export const annotateIncident = declareWrite(
  'incident.annotate',
  { uid, note: orNull(sentence), at: instant },
  (sql, { uid: incident, note, at }) =>
    sql.run('UPDATE incidents SET note = ?, noted_at = ? WHERE uid = ?', note, at, incident) > 0,
);
