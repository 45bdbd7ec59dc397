/**
 * Runs `add`: refuses targets that are monitored already, probes the others, appends monitors, prints the next steps.
 */
import { randomBytes } from 'node:crypto';
import type { Monitor } from '../../engine/config/config.ts';
import { type LoadedConfig, parseConfig } from '../../engine/config/load.ts';
import { ConfigError } from '../../engine/config/problem.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { type TargetKind, targetKinds } from '../../engine/core/probe.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import type { Context } from '../context.ts';
import { selectMonitors } from '../../engine/operations/select-monitors.ts';
import { type SecretVariable, writeSecrets } from '../document/secrets-file.ts';
import { tomlString } from '../document/toml.ts';
import { contentToChange, writeWhole } from '../document/write-file.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { monitorTables } from '../init/document.ts';
import { outcomeJson } from '../init/outcome.ts';
import { createIds } from '../import/names.ts';
import { propose } from '../init/proposal.ts';
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
  readonly group: string | null;
  readonly dependsOn: readonly string[];
  /** Kind as typed; null means the kind that the target looks like. */
  readonly kind: string | null;
  readonly isDryRun: boolean;
}

/** Tables to append, with the texts that describe them. */
interface Addition {
  readonly tables: readonly (readonly string[])[];
  readonly secrets: readonly SecretVariable[];
  readonly ids: readonly string[];
  /** The answer to `--json`, without `written`. */
  readonly json: object;
  /** Lines for a reader. */
  readonly lines: readonly string[];
}

/**
 * Appends a monitor for each target. What can be refused is refused before anything is asked, and an interrupt writes
 * nothing. Throws `usage`, and what loading a configuration throws.
 */
export async function performAdd(run: AddRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  if (run.targets.length > 1 && (run.name !== null || run.id !== null)) {
    throw new StatusdError('usage', `${run.name === null ? '--id' : '--name'} is for one target`, {
      hint: 'Add the targets one after the other.',
    });
  }
  const kinds = [...targetKinds, 'push'] as const;
  const kind = kinds.find((one) => one === run.kind) ?? null;
  if (run.kind !== null && kind === null) {
    const guess = nearest(run.kind.toLowerCase(), kinds);
    throw new StatusdError('usage', `--kind is one of ${kinds.join(', ')}`, {
      hint:
        guess === null
          ? 'Monitors of other kinds are written by hand: see statusd.toml(5).'
          : `Did you mean ${guess}?`,
    });
  }
  const loaded = await openConfig(run.configFile, context, { mayBeEmpty: true });
  const { monitors } = loaded.config;
  // Unknown ids are named with the nearest known one before anything is probed.
  if (run.dependsOn.length > 0) selectMonitors(monitors, { ids: run.dependsOn, groups: [] });
  const before = await contentToChange(loaded.file);
  await refuseTakenId(run.id, loaded);
  const addition =
    kind === 'push' ? pushAddition(run, loaded) : await probedAddition({ ...run, kind }, loaded, context);
  const text = additionTo(before, addition.tables);
  const after = Buffer.concat([before, Buffer.from(text)]);
  await refuseBroken(after, { loaded, secrets: addition.secrets }, context);
  if (!run.isDryRun) {
    if (!before.equals(await contentToChange(loaded.file))) {
      throw new StatusdError('usage', `${loaded.file} was changed meanwhile, so nothing was added`, {
        hint: 'Run it again.',
      });
    }
    await writeSecrets(addition.secrets, { file: loaded.file, isForced: true });
    await writeWhole(loaded.file, after, true);
  }
  if (run.isJson) stdout.write(`${toJson({ ...addition.json, written: !run.isDryRun })}\n`);
  else if (run.isDryRun) stdout.write(text.replaceAll('\r\n', '\n').replace(/^\n+/, ''));
  else if (!run.isQuiet) stdout.write(`${closingLines(run, loaded.file, addition).join('\n')}\n`);
  return exitCodes.ok;
}

