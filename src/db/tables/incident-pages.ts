/** Reads the record of incidents by the page, the one that started last first. */
import type { SqlColumn, SqlReader, SqlRow } from '../store/sql.ts';

export interface IncidentQuery {
  readonly limit: number;
  /** Only those after this cursor, which the page before ended with. */
  readonly before?: string | null | undefined;
  /** Only those of these monitors. */
  readonly monitors?: readonly string[] | null | undefined;
  /** With `monitors`: without what names no monitor. */
  readonly isNarrow?: boolean | undefined;
  readonly isOpen?: boolean | null | undefined;
}

export interface IncidentPage<Row> {
  /** The one that started last comes first. */
  readonly incidents: readonly Row[];
  /** The cursor of the next page; null: this was the last. */
  readonly next: string | null;
}

/** Where a page ends: a start and a uid, so it reveals nothing that the page did not. */
const cursorPattern = /^(\d{1,16})-([\w.:-]{1,200})$/;

/** Whether a text is where a page may end. */
export function isCursor(text: string): boolean {
  return cursorPattern.test(text);
}

/** A page of the record; without `conditions` it is of all incidents, those that operators opened included. */
export function readPage<Row extends { readonly uid: string; readonly startedAt: number }>(
  sql: SqlReader,
  query: IncidentQuery,
  {
    conditions: given,
    read,
  }: { readonly conditions: readonly string[]; readonly read: (row: SqlRow) => Row },
): IncidentPage<Row> {
  const conditions = [...given];
  const params: SqlColumn[] = [];
  const [, startedAt, uid] = cursorPattern.exec(query.before ?? '') ?? [];
  if (startedAt !== undefined && uid !== undefined) {
    conditions.push('(started_at, uid) < (?, ?)');
    params.push(Number(startedAt), uid);
  }
  const { monitors = null, isNarrow = false, isOpen = null } = query;
  if (monitors !== null) {
    const [first] = monitors;
    const isOne = monitors.length === 1 && first !== undefined;
    const one = isOne ? first : JSON.stringify(monitors);
    const own = isOne ? 'monitor = ?' : 'monitor IN (SELECT value FROM json_each(?))';
    if (given.length > 0) {
      conditions.push(own);
      params.push(one);
    } else {
      const named = `EXISTS (SELECT 1 FROM json_each(incidents.monitors) AS named
        WHERE named.value IN (SELECT value FROM json_each(?)))`;
      conditions.push(`(${own} OR ${named}${isNarrow ? '' : " OR monitors = '[]'"})`);
      params.push(one, JSON.stringify(monitors));
    }
  }
  if (isOpen !== null) conditions.push(`ended_at IS ${isOpen ? '' : 'NOT '}NULL`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const found = sql.all(
    `SELECT * FROM incidents ${where} ORDER BY started_at DESC, uid DESC LIMIT ?`,
    [...params, query.limit + 1],
    read,
  );
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const hasMore = found.length > page.length && last !== undefined;
  return { incidents: page, next: hasMore ? `${last.startedAt}-${last.uid}` : null };
}
