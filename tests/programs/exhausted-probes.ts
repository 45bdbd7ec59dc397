/**
 * Runs in a process with few file descriptors: probes targets that are up, first with all of them taken, then
 * with all of them free again.
 */
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { check } from '../../src/engine/probes/check.ts';
import { loadProbes } from '../../src/engine/probes/probe.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { pluginFolder } from '../support/plugins.ts';
import { aMonitor, probeContext } from '../support/probing.ts';

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const folder = pluginFolder();
folder.script('fine', 'exit 0');
folder.script('ping', 'exit 0');
const dns = await startDnsServer({ 'example.com': { A: ['192.0.2.1'] } });
const tcp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
await once(tcp, 'listening');
const http = createHttpServer((_request, response) => response.end('fine')).listen(0, '127.0.0.1');
await once(http, 'listening');
const own = { probe_retries: 0, timeout_secs: 1 };
const monitors = [
  aMonitor('http', { target: `http://127.0.0.1:${portOf(http)}`, ...own }),
  aMonitor('tcp', { target: `127.0.0.1:${portOf(tcp)}`, ...own }),
  aMonitor('dns', { target: 'example.com', dns_resolver: dns.address, ...own }),
  aMonitor('dns', { target: 'example.com', ...own }),
  aMonitor('exec', { command: ['fine'], ...own }),
  aMonitor('icmp', { target: '127.0.0.1', ...own }),
];
const context = probeContext({ execDir: folder.path, searchPath: folder.path, nameServers: [dns.address] });
const outcomes = async (prepare: () => Promise<void>) => {
  const seen: string[] = [];
  for (const monitor of monitors) {
    await prepare();
    seen.push((await check(monitor, context)).result.outcome);
  }
  return seen;
};
await loadProbes(monitors.map(({ kind }) => kind));
const taken: number[] = [];
// What was still open for another purpose may be closed a little later, so it is tried until none is free for long.
const takeAll = async () => {
  for (let quiet = 0; quiet < 10; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    try {
      for (;;) {
        taken.push(openSync('/dev/null', 'r'));
        quiet = 0;
      }
    } catch {
      // There is none left.
    }
  }
};
const without = await outcomes(takeAll);
for (const descriptor of taken) closeSync(descriptor);
const withAll = await outcomes(() => Promise.resolve());
folder.remove();
console.log(JSON.stringify({ without, withAll }));
process.exit(0);
