/** Reads the incidents that were asked for and prints them. */
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { lengthSecs, wholeIncident } from '../../engine/views/incident.ts';
import type { Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { knownMonitor } from './known.ts';
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { cutCells } from '../../engine/views/text/cells.ts';
import { tableLines, type Cell } from '../../engine/views/text/table.ts';

export interface IncidentsRun extends RunOptions {
  readonly limit: string;
  /** Null: of all. */
  readonly monitor: string | null;
  readonly isOpen: boolean;
}

const maxLimit = 1000;

export function performIncidents(run: IncidentsRun, context: Context): Promise<ExitCode> {
  const limit = limitOf(run.limit);
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { store, nowAt } = openedStore;
    const monitor = run.monitor === null ? null : knownMonitor(run.monitor, openedStore).id;
    const { incidents: rows } = recorded.list(store.sql, {
      limit,
      monitors: monitor === null ? null : [monitor],
      isNarrow: true,
      isOpen: run.isOpen ? true : null,
    });
    if (run.isJson) {
      const said = incidentUpdates.of(
        store.sql,
        rows.map(({ uid }) => uid),
      );
      const json = { incidents: rows.map((row) => wholeIncident(row, nowAt, said.get(row.uid))) };
      context.stdout.write(`${toJson(json)}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(rows));
      const { isQuiet, isOpen } = run;
      context.stdout.write(incidentsText(rows, { nowAt, isQuiet, isOpen, monitor }, output));
    }
    return exitCodes.ok;
  });
}

function limitOf(typed: string): number {
  const limit = /^[0-9]{1,4}$/.test(typed) ? Number(typed) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new StatusdError('usage', `the limit ${quoted(typed)} is no number from 1 to ${maxLimit}`, {
    hint: 'One incident is shown by `statusd incidents show`; see `statusd incidents --help`.',
  });
}

interface IncidentListing {
  readonly nowAt: number;
  readonly isQuiet: boolean;
  /** Only what is open was asked for. */
  readonly isOpen: boolean;
  readonly monitor: string | null;
}

/** From this width on, an incident is one line. */
const wideColumns = 140;
const indent = '      ';

/** Renders the incident record for the person in front of the terminal. */
export function incidentsText(
  rows: readonly RecordedIncidentRow[],
  incidentListing: IncidentListing,
  output: TerminalOutput,
): string {
  if (rows.length === 0) return incidentListing.isQuiet ? '' : `${emptyText(incidentListing)}\n`;
  const isWide = output.columns === null || output.columns >= wideColumns;
  const lines = isWide
    ? wideLines(rows, incidentListing, output)
    : narrowLines(rows, incidentListing, output);
  return `${lines.join('\n')}\n`;
}

/** Everything the table is measured by. */
function textsOf(rows: readonly RecordedIncidentRow[]): string[] {
  return rows.flatMap((row) => [...tailOf(row), monitorOf(row)]);
}

const headColumns = [
  { heading: '' },
  { heading: 'ID', isNumber: true },
  { heading: 'MONITOR', least: 8 },
  { heading: 'STARTED (UTC)' },
  { heading: 'ENDED' },
  { heading: 'LASTED' },
] as const;

const tailColumns = [
  { heading: 'ERROR', least: 16 },
  { heading: 'ANSWERED', least: 12 },
  { heading: 'NOTE', least: 12 },
] as const;

function wideLines(
  rows: readonly RecordedIncidentRow[],
  incidentListing: IncidentListing,
  output: TerminalOutput,
): string[] {
  const cells = rows.map((row) => {
    const [error, answered, note] = tailOf(row);
    const { cyan, dim } = output.paint;
    return [
      ...headOf(row, incidentListing, output),
      { text: error },
      { text: answered, paint: dim },
      { text: note, paint: cyan },
    ];
  });
  const table = { columns: [...headColumns, ...tailColumns], rows: cells };
  return tableLines(table, output, { hasHeading: !incidentListing.isQuiet });
}

/** What does not fit beside the times stands below them. */
function narrowLines(
  rows: readonly RecordedIncidentRow[],
  incidentListing: IncidentListing,
  output: TerminalOutput,
): string[] {
  const table = { columns: headColumns, rows: rows.map((row) => headOf(row, incidentListing, output)) };
  const [heading, ...heads] = tableLines(table, output);
  const blocks = rows.flatMap((row, index) => [heads[index] ?? '', ...detailLines(row, output)]);
  return incidentListing.isQuiet ? blocks : [heading ?? '', ...blocks];
}

function headOf(
  row: RecordedIncidentRow,
  { nowAt }: IncidentListing,
  { paint, glyphs }: TerminalOutput,
): readonly Cell[] {
  const isOpen = row.endedAt === null;
  const isOutage = row.monitor !== null && row.ownFault === null;
  const openGlyph = isOutage ? glyphs.down : glyphs.unknown;
  const openPaint = isOutage ? paint.red : paint.yellow;
  const meaning = isOpen ? openPaint : paint.green;
  return [
    { text: isOpen ? openGlyph : glyphs.up, paint: meaning },
    { text: String(row.id) },
    { text: monitorOf(row), paint: isOpen ? openPaint : paint.bold },
    { text: minuteText(row.startedAt) },
    row.endedAt === null ? { text: 'still open', paint: openPaint } : { text: minuteText(row.endedAt) },
    { text: durationText(lengthSecs(row, nowAt) * 1000) },
  ];
}

function detailLines(row: RecordedIncidentRow, { paint, cells, columns }: TerminalOutput): string[] {
  const [error, answered, note] = tailOf(row);
  const lines: readonly (readonly [string, (text: string) => string])[] = [
    [error, (text) => text],
    [answered === '' ? '' : `answered: ${answered}`, paint.dim],
    [note === '' ? '' : `note: ${note}`, paint.cyan],
  ];
  const room = columns === null ? Infinity : Math.max(1, columns - indent.length);
  return lines.flatMap(([text, draw]) => (text === '' ? [] : [indent + draw(cutCells(text, room, cells))]));
}

/** Of one that was opened by hand, all that it is about. */
function monitorOf(row: RecordedIncidentRow): string {
  if (row.monitor !== null) return cleanLine(row.monitor);
  return row.monitors.length === 0 ? '(all)' : inWords(row.monitors.map(cleanLine), 3);
}

/** Why, what was answered, the note: clean, and not the same thing twice. */
function tailOf(row: RecordedIncidentRow): [error: string, answered: string, note: string] {
  const note = cleanLine(row.note ?? '');
  if (row.monitor === null) return [cleanLine(row.title), '', note];
  const error = cleanLine(row.reason ?? row.category ?? '');
  return [
    row.ownFault === null ? error : `not checked: ${error}`,
    cleanLine(row.snapshot?.statusLine ?? ''),
    note,
  ];
}

function emptyText({ isOpen, monitor }: IncidentListing): string {
  const of = monitor === null ? '' : ` of ${cleanLine(monitor)}`;
  return isOpen ? `No open incidents${of}: nothing is known to be down.` : `No incidents${of} on record.`;
}
