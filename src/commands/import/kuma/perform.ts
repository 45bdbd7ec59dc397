/** Imports Uptime Kuma: its monitors as a configuration. */
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { performImport, type ImportRun } from '../perform.ts';
import { createSecrets } from '../variables.ts';
import { warnOfLog } from '../warn-of-log.ts';
import { convertKuma } from './convert.ts';
import { stopKuma, withKuma } from './source.ts';

export async function performKumaImport(run: ImportRun, context: Context): Promise<ExitCode> {
  await warnOfLog(run.file, stopKuma, context);
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
