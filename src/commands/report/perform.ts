/** Reads the report that was asked for and prints it. */
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { monthAsked, monthReport, type Wish } from './figures.ts';
import { reportJson } from './json.ts';
import { reportText, textsOf } from './render.ts';

export type ReportRun = RunOptions & Wish;

export function performReport(run: ReportRun, context: Context): Promise<ExitCode> {
  const { stdout, clock } = context;
  // What is wrong with the command line is told before anything is opened.
  monthAsked(run.month, clock.now());
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const found = monthReport(run, openedStore);
    const { report } = found;
    if (run.isJson) stdout.write(`${toJson(reportJson(found))}\n`);
    else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(report));
      const { title } = openedStore.config.page;
      stdout.write(reportText(found, { title, group: run.group, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}
