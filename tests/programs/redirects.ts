/**
 * Runs in a network of its own (`unshare -rn`), where this process has addresses of the internet, of a private network and
 * of a cloud's metadata service. Follows redirects between them, and prints what the probes report and who was asked.
 */
import { execFileSync } from 'node:child_process';
import type { HttpMonitor } from '../../src/engine/config/config.ts';
import type { Resolver } from '../../src/engine/net/resolve.ts';
import type { ResolvedAddress } from '../../src/engine/net/address.ts';
import { probeHttp } from '../../src/engine/probes/http/probe.ts';
import { startHttp, startSocksProxy } from '../support/http-target.ts';
import { aMonitor, probeContext } from '../support/probing.ts';

const site = '203.0.113.1';
const addresses = [site, '203.0.113.2', '10.0.0.5', '100.64.0.1', '169.254.169.254', '172.16.0.1'];
for (const address of addresses) execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
for (const address of ['fd00::5', 'fd00:ec2::254'])
  execFileSync('ip', ['addr', 'add', `${address}/128`, 'dev', 'lo', 'nodad']);
execFileSync('ip', ['link', 'set', 'lo', 'up']);

let asked: string[] = [];
const server = await startHttp(
  (request, response) => {
    asked.push(`${request.socket.localAddress?.replace('::ffff:', '') ?? ''}${request.url ?? ''}`);
    const location = /^\/to\?(.*)$/.exec(request.url ?? '')?.[1];
    if (location !== undefined) response.writeHead(302, { location }).end('moved');
    else response.writeHead(500).end('inside');
  },
  { host: '::', port: 80 },
);
const proxy = await startSocksProxy({
  hosts: { 'public.example': site, [site]: site, '10.0.0.5': '10.0.0.5' },
});
const way = proxy.origin.replace('http:', 'socks5:');

/** Each name in turn leads to the next of its addresses, and stays with the last one. */
function resolverOf(names: Readonly<Record<string, readonly string[][]>>): Resolver {
  const turns = new Map<string, number>();
  return {
    resolve: (host) => {
      const lists = names[host];
      if (lists === undefined) return plain.resolve(host, { signal: new AbortController().signal });
      const turn = turns.get(host) ?? 0;
      turns.set(host, turn + 1);
      const found = lists[Math.min(turn, lists.length - 1)] ?? [];
      return Promise.resolve(
        found.map((address): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  };
}
const { resolver: plain } = probeContext();

const names = {
  'inside.example': [['10.0.0.5']],
  'mixed.example': [['10.0.0.5', '203.0.113.2']],
  'turning.example': [[site], ['127.0.0.1']],
};
const to = (location: string, from = site) => `http://${from}/to?${location}`;
const cases: Readonly<Record<string, Partial<HttpMonitor> & { readonly target: string }>> = {
  loopback: { target: to('http://127.0.0.1/x') },
  loopback6: { target: to('http://[::1]/x') },
  unspecified: { target: to('http://0.0.0.0/x') },
  mapped: { target: to('http://[::ffff:10.0.0.5]/x') },
  decimal: { target: to('http://2130706433/x') },
  localhost: { target: to('http://localhost/x') },
  private: { target: to('http://10.0.0.5/x') },
  private6: { target: to('http://[fd00::5]/x') },
  shared: { target: to('http://100.64.0.1/x') },
  metadata: { target: to('http://169.254.169.254/latest') },
  metadata6: { target: to('http://[fd00:ec2::254]/latest') },
  name: { target: to('http://inside.example/x') },
  second: { target: to('http://203.0.113.2/to?http://10.0.0.5/x') },
  rebound: { target: 'http://turning.example/to?/x' },
  mixed: { target: to('http://mixed.example/x') },
  public: { target: to('http://203.0.113.2/x') },
  same: { target: to('/x') },
  allowed: { target: to('http://10.0.0.5/x'), allow_private_redirects: true },
  own: { target: to('http://127.0.0.1/x', '10.0.0.5') },
  own_and_back: { target: to('http://203.0.113.2/to?http://172.16.0.1/x', '10.0.0.5') },
  proxy: { target: to('http://10.0.0.5/x', 'public.example'), proxy: way },
  proxy_name: { target: to('http://intranet/x', 'public.example'), proxy: way },
  proxy_metadata: { target: to('http://metadata.google.internal/x', site), proxy: way },
  proxy_public: { target: to(`http://${site}/x`, 'public.example'), proxy: way },
  proxy_own: { target: to(`http://10.0.0.5/x`, '10.0.0.5'), proxy: way },
};
const seen: Record<string, unknown> = {};
for (const [name, given] of Object.entries(cases)) {
  asked = [];
  const context = probeContext({ resolver: resolverOf(names) });
  const result = await probeHttp(aMonitor('http', { timeout_secs: 5, ...given }), context);
  const { outcome, reason, answer } = result;
  seen[name] = { outcome, ...reason, body: answer?.body ?? null, asked };
}
process.stdout.write(JSON.stringify(seen));
await Promise.all([server.close(), proxy.close()]);
