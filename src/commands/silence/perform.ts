/** Sets, lists and ends silences. */
import { randomBytes } from 'node:crypto';
import { type SilenceRow, silences } from '../../db/tables/silences.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { durationText, parseDuration } from '../../engine/core/duration.ts';
import { dependents, graphOfMonitors } from '../../engine/core/graph.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { checkSilence, createSilence, type SilenceRequest } from '../../engine/operations/silence.ts';
import { clearNumbered, type ClearRun } from '../clear-numbered.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { ListingOptions, RunOptions } from '../run-options.ts';
import { refuseSlip, refuseSlipOfClear } from '../subcommand-slip.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { rfc3339, instantText, minuteText } from '../../engine/core/instant.ts';
import { inWords } from '../../engine/core/words.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import { selectablePeer } from '../../engine/operations/select-monitors.ts';

export interface SilenceRun extends RunOptions, SilenceRequest {
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

/** What the words after `silence` ask for: ids up to the first that is a duration, then the reason. Throws `usage`. */
export function typedSilence(typed: readonly string[]): SilenceRequest {
  const [first = ''] = typed;
  refuseSlipOfClear('silence', typed);
  const found = typed.findIndex((word) => parseDuration(word).kind === 'duration');
  if (found === -1 && typed.length === 1) {
    refuseSlip('silence', typed);
    throw new StatusdError('usage', 'silence needs a duration', {
      hint: `For example \`statusd silence ${cleanLine(first)} 30m\`. See \`statusd silence --help\`.`,
    });
  }
  // Without any, the second word was meant to be one.
  const at = found === -1 ? 1 : found;
  return {
    monitors: typed.slice(0, at),
    duration: typed[at] ?? '',
    reason: typed.slice(at + 1).join(' '),
  };
}

export async function performSilence(run: SilenceRun, context: Context): Promise<ExitCode> {
  // What is wrong with the command line is reported before anything is opened.
  const checked = checkSilence(run);
  const way = { configFile: run.configFile, access: 'make', reach: run } as const;
  return withStore(way, context, async ({ config, redact, store, nowAt }) => {
    const known = [...config.monitors, ...config.peers.map(selectablePeer)];
    const identity = silences.identity(store.sql, randomBytes(8).toString('hex'));
    const stored = await createSilence(checked, { known, nowAt, redact, write: store.write, identity });
    const { id, monitors, untilAt, reason } = stored;
    if (run.isJson) {
      const json = { ids: [id], monitors: monitors ?? ['*'], until: rfc3339(untilAt), reason };
      context.stdout.write(`${toJson(json)}\n`);
    } else if (!run.isQuiet) {
      const until = `until ${instantText(untilAt)} (${durationText(untilAt - nowAt)})`;
      const why = reason === null ? '' : `: ${cleanLine(reason)}`;
      const also = alsoCovered(monitors, config.monitors);
      context.stdout.write(
        `Silence ${id}: no alerts of ${mutedWords(monitors)} ${until}${why}\n` +
          (also.length === 0 ? '' : `  It covers what depends on them too: ${inWords(also, 6)}.\n`) +
          `  Checks go on and are recorded. \`statusd silence clear ${id}\` ends it.\n`,
      );
    }
    return exitCodes.ok;
  });
}

function mutedWords(monitors: readonly string[] | null): string {
  if (monitors === null) return 'any monitor';
  return isCalledAll(monitors) ? 'monitor all' : inWords(monitors, 6);
}

/** One monitor, whose id would be read as everything. */
const isCalledAll = (monitors: readonly string[]): boolean => monitors.length === 1 && monitors[0] === 'all';

function alsoCovered(ids: readonly string[] | null, monitors: readonly Monitor[]): readonly string[] {
  if (ids === null) return [];
  const graph = graphOfMonitors(monitors);
  const covered = new Set(ids.flatMap((id) => dependents(graph, id)));
  return monitors.flatMap(({ id }) => (covered.has(id) && !ids.includes(id) ? [id] : []));
}

export function performSilenceClear(run: ClearRun, context: Context): Promise<ExitCode> {
  return clearNumbered(run, context, {
    noun: ['silence', 'silences'],
    none: 'No silences to end.',
    done: 'Ended',
    verb: 'End',
    isAllWithoutAsking: true,
    list: 'statusd silence list',
    clear: 'statusd silence clear',
    active: (sql, at) => silences.active(sql, at).map(({ id }) => id),
    operations: (id, at, sql) => [silences.sweep({ at }), silences.clear({ id, sql })],
    answer: silences.clear.answer,
  });
}

export function performSilenceList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async ({ store, nowAt }) => {
    const rows = silences.active(store.sql, nowAt);
    if (run.isJson) {
      context.stdout.write(`${toJson(silencesJson(rows))}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(rows));
      context.stdout.write(silencesText(rows, { nowAt, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}

/** Renders silences, for people and for programs. */
function silencesJson(rows: readonly SilenceRow[]) {
  return {
    silences: rows.map(({ id, monitors, untilAt, reason, createdAt }) => ({
      id,
      monitors: monitors ?? ['*'],
      until: rfc3339(untilAt),
      reason,
      created_at: rfc3339(createdAt),
    })),
  };
}

function silencesText(
  rows: readonly SilenceRow[],
  { nowAt, isQuiet }: ListingOptions,
  output: TerminalOutput,
): string {
  if (rows.length === 0) {
    return isQuiet ? '' : 'No silences. `statusd silence <ids|all> <duration>` sets one.\n';
  }
  const { yellow, dim } = output.paint;
  const columns = [
    { heading: 'ID', isNumber: true },
    { heading: 'MONITORS', least: 12 },
    { heading: 'UNTIL (UTC)' },
    { heading: 'LEFT', spare: 1 },
    { heading: 'REASON', least: 12, spare: 2 },
  ];
  const cells = rows.map(({ id, monitors, untilAt, reason }) => [
    { text: String(id) },
    { text: monitorsOf(monitors), paint: yellow },
    { text: minuteText(untilAt) },
    { text: durationText(untilAt - nowAt), paint: dim },
    { text: cleanLine(reason ?? '') },
  ]);
  return `${tableLines({ columns, rows: cells }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

/** Everything the table is measured by. */
function textsOf(rows: readonly SilenceRow[]): string[] {
  return rows.map(({ reason }) => cleanLine(reason ?? ''));
}

function monitorsOf(monitors: readonly string[] | null): string {
  if (monitors === null) return 'all';
  return isCalledAll(monitors) ? 'monitor all' : cleanLine(monitors.join(', '));
}
