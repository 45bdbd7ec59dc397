/** Requests the health of a daemon. */
import { anObject, aNumber, aText, type UnknownFields, parseJson, readAs } from '../../engine/core/decode.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import { type HttpAnswer, httpRequest } from '../http-request.ts';
import { parseHostPort } from '../../engine/config/types/address.ts';
import { parseUrl } from '../../engine/config/types/url.ts';

export interface HealthReport {
  readonly isOk: boolean;
  /** One line for people. */
  readonly message: string;
  /** The document as it came. */
  readonly body: UnknownFields;
}

/** Throws `daemon_unreachable` when that is not how statusd answers. */
export function readHealth({ status, text }: HealthAnswer, url: URL): HealthReport {
  const body = readAs(parseJson(text), anObject);
  if (body === null || !('scheduler_ok' in body) || (status !== 200 && status !== 503)) {
    throw new StatusdError('daemon_unreachable', `${url.origin} answers with ${status}, not like statusd`, {
      hint: 'Does another program listen there?',
    });
  }
  const faults = faultsOf(body);
  const isOk = status === 200;
  const words = faults.length > 0 ? `: ${faults.join('; ')}` : '';
  const { status: said, reason } = body;
  const but = said === 'degraded' && aText(reason) ? `, but ${cleanLine(reason)}` : '';
  return { isOk, message: isOk ? `ok${but}${lastTick(body)}` : `not healthy${words}${lastTick(body)}`, body };
}

function faultsOf(body: UnknownFields): readonly string[] {
  return [
    ...(body['scheduler_ok'] === false ? ['the scheduler is stalled'] : []),
    ...(body['db_ok'] === false ? ['the database is not written'] : []),
    ...(body['heartbeats_ok'] === false && body['db_ok'] !== false ? ['heartbeats cannot be handed on'] : []),
  ];
}

function lastTick({ last_tick_age: age }: UnknownFields): string {
  return aNumber(age) ? `, last tick ${Math.round(age)} s ago` : '';
}

/** Asks a daemon for its health. */
type HealthAnswer = Pick<HttpAnswer, 'status' | 'text'>;

/** What the server answers within `patienceMs`. Rejects with `daemon_unreachable`. */
export function askHealth(url: URL, patienceMs: number, trust?: Trust): Promise<HealthAnswer> {
  return httpRequest(url, {
    patienceMs,
    maxBytes: 256 * 1024,
    trust,
    what: `no daemon answers at ${url.origin}`,
    hint: 'Is `statusd serve` running with this configuration?',
  });
}

/** Nobody can connect to these: they stand for every address of the host. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where a daemon that listens on `bind`, which `source` says, answers from here. Throws `daemon_unreachable` for port 0. */
export function healthUrlOfBind(bind: string, source = 'server.bind'): URL {
  const parsed = parseHostPort(bind);
  if (parsed === null || parsed.port === 0) {
    throw new StatusdError(
      'daemon_unreachable',
      `${source} is ${cleanLine(bind)}, which names no port to ask`,
      {
        hint: 'Name the address with --url.',
      },
    );
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
