/** Lists the silences that last. */
import { silences } from '../../db/tables/silences.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { silencesJson, silencesText, textsOf } from './render.ts';

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
