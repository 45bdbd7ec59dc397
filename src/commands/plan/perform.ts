/** Prints what a reload would change. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { SqlReader } from '../../db/store/sql.ts';
import { monitors } from '../../db/tables/monitors.ts';
import { retentionOf } from '../../db/tables/retention/retention.ts';
import type { Config } from '../../engine/config/config.ts';
import { loadConfig, type LoadedConfig } from '../../engine/config/load.ts';
import { ConfigError, mainName } from '../../engine/config/problem.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { readSource } from '../../engine/config/source.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Context } from '../context.ts';
import { holderOf } from '../daemon-of-database.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { type Altered, differenceOf, plain, type SettingChange } from './difference.ts';
import { configFingerprint, type ConfigFingerprint, isHidden } from './fingerprint.ts';
import { type ComparedWith, impactOf, noImpact, type PlanOutcome } from './impact.ts';
import { readRunning } from './record.ts';
import { planText, textsOf } from './render.ts';
import { rfc3339 } from '../../engine/core/instant.ts';

export interface PlanRun extends RunOptions {
  /** The file that would take the place of the configuration; null: the configuration itself. */
  readonly other: string | null;
}

export async function performPlan(run: PlanRun, context: Context): Promise<ExitCode> {
  const outcome =
    run.other === null ? await againstDaemon(run, context) : await againstFile(run.other, run, context);
  if (run.isJson) context.stdout.write(`${toJson(planJson(outcome))}\n`);
  else {
    const output = await openTerminalOutput(context, run.isColourRefused, textsOf(outcome));
    context.stdout.write(planText(outcome, run.isQuiet, output));
  }
  return exitCodes.ok;
}

const { removedDays: keptDays } = retentionOf(0, new Map());

/** The configuration as it is now, against what the database says the daemon runs. */
async function againstDaemon({ configFile }: RunOptions, context: Context): Promise<PlanOutcome> {
  const loaded = await openConfig(configFile, context);
  const { config, redact, file } = loaded;
  const holder = config.storage === null ? await holderOf(config.server.database_path) : null;
  return withStore({ configFile, access: 'read' }, context, ({ store: { sql }, nowAt }) => {
    const running = readRunning(sql);
    const salt = running?.salt ?? '';
    const next = configFingerprint(config, { redact, salt });
    const ground: ComparedWith =
      running === null
        ? { kind: 'monitors' }
        : { kind: 'daemon', sinceAt: running.at, pid: holder?.pid ?? null };
    const before = running === null ? monitorsAlone(sql, next) : withoutOtherNode(running.fingerprint, next);
    const difference = differenceOf(before, next);
    return Promise.resolve({
      file,
      ground,
      difference,
      impact: impactOf(sql, config, nowAt),
      keptDays,
    });
  });
}

/** Where only the ids are known, everything else is taken for the same. */
function monitorsAlone(sql: SqlReader, next: ConfigFingerprint): ConfigFingerprint {
  const ids = monitors.list(sql).flatMap(({ id, removedAt }) => (removedAt === null ? [id] : []));
  return { ...next, monitors: Object.fromEntries(ids.map((id) => [id, next.monitors[id] ?? {}])) };
}

/** Nodes that share a database follow one record, and each has a [node] of its own. */
function withoutOtherNode(before: ConfigFingerprint, next: ConfigFingerprint): ConfigFingerprint {
  const { node, ...others } = before.sections;
  const isShared = Object.keys(next.sections['storage'] ?? {}).length > 0;
  return isShared && node?.['id'] !== next.sections['node']?.['id']
    ? { ...before, sections: others }
    : before;
}

/** Another file in the place of the configuration. */
async function againstFile(
  other: string,
  { configFile }: RunOptions,
  context: Context,
): Promise<PlanOutcome> {
  const present = await openConfig(configFile, context);
  const next = await loadInPlace(resolve(context.cwd, other), present.file, context);
  const salt = randomBytes(16).toString('hex');
  const options = ({ config, redact }: LoadedConfig) => configFingerprint(config, { redact, salt });
  return {
    file: other,
    ground: { kind: 'file', file: present.file },
    difference: differenceOf(options(present), options(next)),
    impact: await impactIfAny(configFile, next.config, context),
    keptDays,
  };
}

/** Relative paths in it start from where it would stand; its problems are reported under its own name. */
async function loadInPlace(
  other: string,
  place: string,
  { env }: Pick<Context, 'env'>,
): Promise<LoadedConfig> {
  const bytes = await readSource(other, { readFile: readSmallFile });
  const readFile = (path: string) => (path === place ? Promise.resolve(bytes) : readSmallFile(path));
  try {
    return await loadConfig(place, { env, readFile });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) =>
      problem.file === place ? { ...problem, ...mainName(other) } : problem,
    );
    throw new ConfigError(problems, [...new Set([other, ...problems.map(({ file }) => file)])]);
  }
}

/** Two files can be compared without a database. */
async function impactIfAny(
  configFile: string | null,
  next: Config,
  context: Context,
): Promise<PlanOutcome['impact']> {
  try {
    return await withStore({ configFile, access: 'read' }, context, ({ store, nowAt }) =>
      Promise.resolve(impactOf(store.sql, next, nowAt)),
    );
  } catch (error) {
    if (!(error instanceof StatusdError) || error.code !== 'store_unusable') throw error;
    return noImpact;
  }
}

/** Says what a reload would change to a program. */
export function planJson({ file, ground, difference, impact, keptDays }: PlanOutcome) {
  const { started, stopped, restarted, unchanged, channels, peers, outputs, settings, waiting } = difference;
  return {
    config: file,
    compared_with: groundJson(ground),
    start: started.map((id) => ({ id, has_history: impact.known.has(id) })),
    stop: stopped.map((id) => ({
      id,
      open_incident: impact.open.get(id) ?? null,
      undelivered: impact.waitingOf.get(id) ?? 0,
      history_kept_days: impact.known.has(id) ? keptDays : 0,
      renamed_to: impact.renamedMonitors.get(id) ?? null,
    })),
    restart: restarted.map(({ id, changes }) => ({ id, changes: changes.map(changeJson) })),
    unchanged,
    channels: {
      add: channels.added.map((name) => ({ name })),
      remove: channels.removed.map((name) => ({
        name,
        undelivered: impact.waitingFor.get(name) ?? 0,
        renamed_to: impact.renamedChannels.get(name) ?? null,
      })),
      change: channels.changed.map(({ id: name, changes }) => ({ name, changes: changes.map(changeJson) })),
    },
    peers: {
      add: peers.added.map((id) => ({ id })),
      remove: peers.removed.map((id) => ({ id })),
      change: peers.changed.map(({ id, changes }: Altered) => ({ id, changes: changes.map(changeJson) })),
    },
    outputs: {
      add: outputs.added.map((name) => ({ name })),
      remove: outputs.removed.map((name) => ({ name })),
      change: outputs.changed.map(({ id: name, changes }) => ({ name, changes: changes.map(changeJson) })),
    },
    settings: settings.map(changeJson),
    needs_restart: waiting.map(changeJson),
  };
}

function groundJson(ground: ComparedWith) {
  switch (ground.kind) {
    case 'file':
      return { kind: ground.kind, file: ground.file };
    case 'daemon':
      return { kind: ground.kind, since: rfc3339(ground.sinceAt), pid: ground.pid };
    case 'monitors':
      return { kind: ground.kind };
  }
}

function changeJson({ key, before, after }: SettingChange) {
  return { key, before: plain(before), after: plain(after), secret: isHidden(before) || isHidden(after) };
}
