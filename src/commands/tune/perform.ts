/** Replays the stored history and prints recommendations. */
import { yieldToEventLoop } from '../../engine/core/yielding.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { knownMonitor } from '../incidents/known.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { isTerminal, openTerminalOutput } from '../terminal/output.ts';
import { countOn, openProgressLine } from '../terminal/progress.ts';
import { tuningJson } from './json.ts';
import { changesOf, detailText, type Findings, summaryText, type TuneChange } from './render.ts';
import { readHistory } from '../../db/read/history.ts';
import { readOldHours } from '../../db/store/history.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { graphOfMonitors } from '../../engine/core/graph.ts';
import { leaveOut, type TimeSpan } from '../../engine/core/sample-history.ts';
import { holdSecsOf, policyOf } from '../../engine/monitoring/check-policy.ts';
import { spansLeftOut } from '../../engine/views/tune/left-out.ts';
import { tuneMonitor } from '../../engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import { relative } from 'node:path';
import { maxConfigBytes, readSmallFile } from '../../engine/config/read-file.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Path } from '../../engine/config/types/value.ts';
import { openConfig } from '../open-config.ts';
import { type FileEdit, unifiedDiff } from './diff.ts';

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
    const progress = openProgressLine({ ...context, isQuiet: run.isQuiet });
    const tunings = await gatherTunings(wanted, openedStore, {
      span,
      interrupt: context.interrupt,
      onMonitor: countOn(progress, 'replaying', wanted.length),
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
    hint: 'Only configured monitors can be tuned.',
  });
}

function daysOf(typed: string): number {
  const days = /^[0-9]{1,4}$/.test(typed) ? Number(typed) : 0;
  if (days >= 1 && days <= maxDays) return days;
  throw new StatusdError('usage', `the days ${quoted(typed)} are not a number from 1 to ${maxDays}`);
}

/** A patch holds lines of the configuration byte by byte, which is for files and pipes. */
function shown(patch: string): string {
  return patch.split('\n').map(cleanLine).join('\n');
}

interface TuneGatherOptions {
  readonly span: TimeSpan;
  readonly interrupt: AbortSignal;
  readonly onMonitor: () => void;
}

/**
 * Reads the history of each monitor and has it tuned, one after the other. Rejects with the reason of the interrupt.
 */
async function gatherTunings(
  wanted: readonly Monitor[],
  { config, store }: Pick<OpenedStore, 'config' | 'store'>,
  { span, interrupt, onMonitor }: TuneGatherOptions,
): Promise<MonitorTuning[]> {
  const { alerts } = config;
  const quiet = {
    maintenance: plannedMaintenance(store.sql, config, span.toAt),
    silences: silences.active(store.sql, span.fromAt),
    graph: graphOfMonitors(config.monitors),
  };
  const tunings: MonitorTuning[] = [];
  for (const monitor of wanted) {
    const isPush = monitor.kind === 'push';
    const older = await readOldHours(store, monitor.id, span);
    const { history, leftOut } = leaveOut(
      readHistory(store.sql, monitor.id, { ...span, isPush, older }),
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
    await yieldToEventLoop();
    interrupt.throwIfAborted();
  }
  return tunings;
}

interface Patch {
  /** Empty when there is nothing to change. */
  readonly text: string;
  /** What has to be put into the file by hand, a sentence each. */
  readonly unplaced: readonly string[];
}

interface PatchedFile {
  /** Split at line breaks. */
  readonly lines: readonly string[];
  readonly edits: FileEdit[];
}

/** Writes recommendations as a patch of the configuration, file by file. Throws what openConfig throws. */
async function patchOf({ tunings }: Findings, configFile: string | null, place: Context): Promise<Patch> {
  const loaded = await openConfig(configFile, place);
  // A patch is pasted into tickets, so the lines around a change must not hold a secret.
  const isReporting = (lines: readonly string[], { line, removed }: FileEdit, around: number): boolean =>
    lines
      .slice(Math.max(0, line - around), line + removed + around)
      .some((each) => loaded.redact(each) !== each);
  const files = new Map<string, PatchedFile>();
  const unplaced: string[] = [];
  for (const change of changesOf(tunings)) {
    const monitor = ['monitors', loaded.config.monitors.findIndex(({ id }) => id === change.id)];
    const { file } = await loaded.locate(monitor);
    const patched = files.get(file) ?? { lines: await linesOf(file), edits: [] };
    files.set(file, patched);
    const edit = await editOf(change, patched.lines, { ...loaded, monitor });
    if (edit === null || isReporting(patched.lines, edit, 1)) {
      unplaced.push(`${change.id}: set ${assignmentOf(change)} by hand, where it is configured`);
    } else patched.edits.push(edit);
  }
  const texts = [...files].map(([file, { lines, edits }]) => {
    const context = [3, 2].find((count) => !edits.some((edit) => isReporting(lines, edit, count))) ?? 1;
    const name = relative(place.cwd, file);
    return unifiedDiff(name.startsWith('..') ? file : name, lines, { edits, context });
  });
  return { text: texts.join(''), unplaced };
}

async function linesOf(file: string): Promise<readonly string[]> {
  return Buffer.from(await readSmallFile(file, maxConfigBytes))
    .toString()
    .split('\n');
}

/** Null when the monitor is not written with a key a line, in an inline table say. */
async function editOf(
  change: TuneChange,
  lines: readonly string[],
  { monitor, locate }: Pick<LoadedConfig, 'locate'> & { readonly monitor: Path },
): Promise<FileEdit | null> {
  const own = (await locate([...monitor, change.key], 'key')).line - 1;
  const found = assignment(change.key).exec(lines[own] ?? '');
  if (found !== null) {
    const [, head = '', tail = ''] = found;
    return { line: own, removed: 1, added: [`${head}${change.then}${tail}`] };
  }
  const line = (await locate([...monitor, 'id'], 'key')).line - 1;
  const id = assignment('id').exec(lines[line] ?? '');
  if (id === null) return null;
  const indent = /^[ \t]*/.exec(lines[line] ?? '')?.[0] ?? '';
  const end = lines[line]?.endsWith('\r') === true ? '\r' : '';
  return { line: line + 1, removed: 0, added: [`${indent}${assignmentOf(change)}${end}`] };
}

/** A line of nothing but `key = value`: what stands before the value, and what after it. */
function assignment(key: string): RegExp {
  return new RegExp(
    `^([ \\t]*["']?${key}["']?[ \\t]*=[ \\t]*)(?:[^#"'\\s]+|"[^"]*"|'[^']*')([ \\t]*(?:#.*)?\\r?)$`,
  );
}

function assignmentOf({ key, then }: TuneChange): string {
  return `${key} = ${then}`;
}
