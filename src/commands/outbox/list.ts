/** Lists the messages that did not simply arrive. */
import { outbox } from '../../db/tables/outbox.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { deliveryJson } from './delivery-view.ts';
import { outboxText, textsOf } from './render.ts';

/** Flaps leave dropped rows that nobody asks for between the others. */
const maxRead = 10_000;
const maxShown = 200;

export function performOutbox(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async ({ store, nowAt }) => {
    const rows = outbox
      .listTroubled(store.sql, maxRead)
      .filter(({ state }) => state !== 'dropped')
      .slice(0, maxShown);
    if (run.isJson) {
      context.stdout.write(`${toJson({ deliveries: rows.map(deliveryJson) })}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(rows));
      context.stdout.write(outboxText(rows, { nowAt, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}
