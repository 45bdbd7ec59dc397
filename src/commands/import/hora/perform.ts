/** Imports the history of Hora into the configured database: daily uptime, and outages. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { retentionOf } from '../../../db/tables/retention/retention.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import type { Config } from '../../../engine/config/config.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { cleanLine } from '../../../engine/core/text.ts';
import { yieldToEventLoop } from '../../../engine/core/yielding.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { openConfig } from '../../open-config.ts';
import { withPrepared } from '../../open-store.ts';
import { type FoundHistory, type HistoryRun, keepHistory, type OwnPast } from '../history/keep.ts';
import { showProgress } from '../history/progress.ts';
import type { OtherRecord } from '../history/report.ts';
import { isSqliteFile } from '../sqlite-file.ts';
import { warnOfLog } from '../warn-of-log.ts';
import { columnsOf, knownMigrations, migrationOf, withHoraDatabase } from './database.ts';
import { horaDays, horaOutages } from './past.ts';

const dayMs = 86_400_000;

/** Answers 1 when no monitor of the file is in the configuration. */
export async function performHoraImport(run: HistoryRun, context: Context): Promise<ExitCode> {
  const file = resolve(context.cwd, run.file);
  await refuseOwn(run, file, context);
  await warnOfLog(run.file, 'make a copy with `hora backup copy.db`, and import that', context);
  return withPrepared({ configFile: run.configFile, access: 'make' }, context, {
    prepare: async ({ config, nowAt }) => {
      if (!(await isSqliteFile(file))) throw noDatabase(file);
      return withHoraDatabase(file, (sql) => {
        warnOfNewer(sql, run.file, context);
        return findHistory(sql, { config, nowAt }, context);
      });
    },
    work: (openedStore, found) => keepHistory(found, openedStore, { run, context }),
  });
}

async function findHistory(
  sql: SqlReader,
  { config, nowAt }: { readonly config: Config; readonly nowAt: number },
  context: Context,
): Promise<FoundHistory> {
  const recorded = new Set(recordedIds(sql));
  const sinceAt = nowAt - retentionOf(0, new Map()).incidentDays * dayMs;
  const own = config.monitors.filter(({ id }) => recorded.has(id));
  const peers = new Set(config.peers.map(({ listen_id }) => listen_id));
  const known = new Set([...own.map(({ id }) => id), ...peers]);
  const progress = await showProgress(
    context,
    own.map(({ name }) => name),
  );
  const pasts: OwnPast[] = [];
  try {
    for (const { id, name, interval_secs: intervalSecs, fail_threshold: threshold } of own) {
      progress.show(`Reading ${pasts.length}/${own.length} ${name}`);
      await yieldToEventLoop();
      context.interrupt.throwIfAborted();
      const lookbackSecs = 2 * threshold * intervalSecs;
      pasts.push({
        id,
        name,
        days: horaDays(sql, { monitor: id, intervalSecs, nowAt }),
        outages: horaOutages(sql, { monitor: id, sinceAt, lookbackSecs, monitors: config.monitors }),
      });
    }
  } finally {
    progress.end();
  }
  return {
    program: 'hora',
    pasts,
    unknown: [...recorded].filter((id) => !known.has(id)).sort(),
    others: [
      { key: 'peers', noun: 'peer', count: [...peers].filter((id) => recorded.has(id)).length },
      ...otherRecords(sql, Math.floor(nowAt / 1000)),
    ],
  };
}

/** Monitors, and peers by what they listen to; those of which nothing is left are in none of the tables. */
function recordedIds(sql: SqlReader): string[] {
  const present = ['checks', 'checks_hourly', 'checks_daily', 'incidents'].filter(
    (table) => columnsOf(sql, table).size > 0,
  );
  const query = present.map((table) => `SELECT CAST(monitor_id AS TEXT) AS id FROM ${table}`).join(' UNION ');
  return sql.all(query, [], (row) => row.text('id'));
}

/** What is in force or on record, but has no place among the days and incidents of a monitor. */
function otherRecords(sql: SqlReader, nowSecs: number): OtherRecord[] {
  const count = (table: string, condition = '1') =>
    columnsOf(sql, table).size === 0
      ? 0
      : (sql.get(`SELECT count(*) AS count FROM ${table} WHERE ${condition}`, [], (row) =>
          row.number('count'),
        ) ?? 0);
  return [
    {
      key: 'announcements',
      noun: 'announcement',
      count: count('announcements', `until IS NULL OR until > ${nowSecs}`),
    },
    { key: 'silences', noun: 'silence', count: count('silences', `until > ${nowSecs}`) },
    { key: 'event_markers', noun: 'event marker', count: count('events') },
    { key: 'producer_alerts', noun: 'producer alert', count: count('pushed_alerts') },
  ];
}

/** A configuration of Hora loads as it is, and then names the database of Hora for statusd too. */
async function refuseOwn(run: HistoryRun, file: string, context: Context): Promise<void> {
  const { config } = await openConfig(run.configFile, context);
  if (config.storage !== null) return;
  const real = (path: string) => realpath(path).catch(() => path);
  if ((await real(config.server.database_path)) !== (await real(file))) return;
  throw new StatusdError('usage', `${file} is also the database that the configuration names for statusd`, {
    hint: 'Give statusd one of its own, for this and for serve: STATUSD_DATABASE=statusd.db, or server.database_path.',
  });
}

function warnOfNewer(sql: SqlReader, file: string, { stderr }: Context): void {
  const version = migrationOf(sql);
  if (version === null || version <= knownMigrations) return;
  const message = `${file} was written by a newer Hora (schema ${version}, known are ${knownMigrations}): what statusd reads of it is there; compare the uptime with Hora's own`;
  stderr.write(`statusd: warning: ${cleanLine(message)}\n`);
}

function noDatabase(file: string): StatusdError {
  const isToml = file.endsWith('.toml');
  return new StatusdError('usage', `${file} is no database of Hora`, {
    hint: isToml
      ? 'A configuration of Hora needs no import: statusd check --config-only -c FILE. Name the hora.db beside it.'
      : "Name the file that server.database_path of Hora's configuration names, hora.db without it.",
  });
}
