/** Takes a waiting message out of the outbox and says which. */
import { decisions } from '../../db/tables/decisions.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { knownDelivery } from './known.ts';

export interface DropRun extends RunOptions {
  readonly id: string;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

export function performDrop(run: DropRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async ({ store, nowAt: at }) => {
      const { id, deliveryId, channel, event, monitor, incident } = knownDelivery(run.id, store.sql, [
        'waiting',
      ]);
      const [dropped] = await store.write([outbox.drop({ deliveryId, at })]);
      if (!outbox.drop.answer(dropped)) {
        throw new StatusdError('not_found', `message ${id} was sent just now`);
      }
      const detail = `An operator dropped the message for ${channel}.`;
      const verdict = 'spared';
      await store.write([
        decisions.log({ at, monitor, incident, channel, event, verdict, reason: 'dropped', detail }),
      ]);
      if (run.isJson) stdout.write(`${toJson({ dropped: id })}\n`);
      else if (!run.isQuiet) {
        stdout.write(`Dropped message ${id}: ${cleanLine(event)} for ${cleanLine(channel)} is not sent.\n`);
      }
      return exitCodes.ok;
    },
  );
}
