/** Replays what is stored and prints what is recommended. */
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { knownMonitor } from '../incidents/known.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { isTerminal, openTerminalOutput } from '../terminal/output.ts';
import { tuningJson } from './json.ts';
import { patchOf } from './patch.ts';
import { showReplaying } from './progress.ts';
import { changesOf, detailText, type Findings, summaryText } from './render.ts';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { readHistory } from '../../db/read/history.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { graphOf } from '../../engine/core/graph.ts';
import { leaveOut, type TimeSpan } from '../../engine/core/sample-history.ts';
import { holdSecsOf, policyOf } from '../../engine/monitoring/check-policy.ts';
import { spansLeftOut } from '../../engine/views/tune/left-out.ts';
import { tuneMonitor } from '../../engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';

export interface TuneRun extends RunOptions {
  /** Null: all. */
  readonly monitor: string | null;
  readonly days: string;
  readonly isPatchWanted: boolean;
}

const maxDays = 3650;
const dayMs = 86_400_000;

export function performTune(run: TuneRun, context: Context): Promise<ExitCode> {
  const days = daysOf(run.days);
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { nowAt, config } = openedStore;
    const span = { fromAt: nowAt - days * dayMs, toAt: nowAt };
    const wanted = run.monitor === null ? config.monitors : [configured(run.monitor, openedStore)];
    const progress = showReplaying(wanted.length, { ...context, isQuiet: run.isQuiet });
    const tunings = await gatherTunings(wanted, openedStore, {
      span,
      interrupt: context.interrupt,
      onMonitor: progress.next,
    }).finally(progress.end);
    const findings: Findings = { ...span, days, tunings };
    const patch = run.isPatchWanted ? await patchOf(findings, run.configFile, context) : null;
    for (const what of patch?.unplaced ?? []) context.stderr.write(`statusd: warning: ${cleanLine(what)}\n`);
    if (run.isJson) {
      context.stdout.write(`${toJson({ ...tuningJson(findings), patch: patch?.text ?? null })}\n`);
    } else if (patch !== null) {
      context.stdout.write(isTerminal(context.stdout) ? shown(patch.text) : patch.text);
    } else {
      const texts = tunings.flatMap(({ id, notes }) => [id, ...notes]);
      const output = await openTerminalOutput(context, run.isColourRefused, texts);
      const [only] = tunings;
      context.stdout.write(
        run.monitor !== null && only !== undefined
          ? detailText(only, findings, output)
          : summaryText(findings, { isQuiet: run.isQuiet }, output),
      );
    }
    if (patch?.text === '' && changesOf(tunings).length === 0 && !run.isQuiet) {
      context.stderr.write('statusd: nothing is to be changed\n');
    }
    return exitCodes.ok;
  });
}

function configured(id: string, openedStore: OpenedStore): OpenedStore['config']['monitors'][number] {
  const { configured: monitor } = knownMonitor(id, openedStore);
  if (monitor !== null) return monitor;
  throw new StatusdError('not_found', `the configuration has no monitor ${quoted(id)} any more`, {
    hint: 'Only what is configured can be tuned.',
  });
}

function daysOf(typed: string): number {
  const days = /^[0-9]{1,4}$/.test(typed) ? Number(typed) : 0;
  if (days >= 1 && days <= maxDays) return days;
  throw new StatusdError('usage', `the days ${quoted(typed)} are no number from 1 to ${maxDays}`);
}

/** A patch holds lines of the configuration byte by byte, which is for files and pipes. */
function shown(patch: string): string {
  return patch.split('\n').map(cleanLine).join('\n');
}

/** Reads the history of each monitor and has it tuned, one after the other. */
interface TuneGatherOptions {
  readonly span: TimeSpan;
  readonly interrupt: AbortSignal;
  readonly onMonitor: () => void;
}

/** Rejects with the reason of the interrupt. */
async function gatherTunings(
  wanted: readonly Monitor[],
  { config, store }: Pick<OpenedStore, 'config' | 'store'>,
  { span, interrupt, onMonitor }: TuneGatherOptions,
): Promise<MonitorTuning[]> {
  const { alerts, maintenance } = config;
  const quiet = {
    maintenance,
    silences: silences.active(store.sql, span.fromAt),
    graph: graphOf(config.monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on }))),
  };
  const tunings: MonitorTuning[] = [];
  for (const monitor of wanted) {
    const isPush = monitor.kind === 'push';
    const { history, leftOut } = leaveOut(
      readHistory(store.sql, monitor.id, { ...span, isPush }),
      spansLeftOut(monitor.id, quiet),
    );
    tunings.push(
      tuneMonitor({
        monitor,
        policy: policyOf(monitor),
        holdMs: holdSecsOf(monitor) * 1000,
        windowMs: alerts.group_window_secs * 1000,
        isDegradedNotified: alerts.alert_on_degraded,
        history,
        leftOut,
        askedMs: span.toAt - span.fromAt,
      }),
    );
    onMonitor();
    await yieldTurn();
    interrupt.throwIfAborted();
  }
  return tunings;
}
