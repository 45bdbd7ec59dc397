/** Lists, retries and drops notifications. */
import { type DeliveryRow, outbox } from '../../db/tables/outbox.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { deliveryJson, outboxText, textsOf } from './render.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { instantText } from '../../engine/core/instant.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { quoted, rowNumber } from '../../engine/operations/arguments.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { cleanLine } from '../../engine/core/text.ts';

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

const hint = '`statusd outbox` shows the numbers.';

/** The delivery of a number, or of a delivery id. Throws `not_found` when there is none in one of these states. */
function knownDelivery(word: string, sql: SqlReader, states: readonly DeliveryRow['state'][]): DeliveryRow {
  const id = rowNumber(word);
  const row = (id === null ? null : outbox.findById(sql, id)) ?? outbox.find(sql, word);
  if (row === null) throw new StatusdError('not_found', `there is no message ${quoted(word)}`, { hint });
  if (states.includes(row.state)) return row;
  const since = row.finishedAt === null ? '' : ` at ${instantText(row.finishedAt)}`;
  const became = {
    waiting: 'still waits',
    sent: 'was sent',
    given_up: 'was given up',
    dropped: 'was dropped',
  };
  throw new StatusdError('not_found', `message ${row.id} ${became[row.state]}${since}`, { hint });
}

interface DropRun extends RunOptions {
  readonly id: string;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

/** Takes a waiting message out of the outbox and says which. */
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

interface RetryRun extends RunOptions {
  /** As typed; null: all that failed. */
  readonly id: string | null;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

/** Makes messages due now and says which. */
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
  return `${what} due now: the daemon sends ${due.length === 1 ? 'it' : 'them'} within a second, after what ${due.length === 1 ? 'its channel is' : 'their channels are'} trying, or at its next start.\n`;
}
