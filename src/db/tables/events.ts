/** Markers of changes: deployments, migrations, anything that may explain what follows. */
import type { EventFacts } from '../../engine/core/record.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { instant, list, monitorId, text, uid } from './fields.ts';
import { insertNumbered, namedRows, rowId, type RowIdentity } from './numbered.ts';
import { declareWrite } from './write.ts';

/** Answers its number: the same one again when the uid is known. */
export const addEvent = declareWrite(
  'event.add',
  { title: text(200), monitors: list(monitorId, 10_000), at: instant, id: rowId, uid },
  (sql, event) =>
    insertNumbered(sql, { ...event, table: 'events' }, (id) => {
      sql.run(
        'INSERT INTO events (id, uid, title, monitors, at) VALUES (?, ?, ?, ?, ?)',
        id,
        event.uid,
        event.title,
        JSON.stringify(event.monitors),
        event.at,
      );
    }),
);

type NewEvent = Omit<Parameters<typeof addEvent>[0], keyof RowIdentity>;

interface EventQuery {
  readonly fromAt: number;
  readonly toAt: number;
  /** Null, or none: all. */
  readonly monitors?: readonly string[] | null;
}

export const events = {
  ...namedRows<NewEvent>('events', addEvent),

  /**
   * Those from `fromAt` up to and including `toAt`, the oldest first; with `monitors` those that concern one of them or
   * everything.
   */
  listWithin: (sql: SqlReader, { fromAt, toAt, monitors = null }: EventQuery): EventFacts[] =>
    sql
      .all('SELECT * FROM events WHERE at >= ? AND at <= ? ORDER BY at, id', [fromAt, toAt], eventOf)
      .filter((event) => monitors === null || concerns(event, monitors)),

  /** The newest of those that concern a monitor or everything, `toAt` included, the oldest first. */
  listLatest: (
    sql: SqlReader,
    {
      monitor,
      fromAt,
      toAt,
      limit,
    }: { readonly monitor: string; readonly limit: number } & Omit<EventQuery, 'monitors'>,
  ): EventFacts[] =>
    sql
      .all(
        `SELECT * FROM events WHERE at >= ? AND at <= ?
           AND (monitors = '[]' OR EXISTS (SELECT 1 FROM json_each(events.monitors) WHERE value = ?))
         ORDER BY at DESC, id DESC LIMIT ?`,
        [fromAt, toAt, monitor, limit],
        eventOf,
      )
      .toReversed(),
};

function concerns(event: EventFacts, monitors: readonly string[]): boolean {
  if (event.monitors.length === 0 || monitors.length === 0) return true;
  return event.monitors.some((id) => monitors.includes(id));
}

function eventOf(row: SqlRow): EventFacts {
  return {
    id: row.number('id'),
    uid: row.text('uid'),
    title: row.text('title'),
    monitors: JSON.parse(row.text('monitors')) as string[],
    at: row.number('at'),
  };
}
