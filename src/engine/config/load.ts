/** Loads a configuration: from files to frozen values, or to an error that names every problem. */
import { dirname, resolve } from 'node:path';
import { checkDraft } from './checks/all.ts';
import { checkAuthorities } from './checks/channels.ts';
import { checkSchedules } from './checks/schedules.ts';
import type { Channel, Config, Monitor, OutputSettings } from './config.ts';
import { emptied } from './emptied.ts';
import { type Environment, expandTable } from './expand.ts';
import { atOnce, type Steps, withPauses } from '../core/yielding.ts';
import { type EnvFiles, readEnvFiles, unsetVariables } from './env-files.ts';
import { type ConfigFinding, faulty, type NamedFinding, subjectOf, warning } from './finding.ts';
import { readIncluded, type WholeConfig } from './include.ts';
import { knownSecrets } from './known-secrets.ts';
import { type ListMatches, listMatches as listMatchesOnDisk } from './list-matches.ts';
import { type Locate, locator, pathInFile, placeOfFinding } from './locate.ts';
import { overriding, withOverrides } from './overrides.ts';
import { type PageFiles, readPageFiles } from './page-files.ts';
import { parseParts } from './parse-parts.ts';
import { collisionOf, ConfigError, type LoadProblem, mainName, problemOf, textProblem } from './problem.ts';
import type { ReadFile } from './read-file.ts';
import { readSections, type SectionsReading } from './read-sections.ts';
import { createRedact, type Redact } from './redact.ts';
import { decode, readSource } from './source.ts';

export interface LoadTools {
  readonly env: Environment;
  readonly readFile: ReadFile;
  /** Finds what `include` names by a pattern; absent: on the disk. */
  readonly listMatches?: ListMatches;
  /** For who is about to write the file. Default: an empty file is refused. */
  readonly mayBeEmpty?: boolean;
  /** Called between the steps of a load that must leave the event loop to others, see `paced`. */
  readonly yieldTurn?: () => Promise<void>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What is allowed, but probably not meant. */
  readonly warnings: readonly NamedFinding[];
  /** The absolute path of the main file. */
  readonly file: string;
  /** Those of the files it includes, in their order. */
  readonly included: readonly string[];
  /** Where a setting stands: `locate(['monitors', 2])`. Lists count through all files. */
  readonly locate: Locate;
  /** Masks every secret of the configuration in a text. */
  readonly redact: Redact;
  /** What the look of the page is made of, read with the configuration. */
  readonly pageFiles: PageFiles;
}

/**
 * Reads, expands and checks the file. Throws StatusdError when there is no such file (`config_missing`) or it
 * cannot be read (`config_unreadable`), and ConfigError with all its problems when it cannot be used.
 */
export async function loadConfig(file: string, tools: LoadTools): Promise<LoadedConfig> {
  const text = decode(await readSource(file, tools));
  if (typeof text === 'string') return parseConfig(text, { file, ...tools });
  throw new ConfigError([textProblem(mainName(file), text)]);
}

/** The same for a text at hand. `file` is its name in messages, and relative paths in it start from its folder. */
export async function parseConfig(content: string, tools: TextTools): Promise<LoadedConfig> {
  const { file, env, readFile, yieldTurn } = tools;
  const folder = dirname(resolve(file));
  const inSteps = stepsWith(tools);
  const { whole, beside } = await readTables(content, tools);
  const expansion = await inSteps(expandTable(whole.table, { ...beside.env, ...onlySet(env) }));
  const table = withOverrides(expansion.table, { env, beside, folder });
  const reading = await readSections(table, { folder, readFile, yieldTurn });
  const hidden = () => knownSecrets({ ...expansion, table, secrets: reading.secrets });
  const gathered = yieldTurn === undefined ? null : await gatheredSecrets(hidden(), yieldTurn);
  const redact = createRedact(() => gathered ?? hidden());
  const verified = await verifyAll(reading);
  const pageReading = await readPageFiles(reading.draft.page, { folder, readFile });
  const found = [
    ...whole.findings,
    ...beside.findings,
    ...expansion.findings,
    ...reading.findings,
    ...verified,
    ...(verified.length === 0 ? await checkSchedules(reading.draft) : []),
    ...pageReading.findings,
    ...(await checkAuthorities(reading.draft, { folder, readFile })),
  ];
  for (const finding of checkDraft(reading.draft, reading.disabled)) {
    if (finding !== null) found.push(finding);
    else await yieldTurn?.();
  }
  found.push(...execWarnings(reading), ...emptied({ expansion, table, reading, found }));
  const files = [whole.main, ...whole.included];
  const unset = unsetVariables({ table: whole.table, env, beside });
  const findings: NamedFinding[] = [];
  for (const finding of found) {
    // Without the tables of a file, what refers to them would seem to refer to nothing.
    if (whole.isPartial && finding.isMissing === true) continue;
    const ownPath = pathInFile(files, finding.path);
    findings.push({
      ...finding,
      ownPath,
      subject: redact(subjectOf(finding.path, table, ownPath)),
      message: redact(finding.message),
      hint:
        overriding(finding, { env, beside }) ??
        unset(finding) ??
        (finding.hint === null ? null : redact(finding.hint)),
    });
    await yieldTurn?.();
  }
  const locate = locator(whole.main, whole.included);
  const included = whole.included.map((one) => one.file);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0 || whole.problems.length > 0) {
    const problems: LoadProblem[] = [...whole.problems];
    // A variable that a file beside does not give may be what makes them.
    for (const finding of [...findings.filter(({ beside }) => beside !== undefined), ...errors]) {
      const place = await placeOfFinding(finding, locate);
      const problem =
        finding.earlier === undefined
          ? problemOf(finding, place)
          : collisionOf(finding, place, await locate(finding.earlier));
      problems.push(problem);
    }
    throw new ConfigError(problems, whole.paths);
  }
  const config = await inSteps(frozen(complete(reading, folder)));
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return {
    config,
    warnings,
    file: resolve(file),
    included,
    locate,
    redact,
    pageFiles: pageReading.files,
  };
}

