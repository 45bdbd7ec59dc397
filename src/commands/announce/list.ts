/** Lists the banners that stand. */
import { announcements } from '../../db/tables/announcements.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { announcementsJson, announcementsText, textsOf } from './render.ts';

export function performAnnounceList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async ({ store, nowAt }) => {
    const rows = announcements.active(store.sql, nowAt);
    if (run.isJson) {
      context.stdout.write(`${toJson(announcementsJson(rows))}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(rows));
      context.stdout.write(announcementsText(rows, { nowAt, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}
