/** Asks a daemon for its health. */
import type { Trust } from '../../engine/net/tls-trust.ts';
import { type HttpAnswer, httpRequest } from '../http-request.ts';

export type HealthAnswer = Pick<HttpAnswer, 'status' | 'text'>;

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
