/** Lists, erases and exports the readers who get mails. */
import { type SubscriberRow, subscribers } from '../../db/tables/subscribers.ts';
import type { Config } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { instantText, minuteText, rfc3339 } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import {
  linkMailLimits,
  type MailStop,
  mailsStopUntil,
  mailStopOf,
} from '../../engine/operations/reader-mail-limits.ts';
import { mailChannelOf } from '../../engine/operations/subscribe.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';

export function performSubscribersList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { store, config } = openedStore;
    const rows = subscribers.list(store.sql);
    const stop = stopIn(openedStore);
    if (run.isJson) {
      const stoppedUntil = stop === null ? null : rfc3339(stop.untilAt);
      context.stdout.write(`${toJson({ ...subscribersJson(rows), mails_stopped_until: stoppedUntil })}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, rows.flatMap(textsOf));
      const notes = [leftOutText(rows, config), waitingText(rows), stoppedText(stop)];
      context.stdout.write(subscribersText(rows, run.isQuiet, output) + notes.join(''));
    }
    return exitCodes.ok;
  });
}

export function performSubscribersExport(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, ({ store }) => {
    const rows = subscribers.list(store.sql).filter(({ confirmedAt }) => confirmedAt !== null);
    const lines = rows.map(({ address, confirmedAt, groups }) =>
      [address, rfc3339(confirmedAt ?? 0), groupsCell(groups)].map(cell).join(','),
    );
    context.stdout.write(
      run.isJson
        ? `${toJson(subscribersJson(rows))}\n`
        : `${['address,confirmed_at,groups', ...lines].join('\n')}\n`,
    );
    return Promise.resolve(exitCodes.ok);
  });
}

/** Nothing: everything. What is in no group has no name, so alone it is a semicolon. */
function groupsCell(groups: readonly string[]): string {
  const named = groups.join(';');
  return groups.length > 0 && named === '' ? ';' : named;
}

export interface SubscribersRemoveRun extends RunOptions {
  readonly addresses: readonly string[];
  readonly isOffline: boolean;
}

/** Throws `usage` when no address is named, and `not_found` for one that is not there, after the others are erased. */
export function performSubscribersRemove(run: SubscribersRemoveRun, context: Context): Promise<ExitCode> {
  const { addresses, configFile } = run;
  if (addresses.length === 0) {
    throw new StatusdError('usage', 'no address is named', {
      hint: 'Write it as in `statusd subscribers remove reader@example.com` (`statusd subscribers list` shows them).',
    });
  }
  return withStore({ configFile, access: 'change', reach: run }, context, async ({ store }) => {
    const found = addresses.map((address) => subscribers.findByAddress(store.sql, address.trim()));
    const rows = found.filter((row) => row !== null);
    if (rows.length > 0) await store.write(rows.map(({ uid }) => subscribers.remove({ uid })));
    const missing = addresses.find((_, index) => found[index] === null);
    if (missing !== undefined) {
      throw new StatusdError('not_found', `there is no subscriber ${quoted(missing)}`, {
        hint: 'See `statusd subscribers list`.',
      });
    }
    if (run.isJson) context.stdout.write(`${toJson({ removed: rows.length })}\n`);
    else if (!run.isQuiet) context.stdout.write(`Erased ${counted(rows.length, 'subscriber')}.\n`);
    return exitCodes.ok;
  });
}

function subscribersJson(rows: readonly SubscriberRow[]) {
  return {
    subscribers: rows.map(({ address, groups, requestedAt, confirmedAt, askedAt }) => ({
      address,
      confirmed_at: confirmedAt === null ? null : rfc3339(confirmedAt),
      requested_at: rfc3339(requestedAt),
      groups,
      mail_waiting_since: askedAt === null ? null : rfc3339(askedAt),
    })),
  };
}

function subscribersText(rows: readonly SubscriberRow[], isQuiet: boolean, output: TerminalOutput): string {
  if (rows.length === 0) return isQuiet ? '' : 'No subscribers.\n';
  const columns = [
    { heading: 'ADDRESS', least: 12 },
    { heading: 'CONFIRMED (UTC)' },
    { heading: 'GROUPS', least: 8 },
  ];
  const cells = rows.map((row) => {
    const [address = '', groups = ''] = textsOf(row);
    const { confirmedAt } = row;
    return [
      { text: address, paint: output.paint.bold },
      {
        text:
          confirmedAt === null ? (row.askedAt === null ? 'not yet' : 'mail waits') : minuteText(confirmedAt),
        paint: output.paint.dim,
      },
      { text: groups },
    ];
  });
  return `${tableLines({ columns, rows: cells }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

/** Says so of readers all of whose groups were renamed or removed: nothing that happens is in them. */
function leftOutText(rows: readonly SubscriberRow[], { monitors }: Pick<Config, 'monitors'>): string {
  const shown = new Set(monitors.flatMap((monitor) => (monitor.public ? [monitor.group ?? ''] : [])));
  const leftOut = rows.filter(
    ({ confirmedAt, groups }) =>
      confirmedAt !== null && groups.length > 0 && !groups.some((group) => shown.has(group)),
  );
  const gone = [...new Set(leftOut.flatMap(({ groups }) => groups))].filter((group) => group !== '');
  if (gone.length === 0) return '';
  const names = gone.sort().map(cleanLine).join(' or ');
  const verb = leftOut.length === 1 ? 'gets' : 'get';
  return `\n${counted(leftOut.length, 'subscriber')} ${verb} no mails: there is no group ${names} on the page any more.\n`;
}

function stopIn({ store: { sql }, config, nowAt }: OpenedStore): MailStop | null {
  const channel = mailChannelOf(config);
  return channel === null || mailsStopUntil(sql, channel, nowAt) === null ? null : mailStopOf(sql, channel);
}

/** Says how many mails with links wait, and for what. */
function waitingText(rows: readonly SubscriberRow[]): string {
  const count = rows.filter(({ askedAt }) => askedAt !== null).length;
  if (count === 0) return '';
  const { overall, perDomain } = linkMailLimits;
  const wait = count === 1 ? 'waits' : 'wait';
  return `\n${counted(count, 'mail')} with a link ${wait}: at most ${overall} an hour go out that nobody confirms, ${perDomain} of them to one domain.\n`;
}

function stoppedText(stop: MailStop | null): string {
  if (stop === null) return '';
  return `\nMails to readers stop until ${instantText(stop.untilAt)}, as the mail server speaks of a quota: ${cleanLine(stop.error)}\n`;
}

function textsOf({ address, groups }: SubscriberRow): readonly string[] {
  const names = groups.map((group) => (group === '' ? 'no group' : cleanLine(group)));
  return [cleanLine(address), names.length === 0 ? 'everything' : names.join(', ')];
}

/** A cell of CSV (RFC 4180); one that a spreadsheet would take for a formula is quoted as text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
