/** Brings the past that Uptime Kuma recorded into the configured database: daily uptime, and outages. */
import { resolve } from 'node:path';
import { addPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import { retentionOf } from '../../../db/tables/retention/retention.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import type { Config } from '../../../engine/config/config.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit.ts';
import { type OpenedStore, withStore } from '../../open-store.ts';
import type { RunOptions } from '../../run-options.ts';
import { toJson } from '../../terminal/json.ts';
import { kumaIds } from './convert.ts';
import type { KumaMonitor } from './data.ts';
import { historyJson, historyText, type KeptPast, pastDays } from './history-report.ts';
import { keepOutages, type PastOutages, pastOutages } from './outages.ts';
import { warnOfLog } from './perform.ts';
import { withKuma } from './source.ts';
import { cleanLine } from '../../../engine/core/text.ts';
import { cutCells } from '../../../engine/views/text/cells.ts';
import { isTerminal, openTerminalOutput } from '../../terminal/output.ts';

export interface HistoryRun extends RunOptions {
  readonly file: string;
}

interface Past {
  readonly days: readonly PastDay[];
  readonly outages: PastOutages;
}

/** The past of one monitor that the configuration has. */
interface OwnPast extends Past {
  readonly id: string;
  readonly name: string;
}

interface Found {
  readonly pasts: readonly OwnPast[];
  /** Monitors of Kuma that have a past and no place to put it. */
  readonly unknown: readonly string[];
}

const dayMs = 86_400_000;

/** Answers 1 when no monitor of the file is in the configuration. */
export async function performKumaHistory(run: HistoryRun, context: Context): Promise<ExitCode> {
  await warnOfLog(run.file, context);
  const file = resolve(context.cwd, run.file);
  return withStore({ configFile: run.configFile, access: 'make' }, context, async (openedStore) => {
    const { config, nowAt } = openedStore;
    const sinceAt = nowAt - retentionOf(0, new Map()).incidentDays * dayMs;
    const { pasts, unknown } = await withKuma(file, ({ data, sql }) => {
      if (sql === null) throw noHistory(run.file);
      return findPasts(data.monitors, config, ({ id: monitorId, intervalSecs }) => ({
        days: pastDays(sql, { monitorId, intervalSecs, nowAt }),
        outages: pastOutages(sql, { monitorId, sinceAt }),
      }));
    });
    const progress = await showImport(
      pasts.map(({ name }) => name),
      context,
    );
    const monitors: KeptPast[] = [];
    try {
      for (const past of pasts) {
        context.interrupt.throwIfAborted();
        progress.next(past.name);
        monitors.push(await keep(past, openedStore));
      }
    } finally {
      progress.end();
    }
    const notified = { monitors, unknown };
    if (run.isJson) context.stdout.write(`${toJson(historyJson(notified))}\n`);
    else context.stdout.write(historyText(notified, run.isQuiet));
    return pasts.length === 0 ? exitCodes.wrong : exitCodes.ok;
  });
}

async function keep({ id, name, days, outages: past }: OwnPast, openedStore: OpenedStore): Promise<KeptPast> {
  const { store, nowAt } = openedStore;
  const [answer] = await store.write([addPastDays({ monitor: id, name, at: nowAt, days })]);
  const outages = await keepOutages({ id, name, past }, openedStore);
  return { id, days: addPastDays.answer(answer), found: days.length, outages };
}

/** The monitor of the configuration with the id that the import gives, else with a name that nobody else has. */
function findPasts(
  monitors: readonly KumaMonitor[],
  config: Config,
  read: (monitor: KumaMonitor) => Past,
): Found {
  const ids = kumaIds(monitors);
  const watched = monitors.filter(({ type }) => type !== 'group');
  const taken = new Set(ids.values());
  const pasts: OwnPast[] = [];
  const unknown: string[] = [];
  for (const monitor of watched) {
    const named = config.monitors.filter(({ id, name }) => name === monitor.name && !taken.has(id));
    const isAlone = named.length === 1 && watched.filter(({ name }) => name === monitor.name).length === 1;
    const byId = config.monitors.find(({ id }) => id === ids.get(monitor.id));
    const target = byId ?? (isAlone ? named[0] : undefined);
    const past = read(monitor);
    if (target !== undefined) pasts.push({ id: target.id, name: target.name, ...past });
    else if (past.days.length > 0 || past.outages.outages.length > 0) unknown.push(monitor.name);
  }
  return { pasts, unknown };
}

function noHistory(file: string): StatusdError {
  return new StatusdError('usage', `${file} is a backup, which has no history`, {
    hint: 'Name the kuma.db.',
  });
}

interface ImportProgress {
  /** The next one is under way. */
  readonly next: (name: string) => void;
  /** Takes the line away for good. */
  readonly end: () => void;
}

/**
 * Shows on a terminal how far the import has come. One line that is written over, narrower than the terminal or it
 * would leave lines behind; nothing where nobody looks.
 */
async function showImport(
  names: readonly string[],
  { stderr, env }: Pick<Context, 'stderr' | 'env'>,
): Promise<ImportProgress> {
  if (!isTerminal(stderr)) return { next: () => undefined, end: () => undefined };
  const { cells, columns } = await openTerminalOutput({ stdout: stderr, env }, true, names.map(cleanLine));
  const write = (line: string) => stderr.write(`\r${line}\u001b[K`);
  let done = 0;
  return {
    next: (name) => {
      write(cutCells(`${done}/${names.length} ${cleanLine(name)}`, (columns ?? 80) - 1, cells));
      done += 1;
    },
    end: () => write(''),
  };
}
