/** Prints the requested incidents. */
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { criticalAmong, wholeIncident } from '../../engine/views/incident.ts';
import type { Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import { meantSubcommand, unknownSubcommand } from '../subcommand-slip.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { knownMonitor } from './known.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { openRootOf, rootOf } from '../../engine/operations/root-incident.ts';
import { durationText, shownSpanMs } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import { clockText, dayText } from '../../engine/core/instant.ts';
import { type NestedIncident, nestedIncidents } from '../../engine/views/verdict.ts';
import { cutCells } from '../../engine/views/text/cells.ts';
import { tableLines, type Cell, type TextColumn } from '../../engine/views/text/table.ts';

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
    const { config, store, nowAt } = openedStore;
    const monitor = run.monitor === null ? null : knownMonitor(run.monitor, openedStore).id;
    const { incidents: rows } = recorded.list(store.sql, {
      limit,
      monitors: monitor === null ? null : [monitor],
      isNarrow: true,
      isOpen: run.isOpen ? true : null,
    });
    if (run.isJson) {
      const own = { nowAt, isCritical: criticalAmong(config.monitors) };
      const said = incidentUpdates.of(
        store.sql,
        rows.map(({ uid }) => uid),
      );
      const json = { incidents: rows.map((row) => wholeIncident(row, own, said.get(row.uid))) };
      context.stdout.write(`${toJson(json)}\n`);
    } else {
      // A cascade may be longer than the list: its root, which began before, stands above it all the same.
      const listed = monitor === null ? withRoots(rows, run.isOpen, store.sql).slice(0, limit) : rows;
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(listed));
      const { isQuiet, isOpen } = run;
      context.stdout.write(incidentsText(listed, { nowAt, isQuiet, isOpen, monitor }, output));
    }
    return exitCodes.ok;
  });
}

/** In the order in which they are listed. */
function withRoots(
  rows: readonly RecordedIncidentRow[],
  isOpen: boolean,
  sql: SqlReader,
): readonly RecordedIncidentRow[] {
  const roots = rows.map((row) => (isOpen ? (openRootOf(sql, row) ?? row) : rootOf(sql, row)));
  const all = [...new Map([...rows, ...roots].map((row) => [row.uid, row])).values()];
  return nestedIncidents(all).map(({ incident }) => incident);
}

/** The subcommands for which a word that is no limit may be a slip. */
const subcommands = ['list', 'open', 'update', 'resolve', 'show'];

