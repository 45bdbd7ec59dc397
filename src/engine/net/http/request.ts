/** The request of an HTTP probe. */
import type { Socket } from 'node:net';
import type { HttpMonitor } from '../../config/config.ts';

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  /** Without user name, password and fragment. */
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array | null;
}

/** The way to a server, ready for one request. */
export interface Link {
  readonly socket: Socket;
  /** Who is at the other end, for sentences. */
  readonly peer: string;
  /** The request target: a path, or through a proxy the whole URL (RFC 9112, section 3.2). */
  readonly path: string;
  /** What the way itself needs, such as `proxy-authorization`. */
  readonly headers: readonly Header[];
}

/** Curl allows 300 KiB, browsers 256; a single cookie is 4. */
export const maxHeaderBytes = 64 * 1024;

/** The parts of a monitor that its request is made of. */
export type Requested = Pick<HttpMonitor, 'target' | 'method' | 'headers' | 'body'>;

/**
 * The first request of a monitor. Its own headers come before the usual ones; a user name in the target becomes
 * an `Authorization` header (RFC 7617), unless the monitor sets one.
 */
export function firstRequest({ target, method, headers, body }: Requested, userAgent: string): HttpRequest {
  const url = new URL(target);
  const own: Header[] = Object.entries(headers);
  const usual = [...basicAuthorization(url), ...usualHeaders(userAgent)];
  const isSet = new Set(own.map(([name]) => name.toLowerCase()));
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  // Browsers keep it to themselves; a proxy would ask the target for it.
  bare.hash = '';
  return { url: bare, method, headers: [...own, ...usual.filter(([name]) => !isSet.has(name))], body };
}

/** The headers of a request that has none of its own. */
export function usualHeaders(userAgent: string): Header[] {
  return [
    ['user-agent', userAgent],
    ['accept', '*/*'],
    // A body as it is, the way wget asks for it: what is judged is what the server made.
    ['accept-encoding', 'identity'],
  ];
}

/** The `Authorization` header that the user name and password of a URL stand for; none when there are none. */
function basicAuthorization(url: URL): Header[] {
  const login = loginOf(url);
  return login === null ? [] : [['authorization', basic(login)]];
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The user name and password of a URL, decoded; null when it has none. */
export function loginOf(url: URL): Login | null {
  if (url.username === '' && url.password === '') return null;
  return { username: decode(url.username), password: decode(url.password) };
}

export function basic({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign stands for itself.
    return text;
  }
}
