/** Imports the history of Uptime Kuma into the configured database: daily uptime, and outages. */
import { resolve } from 'node:path';
import { retentionOf } from '../../../db/tables/retention/retention.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import type { Config } from '../../../engine/config/config.ts';
import { yieldToEventLoop } from '../../../engine/core/yielding.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { withPrepared } from '../../open-store.ts';
import { type FoundHistory, type HistoryRun, keepHistory, type OwnPast, type Past } from '../history/keep.ts';
import { showProgress } from '../history/progress.ts';
import { kumaIds } from './convert.ts';
import type { KumaMonitor } from './data.ts';
import { pastDays } from './days.ts';
import { type BeatHistory, scanHeartbeats } from './heartbeats.ts';
import { pastOutages } from './outages.ts';
import { warnOfLog } from '../warn-of-log.ts';
import { stopKuma, withKuma } from './source.ts';

const dayMs = 86_400_000;

/** Answers 1 when no monitor of the file is in the configuration. */
export async function performKumaHistory(run: HistoryRun, context: Context): Promise<ExitCode> {
  await warnOfLog(run.file, stopKuma, context);
  const file = resolve(context.cwd, run.file);
  return withPrepared({ configFile: run.configFile, access: 'make' }, context, {
    prepare: ({ config, nowAt }) => {
      const sinceAt = nowAt - retentionOf(0, new Map()).incidentDays * dayMs;
      return withKuma(file, async ({ data, sql }) => {
        if (sql === null) throw noHistory(run.file);
        const beats = await readBeats(sql, context);
        return findPasts(data.monitors, config, ({ id: monitorId, intervalSecs }) => {
          const { days, changes = [] } = beats.get(monitorId) ?? {};
          return {
            days: pastDays(sql, { monitorId, intervalSecs, nowAt, beats: days }),
            outages: pastOutages(sql, changes, { sinceAt }),
          };
        });
      });
    },
    work: (openedStore, found) => keepHistory({ program: 'kuma', ...found }, openedStore, { run, context }),
  });
}

async function readBeats(sql: SqlReader, context: Context): Promise<ReadonlyMap<number, BeatHistory>> {
  const progress = await showProgress(context);
  try {
    return await scanHeartbeats(sql, {
      onProgress: (part) => {
        context.interrupt.throwIfAborted();
        progress.show(`Reading heartbeats: ${Math.floor(part * 100)} %`);
      },
      yieldTurn: yieldToEventLoop,
    });
  } finally {
    progress.end();
  }
}

/** The monitor of the configuration with the id that the import gives, else with a name that nobody else has. */
function findPasts(
  monitors: readonly KumaMonitor[],
  config: Config,
  read: (monitor: KumaMonitor) => Past,
): Pick<FoundHistory, 'pasts' | 'unknown'> {
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
