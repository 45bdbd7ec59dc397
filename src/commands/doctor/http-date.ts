/** Asks a web server what time it is. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';

export interface ServerDate {
  readonly host: string;
  /** How far its clock is ahead of this one. */
  readonly offsetMs: number;
}

/** A HEAD request without any header of the monitor; null when no time comes back within `patienceMs`. */
export async function dateAt(
  origin: URL,
  { clock, signal }: Pick<ProbeContext, 'clock' | 'signal'>,
  patienceMs: number,
): Promise<ServerDate | null> {
  const isSecure = origin.protocol === 'https:';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const options: RequestOptions & { readonly rejectUnauthorized?: boolean } = {
    method: 'HEAD',
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    // A wrong clock is a reason why a certificate is refused; nothing secret is sent here.
    ...(isSecure && { rejectUnauthorized: false }),
  };
  try {
    const startedAt = clock.now();
    const { headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL('/', origin), options, (response) => {
        response.destroy();
        resolve(response);
      })
        .on('error', reject)
        .end();
    });
    const at = Date.parse(headers.date ?? '');
    if (Number.isNaN(at)) return null;
    // What a cache answers is as old as it says (RFC 9111, section 5.1); the date is cut to the second.
    const saidAt = at + 500 + (Number(headers.age ?? 0) || 0) * 1000;
    return { host: origin.host, offsetMs: saidAt - (startedAt + clock.now()) / 2 };
  } catch {
    return null;
  }
}
