/** Makes a backup of the configured database and says what it made. */
import { resolve } from 'node:path';
import { backup, copyReplica } from '../../db/store/backup.ts';
import { nodeFiles } from '../../db/store/files/node.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import type { StorageSettings } from '../../engine/config/config.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { databaseName } from '../open-store.ts';
import { toJson } from '../terminal/json.ts';

export interface BackupRun {
  readonly dest: string;
  readonly configFile: string | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

export async function performBackup(run: BackupRun, context: Context): Promise<ExitCode> {
  const { stdout, stderr, clock, cwd } = context;
  const { config } = await openConfig(run.configFile, context);
  const file = databaseName(config);
  const to = resolve(cwd, run.dest);
  const { bytes, warnings } =
    config.storage === null
      ? await backup({ file, to, schema, files: nodeFiles, clock })
      : await backupShared(config.storage, to, clock);
  for (const warning of warnings) stderr.write(`statusd: warning: ${cleanLine(warning)}\n`);
  if (run.isJson) stdout.write(`${toJson({ file: to, bytes, database: file, warnings })}\n`);
  else if (!run.isQuiet) stdout.write(`${cleanLine(to)}: a copy of ${cleanLine(file)}, ${sizeOf(bytes)}\n`);
  return exitCodes.ok;
}

async function backupShared(storage: StorageSettings, to: string, clock: Clock) {
  const { loadShared } = await import('../shared-database.ts');
  const { replica } = await loadShared(storage, clock);
  try {
    return { bytes: await copyReplica(replica, to, nodeFiles), warnings: [] };
  } finally {
    replica.sql.close();
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
