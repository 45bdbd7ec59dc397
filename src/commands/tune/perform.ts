/** Replays what is stored and prints what is recommended. */
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { quoted } from '../duration-argument.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { knownMonitor } from '../incidents/known.ts';
import { withStore, type OpenedStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { isTerminal, openTerminalOutput } from '../terminal/output.ts';
import { gatherTunings } from './gather.ts';
import { tuningJson } from './json.ts';
import { patchOf } from './patch.ts';
import { showReplaying } from './progress.ts';
import { changesOf, detailText, summaryText, type Findings } from './render.ts';

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
