/** Mails the links that readers asked for, as far as the limits allow. */
import type { Store } from '../../db/store/store.ts';
import { type SubscriberRow, subscribers } from '../../db/tables/subscribers.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import {
  countedLinkMails,
  judgeLinkMail,
  keepLinkMails,
  linkMailLimits,
} from '../../engine/operations/reader-mail-limits.ts';
import type { ReaderLinks, ReaderMails } from '../../engine/operations/subscribe.ts';
import type { ChannelOf } from '../channels/channel.ts';
import type { ReaderDelivery } from '../channels/reader-mail.ts';

/** Mails one reader. Rejects when the server cannot be used, and the same mail is to be tried again. */
export type MailReader = (
  channel: ChannelOf<'email'>,
  reader: SubscriberRow,
  write: (links: ReaderLinks) => Omit<ReaderDelivery, 'address' | 'fromName'>,
) => Promise<'sent' | 'later' | 'never'>;

interface LinkMailingOptions {
  readonly config: () => Pick<Config, 'subscribe'>;
  readonly store: Pick<Store, 'sql' | 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly mails: Pick<ReaderMails, 'linkMail'>;
  readonly mail: MailReader;
  readonly signal: AbortSignal;
}

/** How many who wait for a link are looked at in one round. */
const pageSize = 1000;
const restMs = 60_000;

/** Answers a function that mails what may be mailed now, and resolves with when to look again (epoch ms). */
export function createLinkMailing(options: LinkMailingOptions) {
  const { config, store, clock, log, mails, mail, signal } = options;
  const { sql } = store;
  let isHeld = false;

  const noteHeld = (count: number): void => {
    if (count > 0 && !isHeld) {
      const { overall, perDomain } = linkMailLimits;
      log({
        level: 'warning',
        event: 'mails.held',
        message: `Confirmation mails wait: at most ${overall} an hour go out that nobody confirms, ${perDomain} of them to one domain. \`statusd subscribers\` lists who waits.`,
      });
    }
    isHeld = count > 0;
  };

  return async (channel: ChannelOf<'email'>): Promise<number> => {
    const perAddress = config().subscribe?.per_address_per_hour ?? 0;
    let counted = countedLinkMails(sql, clock.now());
    const tidied = keepLinkMails(sql, counted);
    if (tidied.length > 0) await store.write(tidied);
    const rows = subscribers.listAsked(sql, pageSize);
    let heldCount = 0;
    for (const [index, row] of rows.entries()) {
      const { uid, askedAt, confirmedAt } = row;
      if (signal.aborted || askedAt === null) return 0;
      const verdict = judgeLinkMail({ ...row, askedAt }, { counted, perAddress, nowAt: clock.now() });
      if (verdict.kind === 'hold_all') {
        heldCount += rows.length - index;
        break;
      }
      if (verdict.kind === 'hold') {
        heldCount += 1;
        continue;
      }
      if (verdict.kind === 'drop') {
        await store.write([subscribers.answered({ uid, askedAt })]);
        continue;
      }
      if (verdict.isNew) {
        // Written first: a mail that goes out as the process ends counts after the next start.
        counted = [...counted, verdict.mail];
        await store.write(keepLinkMails(sql, counted));
      }
      const done = await mail(channel, row, ({ manage, unsubscribe }) => ({
        ...mails.linkMail(manage, confirmedAt !== null),
        deliveryId: `${uid}.link.${askedAt}`,
        unsubscribe: confirmedAt === null ? null : unsubscribe,
      }));
      // A reader who still waits for a link asks again; an address that does not exist is not kept.
      const isNobody = done === 'never' && confirmedAt === null;
      await store.write(
        isNobody
          ? [subscribers.remove({ uid })]
          : [subscribers.answered({ uid, askedAt }), subscribers.mailed({ uid, at: clock.now() })],
      );
    }
    noteHeld(heldCount);
    const isMore = heldCount === 0 && rows.length === pageSize;
    return isMore ? clock.now() : clock.now() + restMs;
  };
}
