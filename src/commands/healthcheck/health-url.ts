/** Finds the address to ask a daemon for its health at. */
import { parseHostPort } from '../../engine/config/types/address.ts';
import { parseUrl } from '../../engine/config/types/url.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';

/** Nobody can connect to these: they stand for every address of the host. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where a daemon that listens on `bind` answers from here. Throws `daemon_unreachable` for port 0. */
export function healthUrlOfBind(bind: string): URL {
  const parsed = parseHostPort(bind);
  if (parsed === null || parsed.port === 0) {
    throw new StatusdError('daemon_unreachable', `server.bind is ${bind}, which names no port to ask`, {
      hint: 'Name the address with --url.',
    });
  }
  const host = loopbackOf[parsed.host] ?? parsed.host;
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${parsed.port}/healthz`);
}

/** A server's address as it was typed, with or without `/healthz`. Throws `usage`. */
export function readUrl(typed: string): URL {
  const url = parseUrl(typed);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new StatusdError('usage', `--url needs an http or https URL, not '${cleanLine(typed)}'`, {
      hint: 'For example http://127.0.0.1:8787.',
    });
  }
  url.search = '';
  url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/healthz') ? path : `${path}/healthz`;
  return url;
}
