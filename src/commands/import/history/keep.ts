/** Writes the history of each monitor into the configured database, and reports the result. */
import { addPastDays, type PastDay } from '../../../db/tables/past-days.ts';
import type { PastProgram } from '../../../engine/core/past-uid.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit.ts';
import type { OpenedStore } from '../../open-store.ts';
import type { RunOptions } from '../../run-options.ts';
import { toJson } from '../../terminal/json.ts';
import { keepOutages, type ImportedOutages } from './outages.ts';
import { showProgress } from './progress.ts';
import { type HistoryReport, historyJson, historyText, type KeptPast } from './report.ts';

export interface HistoryRun extends RunOptions {
  /** The database of the other program, as typed. */
  readonly file: string;
}

export interface Past {
  readonly days: readonly PastDay[];
  readonly outages: ImportedOutages;
}

/** The past of one monitor that the configuration has. */
export interface OwnPast extends Past {
  readonly id: string;
  readonly name: string;
}

/** What the database of the other program holds. */
export interface FoundHistory extends Pick<HistoryReport, 'program' | 'unknown' | 'others'> {
  readonly pasts: readonly OwnPast[];
}

/** Answers 1 when no monitor of the file is in the configuration. */
export async function keepHistory(
  found: FoundHistory,
  openedStore: OpenedStore,
  { run, context }: { readonly run: RunOptions; readonly context: Context },
): Promise<ExitCode> {
  const { pasts, ...about } = found;
  const progress = await showProgress(
    context,
    pasts.map(({ name }) => name),
  );
  const monitors: KeptPast[] = [];
  try {
    for (const [index, past] of pasts.entries()) {
      context.interrupt.throwIfAborted();
      progress.show(`${index}/${pasts.length} ${past.name}`);
      monitors.push(await keep(past, about.program, openedStore));
    }
  } finally {
    progress.end();
  }
  const report = { ...about, monitors };
  if (run.isJson) context.stdout.write(`${toJson(historyJson(report))}\n`);
  else context.stdout.write(historyText(report, run.isQuiet));
  return pasts.length === 0 ? exitCodes.wrong : exitCodes.ok;
}

async function keep(
  { id, name, days, outages: past }: OwnPast,
  program: PastProgram,
  openedStore: OpenedStore,
): Promise<KeptPast> {
  const { store, nowAt } = openedStore;
  const [answer] = await store.write([addPastDays({ monitor: id, name, at: nowAt, days })]);
  const outages = await keepOutages({ id, name, program, past }, openedStore);
  return { id, days: addPastDays.answer(answer), found: days.length, outages };
}
