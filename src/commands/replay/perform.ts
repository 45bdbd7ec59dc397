/** Replays the stored history under two configurations and prints the difference. */
import { basename, resolve } from 'node:path';
import { loadConfig } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { type AlertDifference, compareAlerts } from '../../engine/alerting/replay/compare.ts';
import type { Context } from '../context.ts';
import { durationArgument } from '../../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { countOn, openProgressLine } from '../terminal/progress.ts';
import { renamedIn, underFormerIds } from './renamed.ts';
import { judgedUnder, notReplayed, replaySides } from './sides.ts';
import { type Comparison, comparisonText, countOf } from './render.ts';
import { wholeSecs } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { JudgedEpisode } from '../../engine/alerting/replay/judge-episodes.ts';

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
    const { config: other } = await loadConfig(file, { env: context.env, readFile: readSmallFile });
    const renames = renamedIn(now, other);
    const then = underFormerIds(other, renames);
    const span = { fromAt: nowAt - sinceMs, toAt: nowAt };
    const progress = openProgressLine({ ...context, isQuiet: run.isQuiet });
    const replayed = await replaySides([now, then], store, {
      span,
      interrupt: context.interrupt,
      onMonitor: countOn(progress, 'replaying', now.monitors.length),
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
      renames,
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

/** Renders a comparison as JSON. */
function comparisonJson(comparison: Comparison) {
  const { fromAt, toAt, files, samples, monitors, renames, onlyNow, onlyThen, notReplayed } = comparison;
  const all = monitors.flatMap(({ alerts }) => alerts);
  return {
    from: rfc3339(fromAt),
    to: rfc3339(toAt),
    now: files.now,
    then: files.then,
    samples,
    ...totalsOf(all),
    monitors: monitors.map(({ id, alerts }) => ({
      id,
      ...totalsOf(alerts),
      alerts: alerts.map(differenceJson),
    })),
    monitors_renamed: renames,
    monitors_only_now: onlyNow,
    monitors_only_then: onlyThen,
    not_replayed: notReplayed.map(({ id, keys }) => ({ id, settings: keys })),
  };
}

function totalsOf(alerts: readonly AlertDifference[]) {
  return {
    told_by_both: countOf(alerts, 'both'),
    told_only_now: countOf(alerts, 'now'),
    told_only_then: countOf(alerts, 'then'),
  };
}

function differenceJson({ notified, now, then }: AlertDifference) {
  const about = notified === 'then' ? then : now;
  return { told: notified, event: about?.event ?? null, now: sideJson(now), then: sideJson(then) };
}

/** Null: it would not have been confirmed. */
function sideJson(side: JudgedEpisode | null) {
  if (side === null) return null;
  const { startedAt, confirmedAt, endedAt, fate, calls, reminders } = side;
  return {
    start: rfc3339(startedAt),
    confirmed: rfc3339(confirmedAt),
    end: endedAt === null ? null : rfc3339(endedAt),
    length_secs: endedAt === null ? null : wholeSecs(endedAt - startedAt),
    fate: fate.kind,
    told_at: fate.kind === 'told' ? rfc3339(fate.at) : null,
    delay_secs: fate.kind === 'told' ? wholeSecs(fate.at - startedAt) : null,
    muted_by: fate.kind === 'muted' ? fate.by : null,
    folded_into: fate.kind === 'folded' ? fate.into : null,
    messages: calls.map(({ channel, at, heldMs, step }) => ({
      channel,
      at: rfc3339(at),
      held_secs: wholeSecs(heldMs),
      step,
    })),
    reminders,
  };
}
