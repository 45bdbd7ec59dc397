/** Mails readers: confirmation links, and the incidents they follow; a few at a time, apart from all alerts. */
import type { Store } from '../../db/store/store.ts';
import { type BroadcastRow, broadcasts } from '../../db/tables/broadcasts.ts';
import { subscribers } from '../../db/tables/subscribers.ts';
import type { Config } from '../../engine/config/config.ts';
import { type Clock, waitAtMost } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import { paced } from '../../engine/core/yielding.ts';
import {
  confirmationMs,
  createLinks,
  isAddressed,
  mailChannelOf,
  type ReaderMails,
} from '../../engine/operations/subscribe.ts';
import {
  accountOf,
  mailsStopUntil,
  mailStopOf,
  resumeMails,
  stopMails,
} from '../../engine/operations/reader-mail-limits.ts';
import type { ChannelOf } from '../channels/channel.ts';
import type { ReaderAttempt, ReaderDelivery } from '../channels/reader-mail.ts';
import { createLinkMailing, type MailReader } from './link-mailing.ts';
import { BroadcastProgress } from './progress.ts';
import { counted } from '../../engine/core/words.ts';
import { durationText } from '../../engine/core/duration.ts';

export interface MailerOptions {
  readonly config: () => Config;
  readonly store: Pick<Store, 'sql' | 'write' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly mails: ReaderMails;
  /** One attempt. Rejects only with the reason of the signal. */
  readonly send: (
    delivery: ReaderDelivery,
    channel: ChannelOf<'email'>,
    signal: AbortSignal,
  ) => Promise<ReaderAttempt>;
}

export interface Mailer {
  readonly reload: () => void;
  /** The server of a channel spoke of a quota: mails to readers through this account stop, so that alerts have what is left. */
  readonly noteQuota: (channel: ChannelOf<'email'>, error: string) => Promise<void>;
  /** Waits a moment for what is on its way, and starts nothing more. */
  readonly stop: () => Promise<void>;
}

/** Readers are taken from the store so many at a time. */
const pageSize = 100;
/** Mails on their way at once, the links that readers wait for aside. */
const parallel = 4;
const longestRestMs = 60_000;
const graceMs = 250;
/** After the server could not be used, the first time, the second, … */
const pausesMs = [5000, 30_000, 60_000, 300_000];
/** After an address was refused for the moment. */
const laterMs = [300_000, 900_000, 3_600_000];
/** How many readers may be refused before the server is taken to be at fault. */
const maxLater = 200;
const keptMs = 30 * 86_400_000;

