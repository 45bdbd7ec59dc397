/** Imports Uptime Kuma: its monitors as a configuration. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cleanLine } from '../../../engine/core/text.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { performImport, type ImportRun } from '../perform.ts';
import { createSecrets } from '../variables.ts';
import { convertKuma } from './convert.ts';
import { withKuma } from './source.ts';

export async function performKumaImport(run: ImportRun, context: Context): Promise<ExitCode> {
  await warnOfLog(run.file, context);
  const hostZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return performImport(run, context, (file) =>
    withKuma(file, ({ data }) =>
      convertKuma(data, {
        secrets: createSecrets(run.isInline ? 'inline' : 'env'),
        hostZone,
        nowAt: context.clock.now(),
      }),
    ),
  );
}

/** What Kuma wrote last stands in a log beside its database until it is stopped. */
export async function warnOfLog(file: string, { cwd, stderr }: Context): Promise<void> {
  const log = await stat(`${resolve(cwd, file)}-wal`).catch(() => null);
  if (log === null || log.size === 0) return;
  const message = `${file}-wal holds changes that are not in ${file} yet and are not read; stop Uptime Kuma first, or import a copy made with sqlite3's .backup`;
  stderr.write(`statusd: warning: ${cleanLine(message)}\n`);
}