/** The settings that the command line names, as lines of TOML. */
function namedSettings({ group, dependsOn }: AddRun): string[] {
  return [
    ...(group === null ? [] : [`group = ${tomlString(group)}`]),
    ...(dependsOn.length === 0 ? [] : [`depends_on = [${dependsOn.map(tomlString).join(', ')}]`]),
  ];
}

async function probedAddition(
  run: AddRun & { readonly kind: TargetKind | null },
  loaded: LoadedConfig,
  context: Context,
): Promise<Addition> {
  const { interrupt, clock } = context;
  const wanted = [...new Set(run.targets)].map((target) => wantedFrom(withScheme(target, run.kind)));
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
  return {
    tables: monitorTables(proposals, { isExplained: false, added: namedSettings(run) }),
    secrets: [],
    ids: proposals.map(({ id }) => id),
    json: outcomeJson(loaded.file, proposals, clock.now()),
    lines: proposals.map(({ id, kind, shown: target }) => `  ${id}  ${kind}  ${cleanLine(target)}`),
  };
}

/** A target of the kind that is asked for; one that names its scheme stays as typed. */
function withScheme(target: string, kind: TargetKind | null): string {
  return kind === null || kind === 'http' || target.includes('://') ? target : `${kind}://${target}`;
}

/** Monitors that wait for heartbeats, each with a token that is made up here. */
function pushAddition(run: AddRun, { config, file }: LoadedConfig): Addition {
  const nextId = createIds(config.monitors.map(({ id }) => id));
  const added = run.targets.map((typed) => {
    const name = run.name ?? cleanLine(typed).trim();
    const id = run.id ?? nextId(typed, 'push');
    const variable = `STATUSD_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_PUSH_TOKEN`;
    return { id, name, variable, token: randomBytes(24).toString('base64url') };
  });
  const address =
    config.server.base_url ?? `http://${config.server.bind.replace(/^(0\.0\.0\.0|\[::\])/, '127.0.0.1')}`;
  return {
    tables: added.map(({ id, name, variable }) => [
      '[[monitors]]',
      `id = ${tomlString(id)}`,
      `name = ${tomlString(name)}`,
      'kind = "push"',
      `push_token = "\${${variable}}"`,
      ...namedSettings(run),
    ]),
    secrets: added.map(({ variable, token }) => ({ name: variable, value: token })),
    ids: added.map(({ id }) => id),
    json: {
      file,
      monitors: added.map(({ id, name, variable }) => ({ id, name, kind: 'push', token_variable: variable })),
    },
    lines: added.flatMap(({ id, name, token }) => [
      `  ${id}  push  ${cleanLine(name)}`,
      `    curl -fsS -X POST -H 'X-Push-Token: ${token}' ${address}/api/push/${id}`,
    ]),
  };
}

/** What comes behind `before`, with its kind of line breaks: an empty line, then the tables. */
function additionTo(before: Buffer, written: readonly (readonly string[])[]): string {
  const text = before.toString('utf8');
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  const gap =
    text === '' || /(^|\n)\r?\n$/.test(text) ? '' : /\n$/.test(text) ? lineBreak : lineBreak.repeat(2);
  const tables = written.map((lines) => lines.join('\n'));
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
async function refuseBroken(
  bytes: Buffer,
  { loaded, secrets }: { readonly loaded: LoadedConfig; readonly secrets: readonly SecretVariable[] },
  { env }: Context,
): Promise<void> {
  const known = Object.fromEntries(secrets.map(({ name, value }) => [name, value ?? '']));
  try {
    await parseConfig(bytes.toString('utf8'), {
      file: loaded.file,
      env: { ...env, ...known },
      readFile: readSmallFile,
    });
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

function closingLines({ configFile, kind }: AddRun, file: string, { ids, lines }: Addition): string[] {
  const option = configFile === null ? '' : ` -c ${shellWord(configFile)}`;
  const reload = 'A running daemon reads the file again by itself, within seconds.';
  return [
    `Added ${counted(ids.length, 'monitor')} to ${cleanLine(file)}:`,
    ...lines,
    ...(kind === 'push'
      ? [`${reload} The first heartbeat is due an interval from then.`]
      : [`${reload} To probe them now:`, `  statusd check${option} ${ids.join(' ')}`]),
  ];
}
