/** Lists the silences that last. */
import { type SilenceRow, silences } from '../../db/tables/silences.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { durationText } from '../../engine/core/duration.ts';
import { minuteText, rfc3339 } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { tableLines } from '../../engine/views/text/table.ts';

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

interface Listing {
  readonly nowAt: number;
  readonly isQuiet: boolean;
}

function silencesText(
  rows: readonly SilenceRow[],
  { nowAt, isQuiet }: Listing,
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
    { heading: 'LEFT' },
    { heading: 'REASON', least: 12 },
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
  return monitors === null ? 'all' : cleanLine(monitors.join(', '));
}
