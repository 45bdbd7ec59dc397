/** Imports Gatus: its endpoints as a configuration. */
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { performImport, type ImportRun } from '../perform.ts';
import { createSecrets } from '../variables.ts';
import { convertGatus } from './convert.ts';
import { readGatus } from './folder.ts';

export function performGatusImport(run: ImportRun, context: Context): Promise<ExitCode> {
  return performImport(run, context, async (file) =>
    convertGatus(await readGatus(file), createSecrets(run.isInline ? 'inline' : 'env')),
  );
}
