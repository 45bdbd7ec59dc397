/** Replays what is stored under two configurations and prints the difference. */
import { basename, resolve } from 'node:path';
import { loadConfig } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { compareAlerts } from '../../engine/alerting/replay/compare.ts';
import type { Context } from '../context.ts';
import { durationArgument } from '../../engine/operations/arguments.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { showReplaying } from '../tune/progress.ts';
import { comparisonJson } from './json.ts';
import { notReplayed } from './not-replayed.ts';
import { comparisonText, type Comparison } from './render.ts';
import { judgedUnder, replaySides } from './sides.ts';

export interface ReplayRun extends RunOptions {
  readonly other: string;
  readonly since: string;
}

const longest = { maxMs: 3650 * 86_400_000, instead: 'Samples are kept for retention_days.' };

export function performReplay(run: ReplayRun, context: Context): Promise<ExitCode> {
  const sinceMs = durationArgument(run.since, longest);
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { config: now, store, nowAt } = openedStore;
    const file = resolve(context.cwd, run.other);
    const { config: then } = await loadConfig(file, { env: context.env, readFile: readSmallFile });
    const span = { fromAt: nowAt - sinceMs, toAt: nowAt };
    const progress = showReplaying(now.monitors.length, { ...context, isQuiet: run.isQuiet });
    const replayed = await replaySides([now, then], store.sql, {
      span,
      interrupt: context.interrupt,
      onMonitor: progress.next,
    }).finally(progress.end);
    const [before, after] = replayed.sides.map((episodeOf, index) =>
      judgedUnder(index === 0 ? now : then, episodeOf, { sql: store.sql, span }),
    );
    const thenIds = new Set(then.monitors.map(({ id }) => id));
    const nowIds = new Set(now.monitors.map(({ id }) => id));
    const both = now.monitors.filter(({ id }) => thenIds.has(id));
    const of = (all: typeof before, id: string) => (all ?? []).filter(({ monitor }) => monitor === id);
    const comparison: Comparison = {
      ...span,
      files: {
        now: basename((await openConfig(run.configFile, context)).file),
        then: basename(file),
      },
      samples: replayed.samples,
      monitors: both.map(({ id }) => ({ id, alerts: compareAlerts(of(before, id), of(after, id)) })),
      onlyNow: now.monitors.filter(({ id }) => !thenIds.has(id)).map(({ id }) => id),
      onlyThen: then.monitors.filter(({ id }) => !nowIds.has(id)).map(({ id }) => id),
      notReplayed: notReplayed(now, then),
    };
    if (run.isJson) {
      context.stdout.write(`${toJson(comparisonJson(comparison))}\n`);
    } else {
      const ids = [...now.monitors, ...then.monitors].map(({ id }) => id);
      const output = await openTerminalOutput(context, run.isColourRefused, [...ids, run.other]);
      context.stdout.write(comparisonText(comparison, { isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}
