/**
 * Runs `add`: refuses targets that are monitored already, probes the others, appends monitors, prints the next steps.
 */
import type { Monitor } from '../../engine/config/config.ts';
import { type LoadedConfig, parseConfig } from '../../engine/config/load.ts';
import { ConfigError } from '../../engine/config/problem.ts';
import { maxConfigBytes, readSmallFile } from '../../engine/config/read-file.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import type { Context } from '../context.ts';
import { writeWhole } from '../document/write-file.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { readWholeFile } from '../import/read-whole-file.ts';
import { monitorTables } from '../init/document.ts';
import { outcomeJson } from '../init/outcome.ts';
import { type Proposal, propose } from '../init/proposal.ts';
import { survey } from '../init/run.ts';
import { type ProbeQuestion, wantedFrom } from '../init/target.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { shellWord } from '../words.ts';

export interface AddRun extends RunOptions {
  /** As typed. */
  readonly targets: readonly string[];
  /** Null: as `init` would name it. */
  readonly name: string | null;
  readonly id: string | null;
  readonly isDryRun: boolean;
}

/**
 * Appends a monitor for each target. What can be refused is refused before anything is asked, and an interrupt writes
 * nothing. Throws `usage`, and what loading a configuration throws.
 */
export async function performAdd(run: AddRun, context: Context): Promise<ExitCode> {
  const { stdout, interrupt, clock } = context;
  const wanted = [...new Set(run.targets)].map(wantedFrom);
  if (wanted.length > 1 && (run.name !== null || run.id !== null)) {
    throw new StatusdError('usage', `${run.name === null ? '--id' : '--name'} is for one target`, {
      hint: 'Add the targets one after the other.',
    });
  }
  const loaded = await openConfig(run.configFile, context);
  const before = await contentOf(loaded.file);
  await refuseTakenId(run.id, loaded);
  await refuseWatched(
    wanted.map(({ questions }) => questions[0]),
    loaded,
  );
  const seen = await survey(wanted, context, run.isQuiet);
  interrupt.throwIfAborted();
  const observations = seen.filter(
    (one, index) => seen.findIndex((other) => isSameQuestion(one, other)) === index,
  );
  // A host without a scheme is known by what it answered only now.
  await refuseWatched(observations, loaded);
  const proposals = propose(observations, loaded.config.monitors).map((proposal) => ({
    ...proposal,
    id: run.id ?? proposal.id,
    name: run.name ?? proposal.name,
  }));
  const addition = additionTo(before, proposals);
  const after = Buffer.concat([before, Buffer.from(addition)]);
  await refuseBroken(after, loaded, context);
  if (!run.isDryRun) {
    if (!before.equals(await contentOf(loaded.file))) {
      throw new StatusdError('usage', `${loaded.file} was changed meanwhile, so nothing was added`, {
        hint: 'Run it again.',
      });
    }
    await writeWhole(loaded.file, after, true);
  }
  if (run.isJson) {
    const outcome = outcomeJson(loaded.file, proposals, clock.now());
    stdout.write(`${toJson({ ...outcome, written: !run.isDryRun })}\n`);
  } else if (run.isDryRun) stdout.write(addition.replaceAll('\r\n', '\n').replace(/^\n+/, ''));
  else if (!run.isQuiet) stdout.write(`${closingLines(run, loaded.file, proposals).join('\n')}\n`);
  return exitCodes.ok;
}

/** The bytes of the configuration file. Throws a usage error for one that cannot be written back, such as a pipe. */
async function contentOf(file: string): Promise<Buffer> {
  return Buffer.from(await readWholeFile(file, { maxBytes: maxConfigBytes }));
}

/** What comes behind `before`, with its kind of line breaks: an empty line, then the tables. */
function additionTo(before: Buffer, proposals: readonly Proposal[]): string {
  const text = before.toString('utf8');
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  const gap =
    text === '' || /(^|\n)\r?\n$/.test(text) ? '' : /\n$/.test(text) ? lineBreak : lineBreak.repeat(2);
  const tables = monitorTables(proposals, { isExplained: false }).map((lines) => lines.join('\n'));
  return gap + `${tables.join('\n\n')}\n`.replaceAll('\n', lineBreak);
}

async function refuseTakenId(id: string | null, loaded: LoadedConfig): Promise<void> {
  const index = loaded.config.monitors.findIndex((monitor) => monitor.id === id);
  const monitor = loaded.config.monitors[index];
  if (monitor === undefined) return;
  throw new StatusdError('usage', `the id ${quoted(monitor.id)} is taken by ${shown(monitor)}`, {
    hint: `Choose another with --id; ${await placeOf(index, loaded)} has it.`,
  });
}

async function refuseWatched(questions: readonly ProbeQuestion[], loaded: LoadedConfig): Promise<void> {
  for (const question of questions) {
    const index = loaded.config.monitors.findIndex((monitor) => isSameQuestion(monitor, question));
    const monitor = loaded.config.monitors[index];
    if (monitor === undefined) continue;
    const target = cleanLine(loaded.redact(question.target));
    throw new StatusdError('usage', `${target} is watched already, by ${shown(monitor)}`, {
      hint: `Leave it out, or change that monitor: ${await placeOf(index, loaded)}. Nothing was added.`,
    });
  }
}

function shown({ id, name }: Monitor): string {
  return `the monitor ${quoted(id)}${name === id ? '' : ` (${cleanLine(name)})`}`;
}

async function placeOf(index: number, { locate }: LoadedConfig): Promise<string> {
  const { fileName, line } = await locate(['monitors', index]);
  return `${cleanLine(fileName)}, line ${line}`;
}

function isSameQuestion(one: Monitor | ProbeQuestion, other: ProbeQuestion): boolean {
  return one.kind === other.kind && 'target' in one && plainTarget(one) === plainTarget(other);
}

/** A target without what makes no difference. */
function plainTarget({ kind, target }: { readonly kind: string; readonly target: string }): string {
  if (kind !== 'http' || !URL.canParse(target)) return target.toLowerCase().replace(/\.$/, '');
  const url = new URL(target);
  url.hash = '';
  return url.href;
}

/** The file loaded before; with the new tables it has to as well. */
async function refuseBroken(bytes: Buffer, { file }: LoadedConfig, { env }: Context): Promise<void> {
  try {
    await parseConfig(bytes.toString('utf8'), { file, env, readFile: readSmallFile });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isInline = /^[ \t]*monitors[ \t]*=/m.test(bytes.toString('utf8'));
    throw new StatusdError('usage', `nothing was added, since the file would not load: ${error.message}`, {
      hint: isInline
        ? 'It has its monitors as one value, `monitors = […]`: write each as a [[monitors]] table instead.'
        : 'Choose another --id or --name.',
      cause: error,
    });
  }
}

function closingLines({ configFile }: AddRun, file: string, proposals: readonly Proposal[]): string[] {
  const option = configFile === null ? '' : ` -c ${shellWord(configFile)}`;
  const ids = proposals.map(({ id }) => id);
  return [
    `Added ${counted(proposals.length, 'monitor')} to ${cleanLine(file)}:`,
    ...proposals.map(({ id, kind, shown: target }) => `  ${id}  ${kind}  ${cleanLine(target)}`),
    'A running daemon reads the file again by itself, within seconds. To probe them now:',
    `  statusd check${option} ${ids.join(' ')}`,
  ];
}
