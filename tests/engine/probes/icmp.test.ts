import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { probeIcmp } from '../../../src/engine/probes/icmp.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { type PluginFolder, pluginFolder } from '../../support/plugins.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';

const hasPing = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, 'ping')));
const skip = hasPing || process.env['CI'] === 'true' ? false : 'there is no ping on this host';

const resolvesTo = (...addresses: readonly string[]): Partial<ProbeContext> => ({
  resolver: {
    resolve: (_host, { families = [4, 6] }) =>
      Promise.resolve(
        addresses
          .map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }))
          .filter(({ family }) => families.includes(family)),
      ),
  },
});

const probe = (
  target: string,
  parts: Partial<ProbeContext> = {},
  more: { dual_stack?: boolean; timeout_secs?: number } = {},
) => probeIcmp(aMonitor('icmp', { target, timeout_secs: 5, ...more }), probeContext(parts));

describe('an icmp probe', { skip }, () => {
  for (const target of ['127.0.0.1', '::1', 'localhost']) {
    it(`reaches ${target}`, async () => {
      const result = await probe(target);
      assert.equal(result.reason, null);
      assert.ok(result.latencyMs !== null && result.latencyMs > 0 && result.latencyMs < 1000);
      assert.equal(result.timings.dnsMs === null, target !== 'localhost');
    });
  }

  it('fails by its deadline when nothing comes back', async () => {
    const startedAt = performance.now();
    // Multicast to all hosts: Linux does not answer it (net.ipv4.icmp_echo_ignore_broadcasts).
    const result = await probe('224.0.0.1', {}, { timeout_secs: 0.4 });
    assert.ok(performance.now() - startedAt < 3000);
    assert.notEqual(result.outcome, 'healthy');
    assert.equal(result.address, '224.0.0.1');
  });

  it('reaches a host over both families', async () => {
    const result = await probe('both.example', resolvesTo('127.0.0.1', '::1'), { dual_stack: true });
    assert.equal(result.outcome, 'healthy');
  });

  it('is degraded when one family of two is missing', async () => {
    const result = await probe('127.0.0.1', {}, { dual_stack: true });
    assert.equal(result.outcome, 'degraded');
    assert.equal(result.reason?.category, 'address_family');
    assert.equal(
      result.reason.message,
      'it answers over IPv4 only; over IPv6, 127.0.0.1 is not an IPv6 address',
    );
  });
});

describe('an icmp probe with a ping of its own', () => {
  let folder: PluginFolder;
  before(() => {
    folder = pluginFolder();
  });
  after(() => {
    folder.remove();
  });
  const probeWith = (script: string, parts: Partial<ProbeContext> = {}, timeout_secs = 5) => {
    folder.script('ping', script);
    return probe(
      'host.example',
      { ...resolvesTo('192.0.2.1'), searchPath: folder.path, ...parts },
      { timeout_secs },
    );
  };

  it('asks for one packet to the address it has resolved, in the C locale', async () => {
    const log = join(folder.parent, 'log');
    await probeWith(`echo "$LC_ALL $@" > ${log}; exit 1`);
    assert.match(readFileSync(log, 'utf8'), /^C -n -c 1 (-W \d+ )?192\.0\.2\.1\n$/);
  });

  it('takes the latency from ping, not from the time its process took', async () => {
    const result = await probeWith('echo "64 bytes from 192.0.2.1: seq=0 ttl=64 time=20.056 ms"');
    assert.equal(result.latencyMs, 20.056);
    assert.equal(result.address, '192.0.2.1');
  });

  it('fails when nothing comes back', async () => {
    const result = await probeWith('exit 1');
    assert.equal(result.outcome, 'failed');
    assert.deepEqual(result.reason, { category: 'timeout', message: '192.0.2.1 did not reply within 5 s' });
  });

  it('fails at its deadline, and ends ping', async () => {
    const startedAt = performance.now();
    const result = await probeWith('trap "" TERM; /bin/sleep 60', {}, 0.3);
    assert.ok(performance.now() - startedAt < 3000);
    assert.deepEqual(result.reason, { category: 'timeout', message: '192.0.2.1 did not reply within 0.3 s' });
  });

  it('fails when a router says that it is unreachable', async () => {
    const result = await probeWith('echo "From 192.0.2.254 icmp_seq=1 Destination Host Unreachable"; exit 1');
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'connection');
    assert.match(
      result.reason.message,
      /^192\.0\.2\.1 is unreachable: 192\.0\.2\.254 says "Destination Host/,
    );
  });

  it('goes on to IPv6 where this host has no route for IPv4', async () => {
    const script =
      'case "$*" in *:*) echo "64 bytes from ::1: seq=0 ttl=64 time=1 ms";; *) echo "ping: connect: Network is unreachable" >&2; exit 2;; esac';
    const result = await probeWith(script, resolvesTo('2001:db8::1', '192.0.2.1'));
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.address, '2001:db8::1');
  });

  it('does not try IPv6 when IPv4 is silent: that is an answer', async () => {
    const script = 'case "$*" in *:*) echo "64 bytes from ::1: seq=0 ttl=64 time=1 ms";; *) exit 1;; esac';
    const result = await probeWith(script, resolvesTo('2001:db8::1', '192.0.2.1'));
    assert.equal(result.outcome, 'failed');
  });

  for (const [what, script, message] of [
    [
      'ping may not send',
      'echo "ping: permission denied (are you root?)" >&2; exit 1',
      /setcap cap_net_raw\+ep/,
    ],
    [
      'ping fails in a way of its own',
      'echo "ping: \\033[31mbad" >&2; exit 2',
      /^ping failed on this host: /,
    ],
    [
      'ping floods its output',
      'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done',
      /more than 64 KiB$/,
    ],
    ['ping is killed', 'kill -KILL $$', /killed by SIGKILL$/],
  ] as const) {
    it(`knows nothing, and says what to do, when ${what}`, async () => {
      // The flood goes on until the deadline.
      const result = await probeWith(script, {}, 1);
      assert.equal(result.outcome, 'unknown');
      assert.equal(result.reason?.category, 'own_fault');
      assert.match(result.reason.message, message);
      assert.doesNotMatch(result.reason.message, /\p{Cc}/u);
    });
  }

  it('knows nothing, and says what to install, when there is no ping', async () => {
    const result = await probe('192.0.2.1', { searchPath: join(folder.parent, 'empty') });
    assert.equal(result.outcome, 'unknown');
    assert.match(result.reason?.message ?? '', /^there is no ping on this host: install it/);
  });

  it('knows nothing when ping may not be run', async () => {
    const other = pluginFolder();
    other.script('ping', 'exit 0', 0o644);
    const result = await probe('192.0.2.1', { searchPath: other.path });
    other.remove();
    assert.equal(result.outcome, 'unknown');
  });

  it('ends ping when it is called off', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    setTimeout(() => {
      controller.abort(reason);
    }, 50);
    await assert.rejects(probeWith('/bin/sleep 60', { signal: controller.signal }), reason);
  });
});
