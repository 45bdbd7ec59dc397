/** Reads the incidents that were asked for and prints them. */
import { incidents } from '../../db/tables/incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { wholeIncident } from '../../engine/views/incident.ts';
import type { Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { knownMonitor } from './known.ts';
import { incidentsText, textsOf } from './render.ts';

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
    const { incidents: rows } = incidents.list(store.sql, {
      limit,
      monitors: monitor === null ? null : [monitor],
      isOpen: run.isOpen ? true : null,
    });
    if (run.isJson) {
      const json = { incidents: rows.map((row) => wholeIncident(row, nowAt)) };
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
  throw new StatusdError('usage', `the limit ${quoted(typed)} is no number from 1 to ${maxLimit}`);
}
