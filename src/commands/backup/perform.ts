/** Backs up the configured database and prints where. */
import { backup, copyReplica } from '../../db/store/backup.ts';
import { nodeFiles } from '../../db/store/files/node.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import type { StorageSettings } from '../../engine/config/config.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { fileToMake } from '../document/write-file.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { databaseName } from '../open-store.ts';
import { toJson } from '../terminal/json.ts';

export interface BackupRun {
  readonly dest: string;
  /** With the samples that nodes keep in the table of history. */
  readonly isWithHistory: boolean;
  readonly configFile: string | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

export async function performBackup(run: BackupRun, context: Context): Promise<ExitCode> {
  const { stdout, stderr, clock, cwd } = context;
  const { config } = await openConfig(run.configFile, context);
  const file = databaseName(config);
  const to = fileToMake(cwd, run.dest, 'statusd-copy.db');
  const { bytes, warnings } =
    config.storage === null
      ? await backup({ file, to, schema, files: nodeFiles, clock })
      : await backupShared(config.storage, { to, isWithHistory: run.isWithHistory }, clock);
  for (const warning of warnings) stderr.write(`statusd: warning: ${cleanLine(warning)}\n`);
  if (run.isJson) stdout.write(`${toJson({ file: to, bytes, database: file, warnings })}\n`);
  else if (!run.isQuiet) stdout.write(`${cleanLine(to)}: a copy of ${cleanLine(file)}, ${sizeOf(bytes)}\n`);
  return exitCodes.ok;
}

async function backupShared(
  storage: StorageSettings,
  { to, isWithHistory }: { readonly to: string; readonly isWithHistory: boolean },
  clock: Clock,
) {
  const { loadShared, loadWholeShared } = await import('../shared-database.ts');
  const { replica } = await (isWithHistory ? loadWholeShared : loadShared)(storage, clock);
  try {
    const isShort = !isWithHistory && replica.sql.get(anyMoved, [], () => true) === true;
    const warnings = isShort
      ? [`${to} has no samples older than ${storage.history_hours} hours: ${cure}`]
      : [];
    return { bytes: await copyReplica(replica, to, nodeFiles), warnings };
  } finally {
    replica.sql.close();
  }
}

const anyMoved = 'SELECT 1 AS moved FROM monitors WHERE oldest_hour < pruned_before LIMIT 1';

const cure = 'they are in the table history of [storage]; --with-history copies them, too';

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
