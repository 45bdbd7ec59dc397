/** The parts of undici that a probe is made of. */
import type { Socks5Client } from 'undici/lib/core/socks5-client.js';
import type { Client } from 'undici';

export interface HttpClient {
  readonly Client: typeof Client;
  readonly Socks5Client: typeof Socks5Client;
}

let loaded: Promise<HttpClient> | null = null;

/**
 * Loads it: 25 ms the first time. A process that lives long does so early, because what Node once failed to load, for
 * want of a file descriptor, fails to load until the process ends.
 */
export function loadHttpClient(): Promise<HttpClient> {
  return (loaded ??= load().catch((error: unknown) => {
    loaded = null;
    throw error;
  }));
}

async function load(): Promise<HttpClient> {
  const [{ default: Client }, { default: socks5 }] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/socks5-client.js'),
  ]);
  return { Client, Socks5Client: socks5.Socks5Client };
}
