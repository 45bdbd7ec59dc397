/** A channel that is reached with one HTTP request, as a row: what to ask, what to make of the answer. */
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import type { Header } from '../../engine/net/http/request.ts';
import type { Message } from '../message.ts';
import type { ChannelOf } from './channel.ts';

export interface HttpCall {
  /** May hold a secret: it is never shown. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: readonly Header[];
  readonly body: string | null;
}

export interface HttpChannel<Type extends ChannelType> {
  /** The subject of sentences about what was answered. */
  readonly vendor: string;
  /** `nowAt`: the wall clock at this attempt. */
  readonly call: (message: Message, channel: ChannelOf<Type>, nowAt: number) => HttpCall;
  /** A question that only good credentials answer, and that notifies nobody. */
  readonly whoAmI: ((channel: ChannelOf<Type>) => HttpCall) | null;
  /** What to check when it answers a status, after "check ". */
  readonly advice: Readonly<Record<number, string>>;
  /** Statuses below 500 that a later attempt may not get, besides 408, 425 and 429. */
  readonly passing?: readonly number[];
  /** Whether an answer with a good status says no all the same. */
  readonly isRefusal?: (answer: Readonly<Record<string, unknown>>) => boolean;
}

export const jsonType: Header = ['content-type', 'application/json'];

/** `value` as the body of a request. */
export function jsonBody(value: Readonly<Record<string, unknown>>): Pick<HttpCall, 'headers' | 'body'> {
  return { headers: [jsonType], body: JSON.stringify(value) };
}
