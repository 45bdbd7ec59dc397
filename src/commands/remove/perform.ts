/** Runs `remove`: cuts the tables of monitors out of the files of the configuration. */
import type { AST } from 'toml-eslint-parser';
import { type LoadedConfig, parseConfig } from '../../engine/config/load.ts';
import { ConfigError } from '../../engine/config/problem.ts';
import { type ReadFile, readSmallFile } from '../../engine/config/read-file.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { selectMonitors } from '../../engine/operations/select-monitors.ts';
import type { Context } from '../context.ts';
import { contentToChange, writeWhole } from '../document/write-file.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface RemoveRun extends RunOptions {
  /** As typed. */
  readonly ids: readonly string[];
  readonly isDryRun: boolean;
}

/** A file of the configuration, before and after. */
interface ChangedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The text that is cut out. */
  readonly removed: string;
}

/** Throws `not_found` for an unknown monitor, `usage` when the configuration would not load without them. */
export async function performRemove(run: RemoveRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  const loaded = await openConfig(run.configFile, context);
  const monitors = selectMonitors(loaded.config.monitors, { ids: run.ids, groups: [] });
  const ids = monitors.map(({ id }) => id);
  await refuseNamed(ids, loaded);
  const files = await changedFiles(ids, loaded);
  await refuseBroken(files, loaded, context);
  if (!run.isDryRun) {
    for (const { file, before, after } of files) {
      if ((await contentToChange(file)).toString('utf8') !== before)
        throw new StatusdError('usage', `${file} was changed meanwhile, so nothing was removed from it`, {
          hint: 'Run it again.',
        });
      await writeWhole(file, after, true);
    }
  }
  const names = files.map(({ file }) => file);
  if (run.isJson) stdout.write(`${toJson({ files: names, removed: ids, written: !run.isDryRun })}\n`);
  else if (run.isDryRun) stdout.write(files.map(({ removed }) => removed).join('\n'));
  else if (!run.isQuiet) {
    const head = `Removed ${counted(ids.length, 'monitor')} from ${names.map(cleanLine).join(' and ')}: ${ids.join(', ')}.`;
    stdout.write(`${head}\nA running daemon reads the file again by itself, within seconds.\n`);
  }
  return exitCodes.ok;
}

/** Refuses to remove a monitor that others go on to depend on. */
async function refuseNamed(ids: readonly string[], { config, locate }: LoadedConfig): Promise<void> {
  for (const [index, { id, depends_on: upstreams }] of config.monitors.entries()) {
    const named = ids.includes(id) ? -1 : upstreams.findIndex((upstream) => ids.includes(upstream));
    if (named === -1) continue;
    const { fileName, line } = await locate(['monitors', index, 'depends_on', named]);
    throw new StatusdError(
      'usage',
      `nothing was removed: the monitor ${quoted(id)} depends on ${quoted(upstreams[named] ?? '')}`,
      { hint: `Change depends_on in ${cleanLine(fileName)}, line ${line}, first, or remove both.` },
    );
  }
}

/** Each file that has one of the monitors, without them. */
async function changedFiles(ids: readonly string[], loaded: LoadedConfig): Promise<readonly ChangedFile[]> {
  const lines = new Map<string, number[]>();
  for (const id of ids) {
    const index = loaded.config.monitors.findIndex((monitor) => monitor.id === id);
    const { file, line } = await loaded.locate(['monitors', index]);
    lines.set(file, [...(lines.get(file) ?? []), line]);
  }
  return Promise.all(
    [...lines].map(async ([file, starts]) => {
      const before = (await contentToChange(file)).toString('utf8');
      return { file, before, ...(await withoutTables(before, { file, starts })) };
    }),
  );
}

/** The text without the `[[monitors]]` tables that begin on the lines `starts`, with their subtables and comments. */
async function withoutTables(
  text: string,
  { file, starts }: { readonly file: string; readonly starts: readonly number[] },
): Promise<{ readonly after: string; readonly removed: string }> {
  const { default: parser } = await import('toml-eslint-parser');
  const program = parser.parseTOML(text, { tomlVersion: '1.1' });
  const tables = program.body[0].body.filter((node): node is AST.TOMLTable => node.type === 'TOMLTable');
  const lines = text.split(/(?<=\n)/);
  const isCut = lines.map(() => false);
  for (const start of starts) {
    const head = tables.find(({ kind, loc }) => kind === 'array' && loc.start.line === start);
    if (head === undefined) throw inline(file, start);
    const own = tables.filter(
      ({ resolvedKey: [section, index] }) => section === head.resolvedKey[0] && index === head.resolvedKey[1],
    );
    for (const table of own) {
      let first = table.loc.start.line - 1;
      while (first > 0 && /^[ \t]*#/.test(lines[first - 1] ?? '')) first--;
      let last = table.loc.end.line - 1;
      // Empty lines behind a table belong to it, so that one is left between its neighbours.
      while (/^[ \t]*\r?\n?$/.test(lines[last + 1] ?? '#')) last++;
      isCut.fill(true, first, last + 1);
    }
  }
  return {
    after: lines.filter((_, index) => isCut[index] === false).join(''),
    removed: lines.filter((_, index) => isCut[index] === true).join(''),
  };
}

function inline(file: string, line: number): StatusdError {
  return new StatusdError(
    'usage',
    `the monitor in ${cleanLine(file)}, line ${line}, is no [[monitors]] table`,
    {
      hint: 'It is part of a value, `monitors = […]`: take it out by hand.',
    },
  );
}

/** The configuration loaded before; without the tables it has to as well. */
async function refuseBroken(
  files: readonly ChangedFile[],
  { file }: LoadedConfig,
  { env }: Context,
): Promise<void> {
  const texts = new Map(files.map(({ file: name, after }) => [name, Buffer.from(after)]));
  const read: ReadFile = async (name, maxBytes) => texts.get(name) ?? readSmallFile(name, maxBytes);
  try {
    await parseConfig(Buffer.from(await read(file)).toString('utf8'), { file, env, readFile: read });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new StatusdError('usage', `nothing was removed, since the file would not load: ${error.message}`, {
      hint: 'Change what names the monitor first.',
      cause: error,
    });
  }
}
