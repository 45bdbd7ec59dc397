/**
 * Runs in a process with few file descriptors: probes targets that are up in every way there is, first with all
 * descriptors taken, then with all of them free again. Each target is a server of this process. Argument: `warm`, for a
 * round before the descriptors are taken, or `cold`.
 */
import { closeSync, openSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { loadHttpClient } from '../../src/engine/net/http/client.ts';
import { probeHttp } from '../../src/engine/probes/http/probe.ts';
import { startHttp, startHttpProxy, startHttps, startSocksProxy } from '../support/http-target.ts';
import { aMonitor, probeContext } from '../support/probing.ts';
import { createAuthority } from '../support/tls.ts';

// What a daemon does before anything else: load the probes, and the libraries that its configuration names.
await Promise.all([loadHttpClient(), import('json-p3'), import('re2js')]);
const authority = createAuthority();
const ok: RequestListener = (_request, response) => response.end('{"a":"b"}');
const plain = await startHttp(ok);
const secure = await startHttps(ok, authority.issue({ names: ['localhost', '127.0.0.1'] }));
const proxy = await startHttpProxy();
const socks = await startSocksProxy();
const tls_ca_file = authority.file;
const monitors = [
  { target: plain.origin },
  { target: plain.origin.replace('127.0.0.1', 'localhost') },
  { target: plain.origin, json_query: "$[?match(@, 'b')]" },
  { target: secure.origin, tls_ca_file },
  { target: secure.origin, tls_ca_file, proxy: proxy.origin },
  { target: plain.origin, proxy: socks.origin.replace('http', 'socks5') },
].map((given) => aMonitor('http', { timeout_secs: 10, ...given }));
const context = probeContext();
const outcomes = async (prepare: () => Promise<void>) => {
  const seen: string[] = [];
  for (const monitor of monitors) {
    await prepare();
    seen.push((await probeHttp(monitor, context)).outcome);
  }
  return seen;
};
const asItIs = () => Promise.resolve();
const taken: number[] = [];
const takeRest = () => {
  const before = taken.length;
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // There is none left.
  }
  return taken.length - before;
};
// What the servers of this process still hold open is given back a little later, so it is tried until none is left.
const takeAll = async () => {
  let looks = 0;
  while (looks < 3) {
    looks = takeRest() > 0 ? 0 : looks + 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const first = process.argv[2] === 'warm' ? await outcomes(asItIs) : [];
const without = await outcomes(takeAll);
for (const descriptor of taken) closeSync(descriptor);
const withAll = await outcomes(asItIs);
authority.remove();
console.log(JSON.stringify({ first, without, withAll }));
process.exit(0);
