/** Reads the `kuma.db` of Uptime Kuma 1.x and 2.x. */
import type { SqlReader } from '../../../db/store/sql.ts';
import { parseJson } from '../../../engine/core/decode.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import type { KumaData, KumaMaintenance, KumaNotice } from './data.ts';
import { monitorFrom, notificationFrom, proxyFrom, tagText } from './from-record.ts';
import { flagIn, type Loose, numberIn, numberOrNullIn, textIn } from '../record.ts';
import { withSqliteFile } from '../sqlite-file.ts';

const damagedHint =
  'Stop Uptime Kuma and copy kuma.db together with kuma.db-wal, or make a copy with: sqlite3 kuma.db ".backup copy.db"';

/** Does `work` on the database in `file`. Throws a usage error when it is unreadable, damaged, or of something else. */
export function withKumaDatabase<T>(file: string, work: (sql: SqlReader) => T | Promise<T>): Promise<T> {
  return withSqliteFile(file, {
    damagedHint,
    work: (sql) => {
      if (!tables(sql).has('monitor')) throw foreign(file);
      return work(sql);
    },
  });
}

function foreign(file: string): StatusdError {
  return new StatusdError('usage', `${file} is a SQLite database, but not one of Uptime Kuma`, {
    hint: 'It has no table named monitor. Uptime Kuma keeps its own in data/kuma.db.',
  });
}

export function readKumaDatabase(sql: SqlReader): KumaData {
  const known = tables(sql);
  const rows = (table: string) => (known.has(table) ? readRows(sql, table) : []);
  const routes = idsBy(rows('monitor_notification'), 'monitor_id', 'notification_id');
  const covered = idsBy(rows('monitor_maintenance'), 'maintenance_id', 'monitor_id');
  const tagNames = new Map(rows('tag').map((tag) => [numberIn(tag, 'id', 0), textIn(tag, 'name')]));
  const tagRows = rows('monitor_tag');
  const tagged = (id: number) =>
    tagRows
      .filter((row) => numberIn(row, 'monitor_id', 0) === id)
      .map((row) =>
        tagText({ name: tagNames.get(numberIn(row, 'tag_id', 0)) ?? '', value: textIn(row, 'value') }),
      );
  return {
    program: known.has('stat_daily') ? 'Uptime Kuma 2.x' : 'Uptime Kuma 1.x',
    monitors: rows('monitor').map((row) => {
      const id = numberIn(row, 'id', 0);
      return monitorFrom(row, { notificationIds: routes.get(id) ?? [], tags: tagged(id) });
    }),
    notifications: rows('notification').map(notificationFrom),
    proxies: rows('proxy').map(proxyFrom),
    maintenance: rows('maintenance').map((row) => maintenanceFrom(row, covered)),
    notices: rows('incident').map(noticeFrom),
    pageTitles: rows('status_page').map((row) => textIn(row, 'title')),
    shownIds: shownOn({ pages: rows('status_page'), groups: rows('group'), members: rows('monitor_group') }),
    settings: new Map(rows('setting').map((row) => [textIn(row, 'key'), textIn(row, 'value')])),
  };
}

interface PageRows {
  readonly pages: readonly Loose[];
  /** The sections of pages. */
  readonly groups: readonly Loose[];
  readonly members: readonly Loose[];
}

function shownOn({ pages, groups, members }: PageRows): ReadonlySet<number> {
  const published = pages
    .filter((page) => flagIn(page, 'published', true))
    .map((page) => numberIn(page, 'id', 0));
  const open = groups
    .filter((group) => published.includes(numberIn(group, 'status_page_id', 0)))
    .map((group) => numberIn(group, 'id', 0));
  const shown = members.filter((member) => open.includes(numberIn(member, 'group_id', 0)));
  return new Set(shown.map((member) => numberIn(member, 'monitor_id', 0)));
}

export function tables(sql: SqlReader): Set<string> {
  return new Set(
    sql.all("SELECT name FROM sqlite_master WHERE type = 'table'", [], (row) => row.text('name')),
  );
}

/** Columns that hold what others answered, or are long and of no use here. */
const unread = new Set(['dns_last_result', 'grpc_protobuf', 'custom_css', 'icon', 'info_json']);

/** No function of SQLite takes more arguments than this. */
const columnsAtOnce = 50;

/**
 * Every row as a record, in the order of the ids. JSON brings over whatever type a column holds; a BLOB, which
 * no column has, is null.
 */
function readRows(sql: SqlReader, table: string): Loose[] {
  const columns = sql
    .all('SELECT name FROM pragma_table_info(?)', [table], (row) => row.text('name'))
    .filter((column) => !unread.has(column));
  const records: Loose[] = [];
  for (let start = 0; start < columns.length; start += columnsAtOnce) {
    const pairs = columns.slice(start, start + columnsAtOnce).map(pairOf);
    const query = `SELECT json_object(${pairs.join(', ')}) AS record FROM ${quoted(table)} ORDER BY rowid`;
    sql
      .all(query, [], (row) => JSON.parse(row.text('record')) as Loose)
      .forEach((record, index) => (records[index] = { ...records[index], ...record }));
  }
  return records;
}

function pairOf(column: string): string {
  const name = quoted(column);
  return `'${column.replaceAll("'", "''")}', CASE typeof(${name}) WHEN 'blob' THEN NULL ELSE ${name} END`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function idsBy(rows: readonly Loose[], key: string, value: string): Map<number, number[]> {
  const ids = new Map<number, number[]>();
  for (const row of rows) {
    const owner = numberIn(row, key, 0);
    ids.set(owner, [...(ids.get(owner) ?? []), numberIn(row, value, 0)]);
  }
  return ids;
}

function maintenanceFrom(row: Loose, covered: ReadonlyMap<number, readonly number[]>): KumaMaintenance {
  const id = numberOrNullIn(row, 'id') ?? 0;
  return {
    id,
    title: textIn(row, 'title'),
    strategy: textIn(row, 'strategy'),
    isActive: flagIn(row, 'active', true),
    start: textIn(row, 'start_date'),
    end: textIn(row, 'end_date'),
    startTime: textIn(row, 'start_time'),
    endTime: textIn(row, 'end_time'),
    intervalDays: numberIn(row, 'interval_day', 1),
    weekdays: listIn(row, 'weekdays'),
    daysOfMonth: listIn(row, 'days_of_month'),
    cron: textIn(row, 'cron').trim(),
    durationSecs: numberIn(row, 'duration', 0),
    timezone: textIn(row, 'timezone'),
    monitorIds: covered.get(id) ?? [],
  };
}

/** A list that is stored as a JSON text. */
function listIn(row: Loose, column: string): string[] {
  const list = parseJson(textIn(row, column));
  return Array.isArray(list) ? (list as unknown[]).map(String) : [];
}

/** One that is off is kept in the table, and so is one that was only taken down. */
function noticeFrom(row: Loose): KumaNotice {
  return {
    id: numberIn(row, 'id', 0),
    title: textIn(row, 'title'),
    content: textIn(row, 'content'),
    style: textIn(row, 'style'),
    created: textIn(row, 'created_date'),
    isPinned: flagIn(row, 'active', true) && flagIn(row, 'pin', true),
  };
}
