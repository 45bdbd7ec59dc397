import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

/**
 * Runs in a process with few file descriptors: probes targets that are up, first with all of them taken, then
 * with all of them free again.
 */
const program = `
  import { once } from 'node:events';
  import { closeSync, openSync } from 'node:fs';
  import { createServer } from 'node:net';
  import { createServer as createHttpServer } from 'node:http';
  import { check } from './src/engine/probes/check.ts';
  import { loadProbes } from './src/engine/probes/probe.ts';
  import { startDnsServer } from './tests/support/dns-server.ts';
  import { pluginFolder } from './tests/support/plugins.ts';
  import { aMonitor, probeContext } from './tests/support/probing.ts';

  const folder = pluginFolder();
  folder.script('fine', 'exit 0');
  folder.script('ping', 'exit 0');
  const dns = await startDnsServer({ 'example.com': { A: ['192.0.2.1'] } });
  const tcp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const http = createHttpServer((request, response) => response.end('fine')).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const own = { probe_retries: 0, timeout_secs: 1 };
  const monitors = [
    aMonitor('http', { target: 'http://127.0.0.1:' + http.address().port, ...own }),
    aMonitor('tcp', { target: '127.0.0.1:' + tcp.address().port, ...own }),
    aMonitor('dns', { target: 'example.com', dns_resolver: dns.address, ...own }),
    aMonitor('dns', { target: 'example.com', ...own }),
    aMonitor('exec', { command: ['fine'], ...own }),
    aMonitor('icmp', { target: '127.0.0.1', ...own }),
  ];
  const context = probeContext({ execDir: folder.path, searchPath: folder.path, nameServers: [dns.address] });
  const outcomes = async (prepare) => {
    const seen = [];
    for (const monitor of monitors) {
      await prepare();
      seen.push((await check(monitor, context)).result.outcome);
    }
    return seen;
  };
  await loadProbes(monitors.map(({ kind }) => kind));
  const taken = [];
  // What was still open for another purpose may be closed a little later, so it is tried until none is free for long.
  const takeAll = async () => {
    for (let quiet = 0; quiet < 10; quiet += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      try {
        for (;;) {
          taken.push(openSync('/dev/null'));
          quiet = 0;
        }
      } catch {}
    }
  };
  const without = await outcomes(takeAll);
  taken.forEach((descriptor) => closeSync(descriptor));
  const withAll = await outcomes(async () => undefined);
  folder.remove();
  console.log(JSON.stringify({ without, withAll }));
  process.exit(0);
`;

describe('a host without file descriptors', () => {
  it('knows nothing of targets that are up, and calls none of them down', () => {
    const child = spawnSync(
      '/bin/sh',
      [
        '-c',
        'ulimit -n 100; exec "$0" "$@"',
        process.execPath,
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        program,
      ],
      { encoding: 'utf8' },
    );
    assert.deepEqual(
      JSON.parse(child.stdout),
      {
        without: ['unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
        withAll: ['healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy'],
      },
      child.stderr,
    );
  });
});
