/** The interface of a channel type. */
import type { Channel } from '../../engine/config/config.ts';
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';

export type ChannelOf<Type extends ChannelType> = Extract<Channel, { readonly type: Type }>;

/** Whom of its recipients a message will never reach as things are, and why: one sentence like `error`. Absent: it reached all. */
type Unreached = string;

/** How one attempt ended. */
export type Attempt =
  | { readonly kind: 'sent'; readonly unreached?: Unreached }
  | {
      readonly kind: 'failed';
      /** One sentence, fit for a terminal, without secrets: what was answered, then what to check. */
      readonly error: string;
      /** The same message will never be taken as things are configured. */
      readonly isPermanent: boolean;
      /** How long the vendor asks to be left alone; null when it says nothing of it. */
      readonly retryAfterMs: number | null;
      /** All of it went out and no answer came that can be read: it may have been received. Trying again makes a copy. */
      readonly mayBeReceived?: true;
      /** How much of the time to answer was left then, ms: the receiver may still be at work on it. Absent: none. */
      readonly leftMs?: number;
      /** Some recipients have it: the next attempt is for the others alone, while this process runs. */
      readonly reachedSome?: true;
      /** A mail server says that its client has sent too much. */
      readonly isQuota?: true;
    };

/** How a delivery, all its attempts, ended. */
export type Delivered =
  | { readonly kind: 'sent'; readonly attempts: number; readonly unreached?: Unreached }
  | {
      readonly kind: 'failed';
      readonly attempts: number;
      /** One sentence: what the vendor answered, then what to check. Holds no secret. */
      readonly error: string;
      /** Trying the same again later cannot help. */
      readonly isPermanent: boolean;
      /** How long the vendor asked to be left alone; null when it said nothing. */
      readonly retryAfterMs: number | null;
      /** All of it went out and no answer came that can be read: it may have been received. Trying again makes a copy. */
      readonly mayBeReceived?: true;
      /** How much of the time to answer was left then, ms: the receiver may still be at work on it. Absent: none. */
      readonly leftMs?: number;
      /** Some recipients have it: the next attempt is for the others alone, while this process runs. */
      readonly reachedSome?: true;
      /** A mail server says that its client has sent too much. */
      readonly isQuota?: true;
    };

/** What an attempt may touch. `signal` calls it off. */
export type SendContext = Pick<
  ProbeContext,
  'clock' | 'signal' | 'resolver' | 'trust' | 'redact' | 'version' | 'execDir'
>;

/** A type of channel. Neither call rejects, unless `ctx.signal` is aborted: then with its reason. */
export interface ChannelKind<Type extends ChannelType> {
  /** One attempt, within a deadline of its own. */
  readonly send: (message: Message, channel: ChannelOf<Type>, ctx: SendContext) => Promise<Attempt>;
  /** Whether the credentials are good, without anyone being notified; null where no such question exists. */
  readonly verify: ((channel: ChannelOf<Type>, ctx: SendContext) => Promise<Attempt>) | null;
}
