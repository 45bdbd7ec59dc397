/** Imports Gatus: its endpoints as a configuration. */
import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { performImport, type ImportRun } from '../perform.ts';
import { readWholeFile } from '../read-whole-file.ts';
import { createSecrets } from '../variables.ts';
import { convertGatus } from './convert.ts';
import { readGatusYaml } from './yaml.ts';

/** Thousands of endpoints are a megabyte. */
const maxBytes = 2_000_000;

export function performGatusImport(run: ImportRun, context: Context): Promise<ExitCode> {
  return performImport(run, context, async (file) => {
    const root = await readGatusYaml(await readWholeFile(file, maxBytes), basename(file));
    return convertGatus(root, createSecrets(run.isInline ? 'inline' : 'env'));
  });
}
