/** Makes messages due now and says which. */
import type { SqlReader } from '../../db/store/sql.ts';
import { outbox, type DeliveryRow } from '../../db/tables/outbox.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { knownDelivery } from './known.ts';

export interface RetryRun extends RunOptions {
  /** As typed; null: all that failed. */
  readonly id: string | null;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

const maxRead = 10_000;

export function performRetry(run: RetryRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async ({ store, nowAt }) => {
      const rows =
        run.id === null ? failed(store.sql) : [knownDelivery(run.id, store.sql, ['waiting', 'given_up'])];
      const operations = rows.map(({ deliveryId }) => outbox.retry({ deliveryId, at: nowAt }));
      const answers = rows.length === 0 ? [] : await store.write(operations);
      // Between reading and writing, the daemon may have sent some of them.
      const due = rows.filter((_, index) => outbox.retry.answer(answers[index]));
      if (run.isJson) stdout.write(`${toJson({ retried: due.map(({ id }) => id) })}\n`);
      else if (!run.isQuiet) stdout.write(said(due));
      return exitCodes.ok;
    },
  );
}

/** What was given up, and what waits because a try failed: not what waits out its window. */
function failed(sql: SqlReader): readonly DeliveryRow[] {
  return outbox
    .listTroubled(sql, maxRead)
    .filter(({ state, attempts }) => state === 'given_up' || (state === 'waiting' && attempts > 0));
}

function said(due: readonly DeliveryRow[]): string {
  const [first] = due;
  if (first === undefined) return 'No messages to try again.\n';
  const what =
    due.length === 1
      ? `Message ${first.id} (${cleanLine(first.event)} for ${cleanLine(first.channel)}) is`
      : `${due.length} messages are`;
  return `${what} due now: the daemon sends ${due.length === 1 ? 'it' : 'them'} within a second, or at its next start.\n`;
}
