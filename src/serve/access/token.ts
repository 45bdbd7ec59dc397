/** Tokens as a request presents them, and their comparison. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../engine/config/secret.ts';

/** What a request presents, by the way it was sent. */
export interface Presented {
  /** `Authorization: Bearer …` */
  readonly bearer: string | null;
  /** `X-Push-Token: …` */
  readonly push: string | null;
  /** `?token=…` */
  readonly query: string | null;
  /** In the path of a heartbeat, where else the id of its monitor stands. */
  readonly path: string | null;
}

/** `query`: null when the address has none. */
export function presentedBy(headers: IncomingHttpHeaders, query: URLSearchParams | null): Presented {
  const push = headers['x-push-token'];
  if (query === null && push === undefined && headers.authorization === undefined) return noToken;
  return {
    bearer: bearerIn(headers.authorization),
    push: typeof push === 'string' ? push : null,
    query: query?.get('token') ?? null,
    path: null,
  };
}

/** Nothing is presented. */
export const noToken: Presented = { bearer: null, push: null, query: null, path: null };

/** Every token that is presented. */
export function textsOf({ bearer, push, query, path }: Presented): readonly string[] {
  if (bearer === null && push === null && query === null && path === null) return none;
  return [bearer, push, query, path].filter((text) => text !== null && text !== '') as string[];
}

const none: readonly string[] = [];

function bearerIn(header: string | undefined): string | null {
  return header === undefined ? null : (/^Bearer +(\S+) *$/i.exec(header)?.[1] ?? null);
}

/** Whether any of the texts is the secret, in a time that shows nothing of how much of it was right. */
export function isAnyToken(secret: Secret | null, texts: readonly (string | null)[]): boolean {
  if (secret === null) return false;
  const given = texts.filter((text) => text !== null);
  if (given.length === 0) return false;
  const wanted = digestOf(secret);
  return given.some((text) => timingSafeEqual(printOf(text).digest, wanted));
}

/** Where a secret was presented by who reads; null: nowhere. A header goes before the address. */
export function wayOf(secret: Secret | null, { bearer, query }: Presented): 'header' | 'address' | null {
  if (bearer === null && query === null) return null;
  if (isAnyToken(secret, [bearer])) return 'header';
  return isAnyToken(secret, [query]) ? 'address' : null;
}

/**
 * The first of `holders` whose secret is the text; null: nobody's is. All of them are compared, whichever it is, so that
 * the time shows neither whose it was nor how much of it was right.
 */
export function holderOf<Holder extends { readonly secret: Secret | null }>(
  text: string | null,
  holders: readonly Holder[],
): Holder | null {
  if (text === null) return null;
  const given = printOf(text).digest;
  let found: Holder | null = null;
  for (const holder of holders) {
    if (holder.secret !== null && timingSafeEqual(digestOf(holder.secret), given)) found ??= holder;
  }
  return found;
}

/** What a token is compared and remembered by. */
export interface TokenPrint {
  /** Of one length for all, which `timingSafeEqual` needs. */
  readonly digest: Buffer;
  /** The same as text. */
  readonly name: string;
}

/** Of so many tokens, none longer than this, the print is remembered: who sends often sends the same again and again. */
const maxPrints = 512;
const maxLength = 256;

/** Digests of this process mean nothing elsewhere. */
const salt = randomBytes(16).toString('hex');
const prints = new Map<string, TokenPrint>();

export function printOf(text: string): TokenPrint {
  const made = prints.get(text);
  if (made !== undefined) return made;
  const digest = hash('sha256', salt + text, 'buffer');
  const print = { digest, name: digest.toString('base64') };
  if (prints.size >= maxPrints) prints.clear();
  if (text.length <= maxLength) prints.set(text, print);
  return print;
}

const known = new WeakMap<Secret, Buffer>();

/** Made once for each secret, and gone with the configuration that has it. */
function digestOf(secret: Secret): Buffer {
  const made = known.get(secret);
  if (made !== undefined) return made;
  const { digest } = printOf(secret.reveal());
  known.set(secret, digest);
  return digest;
}
