/** Texts of operators about an incident: updates while it lasts, a post-mortem afterwards. They are deleted with it. */
import { type IncidentUpdateFacts, incidentStates, type OperatorState } from '../../engine/core/record.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, oneOf, orNull, sentence, text, uid } from './fields.ts';
import { declareWrite } from './write.ts';

/** Answers whether there is such an incident. The same update twice is one. */
export const addIncidentUpdate = declareWrite(
  'incident.update',
  {
    uid,
    incident: uid,
    at: instant,
    state: orNull(oneOf(incidentStates)),
    message: orNull(sentence),
    author: orNull(text(200)),
  },
  (sql, update) => {
    if (!hasIncident(sql, update.incident)) return false;
    sql.run(
      `INSERT INTO incident_updates (uid, incident, at, state, message, author) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (uid) DO NOTHING`,
      update.uid,
      update.incident,
      update.at,
      update.state,
      update.message,
      update.author,
    );
    return true;
  },
);

/** Sets the post-mortem, null to clear it. Answers whether there is such an incident. */
export const setPostmortem = declareWrite(
  'incident.postmortem',
  { incident: uid, text: orNull(text(100_000)), at: instant },
  (sql, postmortem) => {
    if (!hasIncident(sql, postmortem.incident)) return false;
    if (postmortem.text === null) sql.run('DELETE FROM postmortems WHERE incident = ?', postmortem.incident);
    else
      sql.run(
        'INSERT OR REPLACE INTO postmortems (incident, text, at) VALUES (?, ?, ?)',
        postmortem.incident,
        postmortem.text,
        postmortem.at,
      );
    return true;
  },
);

export interface PostmortemRow {
  readonly text: string;
  readonly at: number;
}

export const incidentUpdates = {
  add: addIncidentUpdate,

  /** Of each of these incidents, by its uid, the oldest first; an incident without any is left out. */
  of: (sql: SqlReader, incidents: readonly string[]): ReadonlyMap<string, readonly IncidentUpdateFacts[]> => {
    const found = new Map<string, IncidentUpdateFacts[]>();
    if (incidents.length === 0) return found;
    const rows = sql.all(
      `SELECT * FROM incident_updates WHERE incident IN (SELECT value FROM json_each(?)) ORDER BY at, id`,
      [JSON.stringify(incidents)],
      updateOf,
    );
    for (const row of rows) {
      const list = found.get(row.incident);
      if (list === undefined) found.set(row.incident, [row]);
      else list.push(row);
    }
    return found;
  },
};

export const postmortems = {
  set: setPostmortem,

  find: (sql: SqlReader, incident: string): PostmortemRow | null =>
    sql.get('SELECT text, at FROM postmortems WHERE incident = ?', [incident], (row) => ({
      text: row.text('text'),
      at: row.number('at'),
    })),
};

function hasIncident(sql: SqlReader, incident: string): boolean {
  return sql.get('SELECT 1 AS found FROM incidents WHERE uid = ?', [incident], () => true) === true;
}

function updateOf(row: SqlRow): IncidentUpdateFacts {
  return {
    uid: row.text('uid'),
    incident: row.text('incident'),
    at: row.number('at'),
    state: row.textOrNull('state') as OperatorState | null,
    message: row.textOrNull('message'),
    author: row.textOrNull('author'),
  };
}
