/** All incidents, those of monitors and those that operators opened, numbered together. */
import {
  type IncidentImpact,
  incidentImpacts,
  type OperatorIncidentFacts,
} from '../../engine/core/record.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, monitorId, oneOf, text, uid } from './fields.ts';
import { type IncidentPage, type IncidentQuery, readPage } from './incident-pages.ts';
import { incidentOf, type IncidentRow } from './incidents.ts';
import { insertNumbered, namedRows, rowId, type RowIdentity } from './numbered.ts';
import { declareWrite } from './write.ts';

/** An operator opens one: about no monitor in particular, or about some. Answers its number: the same one again when the uid is known. */
export const declareIncident = declareWrite(
  'incident.declare',
  {
    title: text(200),
    impact: oneOf(incidentImpacts),
    monitors: list(monitorId, 10_000),
    at: instant,
    id: rowId,
    uid,
  },
  (sql, incident) =>
    insertNumbered(sql, { ...incident, table: 'incidents' }, (id) => {
      sql.run(
        `INSERT INTO incidents (id, uid, monitor, name, started_at, confirmed_at, impacted, impact, monitors)
       VALUES (?1, ?2, '', ?3, ?4, ?4, '[]', ?5, ?6)`,
        id,
        incident.uid,
        incident.title,
        incident.at,
        incident.impact,
        JSON.stringify(incident.monitors),
      );
    }),
);

/** Readers of the page are mailed nothing about one that an operator opened. Answers whether there is such a one. */
export const quietIncident = declareWrite(
  'incident.quiet',
  { uid },
  (sql, { uid: name }) => sql.run('UPDATE incidents SET is_quiet = 1 WHERE uid = ?', name) > 0,
);

export interface OperatorIncidentRow extends OperatorIncidentFacts {
  readonly notedAt: number | null;
}

/** Those of monitors have a `monitor`. */
export type RecordedIncidentRow = IncidentRow | OperatorIncidentRow;

type DeclaredIncident = Omit<Parameters<typeof declareIncident>[0], keyof RowIdentity>;

export const recorded = {
  quiet: quietIncident,
  ...namedRows<DeclaredIncident>('incidents', declareIncident),

  /**
   * Those that operators opened, too: with `monitors`, those that name one of them, and, unless it is `isNarrow`, those
   * that name none, which are about everything.
   */
  list: (sql: SqlReader, query: IncidentQuery): IncidentPage<RecordedIncidentRow> =>
    readPage(sql, query, { conditions: [], read: recordedOf }),

  /** Of a monitor or of an operator, by its number or its uid. */
  find: (sql: SqlReader, name: number | string): RecordedIncidentRow | null =>
    typeof name === 'number'
      ? sql.get('SELECT * FROM incidents WHERE id = ?', [name], recordedOf)
      : sql.get('SELECT * FROM incidents WHERE uid = ?', [name], recordedOf),
};

function recordedOf(row: SqlRow): RecordedIncidentRow {
  const impact = row.textOrNull('impact');
  if (impact === null) return incidentOf(row);
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    monitor: null,
    title: row.text('name'),
    impact: impact as IncidentImpact,
    monitors: JSON.parse(row.text('monitors')) as string[],
    startedAt: row.number('started_at'),
    endedAt: row.numberOrNull('ended_at'),
    note: row.textOrNull('note'),
    notedAt: row.numberOrNull('noted_at'),
  };
}
