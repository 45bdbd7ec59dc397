/** Brings the daily uptime of Uptime Kuma into the configured database. */
import { resolve } from 'node:path';
import { addPastDays, type PastDay } from '../../../db/ops/history.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { cleanLine } from '../../../engine/core/text.ts';
import type { Config } from '../../../engine/config/config.ts';
import { clearLine, progressLine } from '../progress-line.ts';
import type { Context } from '../../context.ts';
import { exitCodes, type ExitCode } from '../../exit.ts';
import { withStore } from '../../open-store.ts';
import type { RunOptions } from '../../run-options.ts';
import { toJson } from '../../terminal/json.ts';
import { kumaIds } from './convert.ts';
import type { KumaMonitor } from './data.ts';
import { pastDays } from './history.ts';
import { warnOfLog } from './perform.ts';
import { withKuma } from './source.ts';

export interface HistoryRun extends RunOptions {
  readonly file: string;
}

/** The past of one monitor that the configuration has. */
interface Past {
  readonly id: string;
  readonly name: string;
  readonly days: readonly PastDay[];
}

interface Found {
  readonly pasts: readonly Past[];
  /** Monitors of Kuma that have a past and no place to put it. */
  readonly unknown: readonly string[];
}

/** Answers 1 when no monitor of the file is in the configuration. */
export async function performKumaHistory(run: HistoryRun, context: Context): Promise<ExitCode> {
  await warnOfLog(run.file, context);
  const file = resolve(context.cwd, run.file);
  return withStore(
    { configFile: run.configFile, access: 'make' },
    context,
    async ({ config, store, nowAt }) => {
      const { pasts, unknown } = await withKuma(file, ({ data, sql }) => {
        if (sql === null) throw noHistory(run.file);
        return findPasts(data.monitors, config, (monitorId, intervalSecs) =>
          pastDays(sql, { monitorId, intervalSecs, nowAt }),
        );
      });
      const monitors = [];
      for (const [index, { id, name, days }] of pasts.entries()) {
        context.interrupt.throwIfAborted();
        progressLine(context.stderr, { done: index, total: pasts.length, name });
        const [answer] = await store.write([addPastDays({ monitor: id, name, at: nowAt, days })]);
        monitors.push({ id, days: addPastDays.answer(answer), found: days.length });
      }
      clearLine(context.stderr);
      const kept = monitors.reduce((sum, { days }) => sum + days, 0);
      if (run.isJson) context.stdout.write(`${toJson({ days: kept, monitors, unknown })}\n`);
      else context.stdout.write(historyText({ kept, monitors, unknown }, run.isQuiet));
      return pasts.length === 0 ? exitCodes.wrong : exitCodes.ok;
    },
  );
}

/** The monitor of the configuration with the id that the import gives, else with a name that nobody else has. */
function findPasts(
  monitors: readonly KumaMonitor[],
  config: Config,
  read: (monitorId: number, intervalSecs: number) => readonly PastDay[],
): Found {
  const ids = kumaIds(monitors);
  const watched = monitors.filter(({ type }) => type !== 'group');
  const taken = new Set(ids.values());
  const pasts: Past[] = [];
  const unknown: string[] = [];
  for (const monitor of watched) {
    const named = config.monitors.filter(({ id, name }) => name === monitor.name && !taken.has(id));
    const isAlone = named.length === 1 && watched.filter(({ name }) => name === monitor.name).length === 1;
    const byId = config.monitors.find(({ id }) => id === ids.get(monitor.id));
    const target = byId ?? (isAlone ? named[0] : undefined);
    const days = read(monitor.id, monitor.intervalSecs);
    if (target !== undefined) pasts.push({ id: target.id, name: target.name, days });
    else if (days.length > 0) unknown.push(monitor.name);
  }
  return { pasts, unknown };
}

function noHistory(file: string): StatusdError {
  return new StatusdError('usage', `${file} is a backup, which has no history`, {
    hint: 'Name the kuma.db.',
  });
}

function historyText(
  told: {
    readonly kept: number;
    readonly monitors: readonly { readonly days: number; readonly found: number }[];
    readonly unknown: readonly string[];
  },
  isQuiet: boolean,
): string {
  const { kept, monitors, unknown } = told;
  const found = monitors.reduce((sum, one) => sum + one.found, 0);
  const skipped = found - kept;
  const lines = [
    `Brought in ${count(kept, 'day')} of uptime of ${count(monitors.filter(({ days }) => days > 0).length, 'monitor')}.`,
    ...(skipped > 0 ? [`${count(skipped, 'day')} ${skipped === 1 ? 'was' : 'were'} on record already.`] : []),
  ];
  const missing =
    unknown.length === 0 ? [] : [`Not in the configuration: ${unknown.map(cleanLine).join(', ')}.`];
  const shown = isQuiet ? missing : [...lines, ...missing];
  return shown.map((line) => `${line}\n`).join('');
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
