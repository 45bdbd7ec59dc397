/** Copies a database between its file and a server, and compares the two. */
import { nodeFiles } from '../../db/store/files/node.ts';
import { namesOf } from '../../db/store/files/names.ts';
import { acquireLock } from '../../db/store/lock/lock.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';
import { copyReplica } from '../../db/store/backup.ts';
import { tableDigests, type Uncompared } from '../../db/store/compare.ts';
import { unpackRollups } from '../../db/samples/kept-rollups.ts';
import { hourOf } from '../../db/samples/slots.ts';
import { openFiles } from '../../db/store/open.ts';
import { forgetUnshown } from '../../db/tables/retention/weeks.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import type { Config, StorageSettings } from '../../engine/config/config.ts';
import { keptHours } from '../../engine/monitoring/history-mover.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { fillShared, loadWholeShared, surveyShared } from '../shared-database.ts';
import { toJson } from '../terminal/json.ts';
import { openProgressLine, type ProgressLine } from '../terminal/progress.ts';

export interface MigrateRun extends RunOptions {
  readonly isToFile: boolean;
}

interface Migrated {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
}

export async function performMigrate(run: MigrateRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  const { config } = await openConfig(run.configFile, context);
  const { storage, server } = config;
  if (storage === null)
    throw new StatusdError('usage', 'this configuration has no [storage]', {
      hint: 'Name the server in [storage] first: see statusd.toml(5).',
    });
  const file = server.database_path;
  const shared = 'the database of [storage]';
  const [from, to] = run.isToFile ? [shared, file] : [file, shared];
  const progress = openProgressLine({ ...context, isQuiet: run.isQuiet });
  const work: Work = { ...context, say: progress.say };
  const migrated = await (run.isToFile
    ? toFile(storage, file, work)
    : toServer({ storage, config }, file, work)
  ).finally(progress.end);
  if (run.isJson) stdout.write(`${toJson({ from, to, ...migrated })}\n`);
  else if (!run.isQuiet) {
    const what = `${counted(migrated.tables, 'table')} with ${counted(migrated.rows, 'row')}`;
    stdout.write(`${cleanLine(to)}: ${what}, the same as in ${cleanLine(from)}\n`);
  }
  return exitCodes.ok;
}

type Work = Pick<Context, 'clock' | 'interrupt'> & Pick<ProgressLine, 'say'>;

/** Remarks are numbered anew, and of samples that were never there nobody knows since when they were gone. */
const uncompared: Uncompared = { monitors: ['pruned_before'], remarks: ['id'] };

async function toServer(
  { storage, config }: { readonly storage: StorageSettings; readonly config: Config },
  file: string,
  { clock, interrupt, say }: Work,
): Promise<Migrated> {
  const names = namesOf(await nodeFiles.resolve(file));
  const place = { files: nodeFiles, names, schema, clock, processes: systemProcesses };
  // A missing database would be made by the lock.
  const opened = await openFiles({ ...place, mode: 'read', isOwner: false });
  await opened.current?.reader.file.close();
  opened.replica.sql.close();
  const lock = await acquireLock(place);
  try {
    const { replica, current } = await openFiles({ ...place, mode: 'read', isOwner: false });
    try {
      const { sql } = replica;
      unpackRollups(sql, 0, null);
      const nowAt = clock.now();
      forgetUnshown(sql, nowAt);
      const original = tableDigests(sql, uncompared);
      const windows = plannedMaintenance(sql, config, nowAt);
      const bytes = await fillShared(
        storage,
        {
          replica,
          before: hourOf(nowAt / 1000) - storage.history_hours,
          keptHoursOf: (monitor, key, span) => keptHours(sql, { monitor, key, windows, ...span }),
          interrupt,
          onProgress: ({ of, done, total }) => {
            say(`copying ${done}/${total} ${of}`);
          },
        },
        clock,
      );
      say('comparing every table');
      const arrived = await loadWholeShared(storage, clock);
      try {
        return { ...compared(original, tableDigests(arrived.replica.sql, uncompared)), bytes };
      } finally {
        arrived.replica.sql.close();
      }
    } finally {
      await current?.reader.file.close();
      replica.sql.close();
    }
  } finally {
    await lock.release();
  }
}

async function toFile(
  storage: StorageSettings,
  file: string,
  { clock, interrupt, say }: Work,
): Promise<Migrated> {
  const { leader } = await surveyShared(storage, clock);
  if (leader !== null)
    throw new StatusdError('store_in_use', `${leader} leads the nodes that use the database of [storage]`, {
      hint: 'Stop all nodes first.',
    });
  say('reading the database of [storage]');
  const { replica } = await loadWholeShared(storage, clock);
  try {
    interrupt.throwIfAborted();
    const bytes = await copyReplica(replica, file, nodeFiles);
    const place = { files: nodeFiles, names: namesOf(await nodeFiles.resolve(file)), schema, clock };
    const arrived = await openFiles({ ...place, mode: 'read', isOwner: false });
    try {
      return { ...compared(tableDigests(replica.sql), tableDigests(arrived.replica.sql)), bytes };
    } finally {
      await arrived.current?.reader.file.close();
      arrived.replica.sql.close();
    }
  } finally {
    replica.sql.close();
  }
}

type TableDigests = ReturnType<typeof tableDigests>;

/** Throws `store_failing` when a table is not the same. */
function compared(from: TableDigests, to: TableDigests): Pick<Migrated, 'tables' | 'rows'> {
  let rows = 0;
  for (const [table, { digest, rows: count }] of from) {
    const arrived = to.get(table);
    if (arrived?.digest !== digest)
      throw new StatusdError(
        'store_failing',
        `the table ${table} was not copied completely: ${arrived?.rows ?? 0} of ${count} rows, or others`,
        { hint: 'The original is as it was: delete the copy, and try again.' },
      );
    rows += count;
  }
  return { tables: from.size, rows };
}
