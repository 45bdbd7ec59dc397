/** Lists the silences that last. */
import { silences } from '../../db/topics/silences.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openSheet } from '../terminal/sheet.ts';
import { silencesJson, silencesText, textsOf } from './render.ts';

export function performSilenceList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async ({ store, nowAt }) => {
    const rows = silences.active(store.sql, nowAt);
    if (run.isJson) {
      context.stdout.write(`${toJson(silencesJson(rows))}\n`);
    } else {
      const sheet = await openSheet(context, run.isColourRefused, textsOf(rows));
      context.stdout.write(silencesText(rows, { nowAt, isQuiet: run.isQuiet }, sheet));
    }
    return exitCodes.ok;
  });
}
