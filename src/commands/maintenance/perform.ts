/** Plans, lists and cancels maintenance. */
import { randomBytes } from 'node:crypto';
import { maintenances } from '../../db/tables/maintenances.ts';
import { durationText } from '../../engine/core/duration.ts';
import { instantText, minuteText } from '../../engine/core/instant.ts';
import { localText } from '../../engine/core/time-zone.ts';
import { zoneArgument } from '../../engine/operations/arguments.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import {
  type CheckedMaintenance,
  checkMaintenance,
  createMaintenance,
  listMaintenance,
  maintenanceJson,
  type MaintenanceRequest,
} from '../../engine/operations/maintenance.ts';
import { plannedMaintenance, type PlannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import { clearNumbered, type ClearRun } from '../clear-numbered.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { type Ground, type OpenedStore, withPrepared, withStore } from '../open-store.ts';
import { shellWord } from '../words.ts';
import type { ListingOptions, RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { refuseNobody, selectablePeer } from '../../engine/operations/select-monitors.ts';

export interface MaintenanceRun extends RunOptions, Omit<MaintenanceRequest, 'timezone'> {
  /** Null: that of the page. */
  readonly timezone: string | null;
  /** Also where the title names what strangers are not shown. */
  readonly isForced: boolean;
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

export async function performMaintenanceAdd(run: MaintenanceRun, context: Context): Promise<ExitCode> {
  // What is wrong with the command line is reported before anything is opened.
  const zone = run.timezone === null ? null : zoneArgument(run.timezone);
  refuseNobody({ ids: run.monitors, groups: run.groups }, afterTitle(run.title));
  const way = { configFile: run.configFile, access: 'make', reach: run } as const;
  const prepare = ({ config, nowAt }: Ground) => {
    const timezone = zone ?? config.page.timezone;
    return { timezone, checked: checkMaintenance({ ...run, timezone }, nowAt) };
  };
  const work = async ({ config, redact, store, nowAt }: OpenedStore, { timezone, checked }: Prepared) => {
    const known = [...config.monitors, ...config.peers.map(selectablePeer)];
    const identity = maintenances.identity(store.sql, randomBytes(8).toString('hex'));
    const publishing = { config, isForced: run.isForced };
    const ground = { known, redact, publishing, write: store.write, identity };
    const planned = await createMaintenance(checked, ground);
    if (run.isJson) {
      context.stdout.write(`${toJson(maintenanceJson(planned, nowAt))}\n`);
    } else if (!run.isQuiet) {
      const { id, title, monitors, startAt, endAt } = planned;
      const from = startAt <= nowAt ? 'from now' : `from ${bothTexts(startAt, timezone)}`;
      const span = `${from} to ${bothTexts(endAt, timezone)}, ${durationText(endAt - startAt)}`;
      context.stdout.write(
        `Maintenance ${id ?? ''}: ${cleanLine(title)}, ${namesOf(monitors)}, ${span}\n` +
          `  Checks go on; alerts are held back. \`statusd maintenance cancel ${id ?? ''}\` ends it.\n`,
      );
    }
    return exitCodes.ok;
  };
  return withPrepared(way, context, { prepare, work });
}

interface Prepared {
  /** The zone of times that name none. */
  readonly timezone: string;
  readonly checked: CheckedMaintenance;
}

function afterTitle(title: string): string {
  const written = title === '' ? '<title>' : shellWord(title);
  return `Name monitors, a group or all after the title, as in \`statusd maintenance add ${written} all --for 1h\`.`;
}

/** `2026-11-21 22:00:00 Europe/Berlin (2026-11-21 21:00:00 UTC)`; in UTC once is enough. */
function bothTexts(at: number, timezone: string): string {
  return timezone === 'UTC' ? instantText(at) : `${localText(at, timezone)} (${instantText(at)})`;
}

export function performMaintenanceCancel(run: ClearRun, context: Context): Promise<ExitCode> {
  return clearNumbered(run, context, {
    noun: ['maintenance', 'windows of maintenance'],
    none: 'No maintenance to cancel.',
    done: 'Cancelled',
    verb: 'Cancel',
    isAllWithoutAsking: false,
    list: 'statusd maintenance list',
    clear: 'statusd maintenance cancel',
    others: ({ maintenance }) =>
      maintenance.length === 0
        ? null
        : 'The configuration has some (`statusd maintenance list`), which end by changing its `[[maintenance]]`.',
    active: (sql, at) => maintenances.list(sql).flatMap(({ id, endAt }) => (endAt > at ? [id] : [])),
    operations: (id, at, sql) => [maintenances.cancel({ id, uid: maintenances.uidOf(sql, id), at })],
    answer: maintenances.cancel.answer,
  });
}

export function performMaintenanceList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (opened) => {
    const { store, config, nowAt } = opened;
    const listed = listMaintenance(plannedMaintenance(store.sql, config, nowAt), nowAt);
    if (run.isJson) {
      const json = { maintenances: listed.map((window) => maintenanceJson(window, nowAt)) };
      context.stdout.write(`${toJson(json)}\n`);
    } else {
      const output = await openTerminalOutput(
        context,
        run.isColourRefused,
        listed.map(({ title }) => title),
      );
      context.stdout.write(listText(listed, { nowAt, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}

function listText(
  listed: readonly PlannedMaintenance[],
  { nowAt, isQuiet }: ListingOptions,
  output: TerminalOutput,
): string {
  if (listed.length === 0)
    return isQuiet
      ? ''
      : 'No maintenance. `statusd maintenance add <title> <ids|all> --for <duration>` plans some.\n';
  const { yellow, dim } = output.paint;
  const columns = [
    { heading: 'ID', isNumber: true },
    { heading: 'FROM (UTC)' },
    { heading: 'FOR', spare: 1 },
    { heading: 'STATE', spare: 3 },
    { heading: 'MONITORS', least: 12 },
    { heading: 'TITLE', least: 12, spare: 2 },
  ];
  const rows = nextOfEach(listed).map(({ id, title, monitors, startAt, endAt, isRecurring }) => [
    { text: id === null ? 'config' : String(id), paint: dim },
    { text: minuteText(startAt) },
    { text: durationText(endAt - startAt) },
    startAt <= nowAt
      ? { text: 'active', paint: yellow }
      : { text: isRecurring ? 'recurring' : 'planned', paint: dim },
    { text: namesOf(monitors) },
    { text: cleanLine(title) },
  ]);
  return `${tableLines({ columns, rows }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

/** Of the windows of a schedule the next one alone. */
function nextOfEach(listed: readonly PlannedMaintenance[]): readonly PlannedMaintenance[] {
  const seen = new Set<string>();
  return listed.filter(({ title, monitors, startAt, endAt, isRecurring }) => {
    const key = JSON.stringify([title, monitors, endAt - startAt]);
    const isFurther = isRecurring && seen.has(key);
    if (isRecurring) seen.add(key);
    return !isFurther;
  });
}

function namesOf(monitors: readonly string[]): string {
  return monitors.length === 0 ? 'everything' : cleanLine(inWords(monitors, 6));
}