function limitOf(typed: string): number {
  const limit = /^[0-9]{1,4}$/.test(typed) ? Number(typed) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  if (meantSubcommand(typed, subcommands) !== null) throw unknownSubcommand('incidents', typed, subcommands);
  throw new StatusdError('usage', `the limit ${quoted(typed)} is not a number from 1 to ${maxLimit}`, {
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

/** Below this width, a note stands in a line of its own, and what was answered is left to `incidents show`. */
const wideColumns = 120;
const indent = '      ';

/** Renders the incident record for the person in front of the terminal. */
export function incidentsText(
  rows: readonly RecordedIncidentRow[],
  incidentListing: IncidentListing,
  output: TerminalOutput,
): string {
  if (rows.length === 0) return incidentListing.isQuiet ? '' : `${emptyText(incidentListing)}\n`;
  const isWide = output.columns === null || output.columns >= wideColumns;
  const nested = nestedIncidents(rows);
  const cells = nested.map((each) => lineOf(each, incidentListing, output));
  const table = { columns: isWide ? columns : columns.slice(0, -2), rows: cells };
  const [heading = '', ...heads] = tableLines(table, output);
  const lines = nested.flatMap(({ incident: row }, index) => [
    heads[index] ?? '',
    ...(isWide ? [] : noteLines(row, output)),
  ]);
  return `${(incidentListing.isQuiet ? lines : [heading, ...lines]).join('\n')}\n`;
}

/** Everything the table is measured by. */
function textsOf(rows: readonly RecordedIncidentRow[]): string[] {
  return rows.flatMap((row) => [...tailOf(row), monitorOf(row), acknowledgedOf(row)]);
}

const columns: readonly TextColumn[] = [
  { heading: '' },
  { heading: 'ID', isNumber: true },
  { heading: 'MONITOR', least: 8 },
  { heading: 'STARTED (UTC)' },
  { heading: 'ENDED', spare: 3 },
  { heading: 'LASTED', spare: 1 },
  { heading: 'ERROR', least: 16, spare: 2 },
  { heading: 'ANSWERED', least: 12 },
  { heading: 'NOTE', least: 12 },
];

function lineOf(
  { incident: row, isDependent }: NestedIncident<RecordedIncidentRow>,
  { nowAt }: IncidentListing,
  { paint, glyphs }: TerminalOutput,
): readonly Cell[] {
  const [error, answered, note] = tailOf(row);
  const said = [acknowledgedOf(row), note].filter((part) => part !== '').join('; ');
  const isOpen = row.endedAt === null;
  const isOutage = row.monitor !== null && row.ownFault === null;
  const otherGlyph = row.monitor === null ? glyphs.degraded : glyphs.unknown;
  const openGlyph = isOutage ? glyphs.down : otherGlyph;
  const openPaint = isOutage ? paint.red : paint.yellow;
  const branch = isDependent ? `${glyphs.branch} ` : '';
  return [
    { text: isOpen ? openGlyph : glyphs.up, paint: isOpen ? openPaint : paint.green },
    { text: String(row.id) },
    { text: branch + monitorOf(row), paint: isOpen ? openPaint : paint.bold },
    { text: secondText(row.startedAt) },
    row.endedAt === null
      ? { text: 'still open', paint: openPaint }
      : { text: secondText(row.endedAt, row.startedAt) },
    { text: durationText(shownSpanMs(row.startedAt, row.endedAt ?? nowAt)) },
    { text: error },
    { text: answered, paint: paint.dim },
    { text: said, paint: paint.cyan },
  ];
}

/** With the day, unless it is that of `nearAt`. */
function secondText(at: number, nearAt: number | null = null): string {
  const day = dayText(at);
  return nearAt !== null && day === dayText(nearAt) ? clockText(at) : `${day} ${clockText(at)}`;
}

function noteLines(row: RecordedIncidentRow, { paint, cells, columns: width }: TerminalOutput): string[] {
  const [, , note] = tailOf(row);
  const room = width === null ? Infinity : Math.max(1, width - indent.length);
  const parts = [acknowledgedOf(row), note === '' ? '' : `note: ${note}`].filter((part) => part !== '');
  return parts.length === 0 ? [] : [indent + paint.cyan(cutCells(parts.join('; '), room, cells))];
}

/** `acknowledged by ann`; why is left to `incidents show`. Empty: nobody has. */
function acknowledgedOf(row: RecordedIncidentRow): string {
  if (row.monitor === null || row.acknowledged === null) return '';
  const { by } = row.acknowledged;
  return by === null ? 'acknowledged' : cleanLine(`acknowledged by ${by}`);
}

/** The monitors of an incident; of one that was opened by hand, all that it is about. */
function monitorOf(row: RecordedIncidentRow): string {
  if (row.monitor !== null) return cleanLine(row.monitor);
  return row.monitors.length === 0 ? '(all)' : inWords(row.monitors.map(cleanLine), 3);
}

/** Why, what was answered, the note: clean, and not the same thing twice. */
function tailOf(row: RecordedIncidentRow): [error: string, answered: string, note: string] {
  const note = cleanLine(row.note ?? '');
  if (row.monitor === null) return [cleanLine(row.title), '', note];
  // Of one that is open the list says why it is by now; `incidents show` has all of it.
  const { reason, category } = (row.endedAt === null ? row.latest : null) ?? row;
  const error = cleanLine(reason ?? category ?? '');
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
