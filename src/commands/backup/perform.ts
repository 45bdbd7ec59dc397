/** Makes a backup of the configured database and says what it made. */
import { resolve } from 'node:path';
import { backup } from '../../db/store/backup.ts';
import { nodeFiles } from '../../db/store/files/node.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
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
  const file = config.server.database_path;
  const to = resolve(cwd, run.dest);
  const { bytes, warnings } = await backup({ file, to, schema, files: nodeFiles, clock });
  for (const warning of warnings) stderr.write(`statusd: warning: ${cleanLine(warning)}\n`);
  if (run.isJson) stdout.write(`${toJson({ file: to, bytes, database: file, warnings })}\n`);
  else if (!run.isQuiet) stdout.write(`${cleanLine(to)}: a copy of ${cleanLine(file)}, ${sizeOf(bytes)}\n`);
  return exitCodes.ok;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
