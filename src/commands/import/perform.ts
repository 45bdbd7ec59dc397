/** Runs an import, from reading the file to printing the report. */
import { resolve } from 'node:path';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { secretsFileOf, writeSecrets } from '../document/secrets-file.ts';
import { fileToMake, refuseUnwritable, writeWhole } from '../document/write-file.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import type { Imported } from './document.ts';
import { fitToLoad } from './fit.ts';
import { tableOf } from './item.ts';
import { reportJson, reportText, textsOf } from './render.ts';
import { shellWord } from '../words.ts';

export interface ImportRun {
  /** The file to import, as typed. */
  readonly file: string;
  /** The file to write, as typed; `-` is standard output. */
  readonly out: string;
  readonly isForced: boolean;
  readonly isInline: boolean;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

/** What commands look for in the working directory. */
const usualFile = 'statusd.toml';

/** Refuses what cannot be written before anything is read. Answers 1 when there is nothing to watch in the file. */
export async function performImport(
  run: ImportRun,
  context: Context,
  read: (file: string) => Promise<Imported>,
): Promise<ExitCode> {
  const { stdout, stderr, cwd, env, interrupt } = context;
  const file = run.out === '-' ? null : fileToMake(cwd, run.out, usualFile);
  if (file === null && run.isJson) {
    throw new StatusdError('usage', '--json and --out - both want standard output', {
      hint: 'Write the configuration to a file.',
    });
  }
  if (file !== null) await refuseUnwritable(file, run.isForced);
  const found = await read(resolve(cwd, run.file));
  interrupt.throwIfAborted();
  const { imported, text } = await fitToLoad(found, { file: file ?? resolve(cwd, usualFile), env });
  const isWatching = imported.items.some((item) => tableOf(item)?.section === 'monitors');
  const secretsFile = file === null ? null : secretsFileOf(imported.wanted, file);
  if (isWatching && file !== null) {
    await writeSecrets(imported.wanted, { file, isForced: run.isForced });
    await writeWhole(file, text, run.isForced);
  }
  if (isWatching && file === null) stdout.write(text);
  if (run.isJson)
    stdout.write(
      `${toJson(reportJson(imported, isWatching ? file : null, isWatching ? secretsFile : null))}\n`,
    );
  else if (!run.isQuiet || !isWatching) {
    // The configuration itself may go to standard output, so what is said about it may not.
    const target = file === null ? stderr : stdout;
    const closing = isWatching ? closingLines(run.out, imported, { context, secretsFile }) : nothingLines;
    const output = await openTerminalOutput({ stdout: target, env }, run.isColourRefused, textsOf(imported));
    target.write(reportText(imported, { closing, secretsFile: isWatching ? secretsFile : null }, output));
  }
  return isWatching ? exitCodes.ok : exitCodes.wrong;
}

const nothingLines = ['There is nothing in it that statusd could watch: no file was written.'];

interface Surroundings {
  readonly context: Context;
  /** Where the secrets are; null: nowhere. */
  readonly secretsFile: string | null;
}

function closingLines(
  out: string,
  { wanted }: Imported,
  { context: { env }, secretsFile }: Surroundings,
): string[] {
  const isMissing = wanted.some(({ value }) => secretsFile === null || value === null);
  const isFound = out === '-' || (out === usualFile && (env['STATUSD_CONFIG'] ?? '') === '');
  const option = isFound ? '' : ` -c ${shellWord(out)}`;
  return [
    out === '-'
      ? `Save it as ${usualFile}, and read its comments.`
      : `Wrote ${cleanLine(out)}. Read its comments.`,
    !isMissing ? 'Then try it:' : 'Set the variables, then try it:',
    `  statusd check --config-only${option}`,
    `  statusd check${option}`,
    `  statusd test-alert${option}`,
  ];
}