export function createMailer(options: MailerOptions): Mailer {
  const { config, store, clock, log, mails } = options;
  const { sql } = store;
  const stopping = new AbortController();
  const breaking = new AbortController();
  const linksOf = createLinks(() => config().server.base_url ?? '');
  const yieldTurn = paced(clock.monotonic);
  const progress = new Map<string, BroadcastProgress>();
  let failures = 0;
  let tidyAtMs = -Infinity;

  const failed = (error: string): void => {
    if (failures === 0)
      log({ level: 'warning', event: 'mails.waiting', message: `Mails to readers are delayed: ${error}` });
    failures += 1;
  };
  const worked = async (channel: ChannelOf<'email'>): Promise<void> => {
    const isStopOver = mailStopOf(sql, channel) !== null;
    if (failures > 0 || isStopOver)
      log({ level: 'info', event: 'mails.resumed', message: 'Mails to readers are sent again.' });
    failures = 0;
    if (isStopOver) await store.write(resumeMails());
  };
  const noteQuota = async (channel: ChannelOf<'email'>, error: string): Promise<void> => {
    const mailChannel = mailChannelOf(config());
    const nowAt = clock.now();
    if (mailChannel === null || accountOf(mailChannel) !== accountOf(channel)) return;
    // Mails that were on their way meanwhile are answered alike.
    if (mailsStopUntil(sql, channel, nowAt) !== null) return;
    const { stop, operations } = stopMails(sql, channel, { error, nowAt });
    const forMs = stop.untilAt - nowAt;
    // Whoever reads the log finds the stop in effect.
    await store.write(operations);
    log({
      level: 'warning',
      event: 'mails.quota',
      message: `Mails to readers stop for ${durationText(forMs)}, as the mail server speaks of a quota: ${error}`,
    });
  };

  /** Mails one reader. Rejects when the server cannot be used, and the same mail is to be tried again. */
  const mail: MailReader = async (channel, reader, write) => {
    const { links, admission } = linksOf(reader);
    if (admission !== null) await store.write([admission]);
    const fromName = config().subscribe?.from_name ?? null;
    const delivery = { ...write(links), address: reader.address, fromName };
    const result = await options.send(delivery, channel, breaking.signal);
    switch (result.kind) {
      case 'sent':
        await worked(channel);
        return 'sent';
      case 'refused':
        return result.isPermanent ? 'never' : 'later';
      case 'failed':
        // It may have been received: as with alerts, a copy comes later, under the same id.
        if (result.mayBeReceived === true) return 'later';
        if (result.isQuota === true) {
          await noteQuota(channel, result.error);
          throw new MailsStopped();
        }
        throw new Error(result.error);
    }
  };

  /** Works through what readers are to be mailed; answers when to look again. */
  const mailBroadcasts = async (channel: ChannelOf<'email'>): Promise<number> => {
    await tidy();
    const { operations, nextAt: turnAt } = mails.dueMaintenance();
    if (operations.length > 0) await store.write(operations);
    let nextAt = Math.min(turnAt, clock.now() + longestRestMs);
    const held = new Set<string>();
    for (const row of broadcasts.open(sql)) {
      if (stopping.signal.aborted) return 0;
      if (row.incident !== null && held.has(row.incident)) continue;
      const at = await mailBroadcast(row, channel);
      if (at === null) {
        progress.delete(row.uid);
        await store.write([broadcasts.finish({ uid: row.uid, at: clock.now() })]);
        continue;
      }
      nextAt = Math.min(nextAt, at);
      // Later mails about the incident wait until every reader has had a turn.
      if (row.incident !== null && progress.get(row.uid)?.isThrough !== true) held.add(row.incident);
    }
    return nextAt;
  };

  /** At most once a minute. */
  const tidy = async (): Promise<void> => {
    if (clock.monotonic() < tidyAtMs) return;
    tidyAtMs = clock.monotonic() + longestRestMs;
    const nowAt = clock.now();
    const forgotten = subscribers.listUnconfirmed(sql, nowAt - confirmationMs);
    const operations = [
      ...forgotten.map(({ uid }) => subscribers.remove({ uid })),
      ...(broadcasts.hasBefore(sql, nowAt - keptMs) ? [broadcasts.prune({ before: nowAt - keptMs })] : []),
    ];
    if (operations.length > 0) await store.write(operations);
  };

  /** Goes on with one: those who are to be tried again, then the next page. Null: it is over. Else when to go on with it. */
  const mailBroadcast = async (row: BroadcastRow, channel: ChannelOf<'email'>): Promise<number | null> => {
    const decision = mails.decide(row);
    if (decision.kind === 'drop') return null;
    if (decision.kind === 'wait') return decision.untilAt;
    const going = progress.get(row.uid) ?? new BroadcastProgress(row, store);
    progress.set(row.uid, going);
    const mailTo = async (id: number): Promise<void> => {
      const reader = subscribers.findById(sql, id);
      if (reader === null || reader.confirmedAt === null || !isAddressed(reader.groups, decision)) {
        going.pass(id);
        return;
      }
      const done = await mail(channel, reader, (links) => ({
        ...decision.mail(links),
        deliveryId: `${row.uid}.${reader.uid}`,
        unsubscribe: links.unsubscribe,
      }));
      if (done === 'sent') going.sent(id);
      else if (done === 'never') going.pass(id);
      else if (going.laterCount < maxLater) going.postpone(id, clock.monotonic(), laterMs);
      else throw new Error('the mail server refuses too many addresses for the moment');
      await going.save();
    };
    try {
      await mailEach(going.dueLater(clock.monotonic()), mailTo);
      await mailEach(going.next(pageSize), mailTo);
    } finally {
      await going.save();
    }
    if (!going.isThrough || stopping.signal.aborted) return clock.now();
    if (going.laterCount > 0) return clock.now() + going.laterInMs(clock.monotonic());
    log({
      level: 'info',
      event: 'mails.sent',
      message: `Mailed ${counted(going.sentCount, 'reader')}.`,
      fields: { broadcast: row.uid },
    });
    return null;
  };

  /** Rejects with the first fault, when nothing is on its way any more; then the rest is not begun. */
  const mailEach = async (ids: readonly number[], work: (id: number) => Promise<void>): Promise<void> => {
    const waiting = [...ids];
    const faults: unknown[] = [];
    const worker = async (): Promise<void> => {
      while (!stopping.signal.aborted && faults.length === 0) {
        const id = waiting.shift();
        if (id === undefined) return;
        await yieldTurn();
        await work(id).catch((error: unknown) => faults.push(error));
      }
    };
    const channel = mailChannelOf(config());
    // The first mail after a stop finds out whether the server takes mails again.
    const isTrial = channel !== null && mailStopOf(sql, channel) !== null;
    await Promise.all(Array.from({ length: isTrial ? 1 : parallel }, worker));
    if (faults.length > 0) throw faults[0];
  };

  /** Resolves when the mailer is stopped. */
  const startLoop = (work: (channel: ChannelOf<'email'>) => Promise<number>) => {
    let isDirty = true;
    let isPaused = false;
    let rest = new AbortController();
    const round = async (): Promise<number> => {
      const channel = mailChannelOf(config());
      isPaused = false;
      if (channel === null) return clock.now() + longestRestMs;
      const untilAt = mailsStopUntil(sql, channel, clock.now());
      if (untilAt !== null) return untilAt;
      try {
        return await work(channel);
      } catch (error) {
        if (stopping.signal.aborted) return 0;
        if (error instanceof MailsStopped)
          return mailsStopUntil(sql, channel, clock.now()) ?? clock.now() + longestRestMs;
        failed(error instanceof Error ? error.message : String(error));
        isPaused = true;
        return clock.now() + (pausesMs[Math.min(failures, pausesMs.length) - 1] ?? longestRestMs);
      }
    };
    const run = async (): Promise<void> => {
      let lookedAt = Infinity;
      let nextAt = -Infinity;
      while (!stopping.signal.aborted) {
        const nowAt = clock.now();
        // What happens meanwhile does not shorten the pause that a server needs.
        if ((isDirty && !isPaused) || nowAt >= nextAt || nowAt < lookedAt) {
          isDirty = false;
          lookedAt = nowAt;
          nextAt = await round();
        } else {
          rest = new AbortController();
          await clock.sleep(Math.min(nextAt - nowAt, longestRestMs), rest.signal).catch(() => undefined);
        }
      }
    };
    return {
      running: run(),
      wake: (isForced: boolean) => {
        isDirty = true;
        if (isForced) isPaused = false;
        rest.abort();
      },
    };
  };

  const mailLinks = createLinkMailing({ ...options, mail, signal: stopping.signal });
  const loops = [startLoop(mailLinks), startLoop(mailBroadcasts)];
  const wake = (isForced: boolean): void => {
    for (const loop of loops) loop.wake(isForced);
  };
  const unsubscribe = store.onChange(({ operations }) => {
    if (operations.some(([name]) => wakes.test(name))) wake(false);
  });
  return {
    noteQuota,
    reload: () => {
      wake(true);
    },
    stop: async () => {
      stopping.abort();
      wake(true);
      unsubscribe();
      const ended = Promise.all(loops.map(({ running }) => running));
      await waitAtMost(clock, graceMs, ended);
      breaking.abort(new Error('the mailer is stopped'));
      await ended;
    },
  };
}

/** Ends a round, as the mail server spoke of a quota. */
class MailsStopped extends Error {}

/** What may have readers to be mailed. */
const wakes = /^(?:subscriber\.(?:ask|confirm)|incident\.|maintenance\.|clock\.)/;
