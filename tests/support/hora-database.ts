/** Databases as Hora makes them, with the tables and columns of a release, as far as anything reads them. */
import initSqlJs from 'sql.js';

/** The releases after which the tables are not what they were before. */
export type HoraVersion = '0.2' | '0.4' | '0.9' | '0.11';

type Cell = string | number | null;
export type HoraRow = Readonly<Record<string, Cell>>;

/** How many migrations each release has applied. */
const applied: Readonly<Record<HoraVersion, number>> = { '0.2': 4, '0.4': 7, '0.9': 17, '0.11': 22 };

const checks = `
  CREATE TABLE checks (
    id INTEGER PRIMARY KEY, time INTEGER NOT NULL, monitor_id TEXT NOT NULL,
    status INTEGER NOT NULL CHECK (status IN (0, 1, 2)), latency_ms INTEGER, status_code INTEGER, error TEXT,
    UNIQUE (monitor_id, time));
  CREATE INDEX idx_checks_monitor_time ON checks (monitor_id, time DESC, status, latency_ms);
  CREATE TABLE certs (monitor_id TEXT PRIMARY KEY, not_after INTEGER NOT NULL, checked_at INTEGER NOT NULL);`;

const rollup = (table: string, unit: string, more = '') => `
  CREATE TABLE ${table} (
    monitor_id TEXT NOT NULL, ${unit} INTEGER NOT NULL, up_count INTEGER NOT NULL DEFAULT 0,
    down_count INTEGER NOT NULL DEFAULT 0, degraded_count INTEGER NOT NULL DEFAULT 0, avg_latency_ms INTEGER${more},
    PRIMARY KEY (monitor_id, ${unit}));`;

const incidents = (more: string) => `
  CREATE TABLE incidents (
    id INTEGER PRIMARY KEY, monitor_id TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
    duration_s INTEGER, cause TEXT, impacted TEXT, error TEXT, created_at INTEGER NOT NULL${more});
  CREATE INDEX idx_incidents_monitor_time ON incidents (monitor_id, started_at DESC);`;

const annotations = `
  CREATE TABLE silences (
    id INTEGER PRIMARY KEY, monitor_id TEXT NOT NULL, until INTEGER NOT NULL, reason TEXT,
    created_at INTEGER NOT NULL);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE announcements (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL DEFAULT '', severity TEXT NOT NULL DEFAULT 'info',
    until INTEGER, created_at INTEGER NOT NULL);
  CREATE TABLE pushed_alerts (
    id INTEGER PRIMARY KEY, monitor_id TEXT NOT NULL, severity TEXT NOT NULL DEFAULT 'info', title TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '', dedup_key TEXT, created_at INTEGER NOT NULL);
  CREATE TABLE events (id INTEGER PRIMARY KEY, title TEXT NOT NULL, created_at INTEGER NOT NULL);`;

const noted = ', note TEXT, snapshot TEXT, event TEXT, vantage TEXT';

const tables: Readonly<Record<HoraVersion, string>> = {
  '0.2': checks,
  '0.4': `${checks}${incidents('')}${rollup('checks_hourly', 'hour')}${rollup('checks_daily', 'day')}`,
  '0.9': `${checks}${incidents(noted)}${rollup('checks_hourly', 'hour')}${rollup('checks_daily', 'day')}${annotations}`,
  '0.11': `${checks}${incidents(noted)}${rollup('checks_hourly', 'hour', ', latency_hist BLOB')}${rollup('checks_daily', 'day')}${annotations}`,
};

/** What sqlx, the library that Hora migrates its database with, keeps of what it applied. */
const migrations = `
  CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);`;

export interface HoraDatabaseWish {
  /** As if that many migrations had been applied; absent: those of the release. */
  readonly applied?: number;
  /** Run after the rows are there, for what no release would do. */
  readonly script?: string;
}

/** The bytes of a `hora.db` with these rows by table, marked as Hora leaves it: with a write-ahead log. */
export async function horaDatabase(
  version: HoraVersion,
  rows: Readonly<Record<string, readonly HoraRow[]>>,
  wish: HoraDatabaseWish = {},
): Promise<Uint8Array> {
  const sqlite = await initSqlJs();
  const database = new sqlite.Database();
  database.exec(`${tables[version]}${migrations}`);
  for (let number = 1; number <= (wish.applied ?? applied[version]); number++) {
    database.run(`INSERT INTO _sqlx_migrations VALUES (?, 'some', CURRENT_TIMESTAMP, 1, x'00', 1)`, [number]);
  }
  for (const [table, list] of Object.entries(rows)) {
    for (const row of list) {
      const columns = Object.keys(row);
      database.run(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
        Object.values(row),
      );
    }
  }
  if (wish.script !== undefined) database.exec(wish.script);
  const bytes = database.export();
  database.close();
  bytes.fill(2, 18, 20);
  return bytes;
}