type TextTools = LoadTools & { readonly file: string };

/** The tables of all files before variables are put in, and the variables beside the main file. */
export async function readTables(
  content: string,
  tools: TextTools,
): Promise<{ readonly whole: WholeConfig; readonly beside: EnvFiles }> {
  const { file, env, readFile, listMatches = listMatchesOnDisk, yieldTurn } = tools;
  const text = content.replace(/^\ufeff/, '');
  const inSteps = stepsWith(tools);
  const parsed = await inSteps(parseParts(text));
  if ('fault' in parsed) throw new ConfigError([textProblem(mainName(file), parsed.fault)]);
  const folder = dirname(resolve(file));
  const isAsking = text.includes('${');
  const besideMain = await readEnvFiles({ folder, readFile }, isAsking);
  const whole = await readIncluded(
    { ...mainName(file), ...parsed, text },
    { env: { ...besideMain.env, ...onlySet(env) }, readFile, listMatches, yieldTurn, inSteps },
  );
  const isAskedLater = whole.hasVariables && !isAsking;
  return { whole, beside: isAskedLater ? await readEnvFiles({ folder, readFile }, true) : besideMain };
}

function stepsWith({ yieldTurn }: LoadTools) {
  return <Made>(steps: Steps<Made>): Made | Promise<Made> =>
    yieldTurn === undefined ? atOnce(steps) : withPauses(steps, yieldTurn);
}

/** A variable that is set to nothing hides none of a file. */
function onlySet(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

async function verifyAll({ pending }: SectionsReading): Promise<readonly ConfigFinding[]> {
  const faults = await Promise.all(pending.map(async ({ path, verify }) => [path, await verify()] as const));
  return faults.flatMap(([path, fault]) => (fault === null ? [] : [faulty(path, fault)]));
}

/** A draft without errors has every value, so it is a configuration. */
function complete({ draft, disabled }: SectionsReading, folder: string): Config {
  const { channels, monitors, outputs, probes, server, ...rest } = draft as Config;
  const { exec_dir: execDir } = probes;
  return {
    ...rest,
    // Every process opens the same database, from whichever folder.
    server: { ...server, database_path: resolve(folder, server.database_path) },
    probes: { ...probes, exec_dir: execDir === null ? null : resolve(folder, execDir) },
    channels: channels
      .filter((_, index) => !disabled.has(index))
      .map((channel) => withPaths(channel, folder)),
    disabled_channels: [...disabled.values()],
    outputs: outputs.map((output) => withPaths(output, folder)),
    monitors: monitors.map((monitor) => withPaths(monitor, folder)),
  };
}

/** With the paths it names starting from the folder of the file. */
function withPaths<Table extends Monitor | Channel | OutputSettings>(table: Table, folder: string): Table {
  const keys = ['tls_ca_file', 'ca_file'] as const;
  const paths = keys.flatMap((key) => {
    const path = (table as { readonly [Key in typeof key]?: string | null })[key] ?? null;
    return path === null ? [] : [[key, resolve(folder, path)] as const];
  });
  return paths.length === 0 ? table : { ...table, ...Object.fromEntries(paths) };
}

/** Something to run without a folder to run it from. */
function execWarnings({
  draft: { probes, monitors, channels },
  disabled,
}: SectionsReading): readonly ConfigFinding[] {
  // A wrong one is an error of its own.
  if (probes.exec_dir !== null) return [];
  const paths = [
    ...monitors.flatMap(({ kind }, index) => (kind === 'exec' ? [['monitors', index]] : [])),
    ...channels.flatMap(({ type }, index) =>
      type === 'exec' && !disabled.has(index) ? [['channels', index]] : [],
    ),
  ];
  const cure = 'name the folder of the plugins in exec_dir of [probes], or in STATUSD_EXEC_DIR';
  return paths.map((path) => warning(path, 'cannot run: there is no folder of plugins', cure));
}

/** The configuration frozen, a monitor at a time. */
function* frozen(config: Config): Steps<Config> {
  for (const monitor of config.monitors) {
    deepFreeze(monitor);
    yield;
  }
  return deepFreeze(config);
}

/** Freezes a tree of tables and arrays in place, and answers it. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}

/** They are needed by the first line that is logged, which would gather all of them in one go. */
async function gatheredSecrets(
  secrets: Iterable<string | null>,
  yieldTurn: () => Promise<void>,
): Promise<readonly string[]> {
  const gathered: string[] = [];
  for (const secret of secrets) {
    if (secret === null) await yieldTurn();
    else gathered.push(secret);
  }
  return gathered;
}
