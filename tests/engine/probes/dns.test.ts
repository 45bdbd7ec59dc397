import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { probeDns } from '../../../src/engine/probes/dns.ts';
import { closedPort } from '../../support/closed-port.ts';
import { type DnsServer, startDnsServer, type Zone } from '../../support/dns-server.ts';
import { createResolver } from '../../../src/engine/net/resolve.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';
import { realClock } from '../../support/real-clock.ts';

const many = Array.from({ length: 200 }, (_, index) => `192.0.2.${String(index)}`);

const zone: Zone = {
  'example.com': {
    A: ['192.0.2.2', '192.0.2.1'],
    AAAA: ['2001:db8:0:0:0:0:0:1'],
    CAA: ['0 issue ca.example', '128 iodef mailto:security@example.com'],
    MX: ['20 backup.example.com', '10 Mail.example.com'],
    NS: ['ns1.example.com', 'ns2.example.com'],
    SOA: ['ns1.example.com host.example.com 7 3600 600 86400 300'],
    SRV: ['0 5 5060 sip.example.com'],
    TXT: ['v=spf1 include:a.example, -all', `key=${'x'.repeat(300)}`, 'Grüße, 世界'],
  },
  'www.example.com': { CNAME: ['example.com'] },
  'lost.example.com': { CNAME: ['empty.example.com'] },
  '1.2.0.192.in-addr.arpa': { PTR: ['host.example.com'] },
  'big.example.com': { A: many, truncatesUdp: true },
  'empty.example.com': {},
  'evil.example.com': { TXT: ['\u001b]0;owned\u0007 hunter2 <b>'] },
  'lossy.example.com': { A: ['192.0.2.1'], losesFirst: true },
  'silent.example.com': 'silent',
  'broken.example.com': 'SERVFAIL',
  'refused.example.com': 'REFUSED',
  'garbage.example.com': 'garbage',
};

describe('a dns probe', () => {
  let server: DnsServer;
  before(async () => {
    server = await startDnsServer(zone);
  });
  after(() => server.close());

  const monitor = (parts: Partial<Parameters<typeof probeDns>[0]>) =>
    aMonitor('dns', { target: 'example.com', dns_resolver: server.address, timeout_secs: 2, ...parts });

  const accepted = [
    { dns_record: 'A', dns_expected: ['192.0.2.1', '192.0.2.2'] },
    { dns_record: 'A', dns_expected: ['192.0.2.1', '192.0.2.2', '192.0.2.1'] },
    { dns_record: 'AAAA', dns_expected: ['2001:DB8::1'] },
    { dns_record: 'MX', dns_expected: ['10 mail.example.com.', '20 BACKUP.example.com'] },
    { dns_record: 'NS', dns_expected: ['NS2.example.com.', 'ns1.example.com'] },
    { dns_record: 'SRV', dns_expected: ['0 5 5060  sip.example.com.'] },
    { dns_record: 'CAA', dns_expected: ['128 IODEF "mailto:security@example.com"', '0 issue ca.example'] },
    { dns_record: 'SOA', dns_expected: ['ns1.example.com. host.example.com. 7 3600 600 86400 300'] },
    {
      dns_record: 'TXT',
      dns_expected: ['Grüße, 世界', `key=${'x'.repeat(300)}`, '"v=spf1 include:a.example, -all"'],
    },
    { dns_record: 'CNAME', target: 'www.example.com', dns_expected: ['Example.com.'] },
    { dns_record: 'A', target: 'www.example.com', dns_expected: ['192.0.2.2', '192.0.2.1'] },
    { dns_record: 'PTR', target: '1.2.0.192.in-addr.arpa', dns_expected: ['host.example.com'] },
    { dns_record: 'PTR', target: '192.0.2.1', dns_expected: ['host.example.com'] },
  ] as const;
  for (const parts of accepted) {
    it(`takes ${parts.dns_record} records in any order and notation: ${parts.dns_expected[0].slice(0, 40)}`, async () => {
      const result = await probeDns(monitor(parts), probeContext());
      assert.equal(result.reason, null);
      assert.equal(result.outcome, 'healthy');
      assert.equal(result.assertions[0]?.isMet, true);
      assert.ok(result.latencyMs !== null && result.latencyMs > 0);
    });
  }

  const refused = [
    ['a missing one', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
    ['one too many', ['192.0.2.1']],
    ['a different one', ['192.0.2.1', '192.0.2.9']],
  ] as const;
  for (const [what, dns_expected] of refused) {
    it(`fails on ${what}, with the whole answer kept`, async () => {
      const result = await probeDns(monitor({ dns_expected }), probeContext());
      assert.equal(result.outcome, 'failed');
      assert.equal(result.reason?.category, 'content');
      assert.equal(
        result.reason.message,
        `the A records of example.com are 192.0.2.2, 192.0.2.1, not ${dns_expected.join(', ')}`,
      );
      assert.deepEqual(result.answer, {
        statusLine: 'NOERROR example.com A',
        headers: [['server', server.address]],
        body: '192.0.2.2\n192.0.2.1',
      });
      assert.equal(result.assertions[0]?.isMet, false);
    });
  }

  it('compares texts by case, names without', async () => {
    const result = await probeDns(
      monitor({
        dns_record: 'TXT',
        dns_expected: ['V=SPF1 include:a.example, -all', `key=${'x'.repeat(300)}`],
      }),
      probeContext(),
    );
    assert.equal(result.outcome, 'failed');
  });

  it('asks a name server by its name, which this host looks up', async () => {
    const port = server.address.split(':')[1] ?? '';
    const asked: string[] = [];
    const resolver = {
      resolve: (host: string) => {
        asked.push(host);
        return Promise.resolve([{ address: '127.0.0.1', family: 4 } as const]);
      },
    };
    const named = monitor({
      dns_resolver: `ns.example.net:${port}`,
      dns_expected: ['192.0.2.1', '192.0.2.2'],
    });
    const result = await probeDns(named, probeContext({ resolver }));
    assert.deepEqual([result.reason, result.outcome, asked], [null, 'healthy', ['ns.example.net']]);
    assert.deepEqual(result.answer?.headers, [['server', `ns.example.net:${port}`]]);
    assert.equal(result.address, '127.0.0.1');
  });

  it('tries every address of a name server, and names it when none answers', async () => {
    const port = server.address.split(':')[1] ?? '';
    const at = (...addresses: string[]) => ({
      resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }) as const)),
    });
    const named = monitor({ dns_resolver: `ns.example.net:${port}` });
    const second = await probeDns(named, probeContext({ resolver: at('127.0.0.2', '127.0.0.1') }));
    assert.equal(second.outcome, 'healthy');
    const none = await probeDns(named, probeContext({ resolver: at('127.0.0.2', '127.0.0.3') }));
    assert.deepEqual(
      [none.outcome, none.reason?.message],
      ['failed', `connection refused by ns.example.net:${port}`],
    );
  });

  it('names a name server whose own name does not exist, or cannot be looked up here', async () => {
    const lost = await startDnsServer({});
    const context = probeContext({ resolver: createResolver({ clock: realClock, servers: [lost.address] }) });
    const missing = await probeDns(monitor({ dns_resolver: 'ns.nowhere.invalid:53' }), context);
    await lost.close();
    assert.equal(missing.outcome, 'failed');
    assert.match(
      missing.reason?.message ?? '',
      /^the name server ns\.nowhere\.invalid:53 cannot be looked up: ns\.nowhere\.invalid does not exist/,
    );
    const silent = await startDnsServer('silent');
    const deaf = probeContext({ resolver: createResolver({ clock: realClock, servers: [silent.address] }) });
    const unheard = await probeDns(monitor({ dns_resolver: 'ns.example.net:53', timeout_secs: 1 }), deaf);
    await silent.close();
    assert.equal(unheard.outcome, 'unknown');
    assert.match(unheard.reason?.message ?? '', /^the name server ns\.example\.net:53 cannot be looked up: /);
  });

  it('accepts any answer when none is expected', async () => {
    const result = await probeDns(monitor({}), probeContext());
    assert.equal(result.outcome, 'healthy');
    assert.deepEqual(result.assertions, []);
  });

  it('reads an answer too large for UDP over TCP, and keeps 2 KiB of it', async () => {
    const result = await probeDns(
      monitor({ target: 'big.example.com', dns_expected: ['192.0.2.1'] }),
      probeContext(),
    );
    const body = result.answer?.body ?? '';
    assert.equal(result.outcome, 'failed');
    assert.ok(Buffer.byteLength(body) <= 2048 && Buffer.byteLength(body) > 1900);
    assert.match(body, /\n… and \d+ more$/);
    assert.ok((result.reason?.message.length ?? 0) < 700);
    assert.ok(server.queries.includes('tcp A big.example.com'));
  });

  const failures = [
    ['NXDOMAIN', 'nowhere.example.com', 'dns', 'nowhere.example.com does not exist (NXDOMAIN)'],
    ['no such record', 'empty.example.com', 'dns', 'empty.example.com has no A record'],
    [
      'SERVFAIL',
      'broken.example.com',
      'dns',
      /could not find the A records of broken.example.com \(SERVFAIL\)$/,
    ],
    ['a refusal', 'refused.example.com', 'dns', /refuses to answer for refused.example.com \(REFUSED\)$/],
    ['nonsense', 'garbage.example.com', 'protocol', /answered something that is not DNS$/],
  ] as const;
  for (const [what, target, category, message] of failures) {
    it(`fails on ${what}`, async () => {
      const result = await probeDns(monitor({ target }), probeContext());
      assert.equal(result.outcome, 'failed');
      assert.equal(result.reason?.category, category);
      if (typeof message === 'string') assert.equal(result.reason.message, message);
      else assert.match(result.reason.message, message);
    });
  }

  const types = ['A', 'AAAA', 'CAA', 'MX', 'NS', 'SOA', 'SRV', 'TXT'] as const;
  for (const dns_record of types) {
    it(`fails on an alias whose name has lost its ${dns_record} records, as it does without the alias`, async () => {
      for (const target of ['lost.example.com', 'empty.example.com']) {
        for (const dns_expected of [null, ['1.2.3.4']]) {
          const result = await probeDns(monitor({ target, dns_record, dns_expected }), probeContext());
          assert.deepEqual(
            [result.outcome, result.reason?.category, result.reason?.message],
            ['failed', 'dns', `${target} has no ${dns_record} record`],
          );
        }
      }
    });
  }

  it('fails when its own name server is silent, within the deadline', async () => {
    const startedAt = performance.now();
    const result = await probeDns(
      monitor({ target: 'silent.example.com', timeout_secs: 0.5 }),
      probeContext(),
    );
    assert.ok(performance.now() - startedAt < 3000);
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'timeout');
    const said = /^127\.0\.0\.1:\d+ did not answer within ([\d.]+) s$/.exec(result.reason.message);
    assert.ok(Number(said?.[1]) < 3, result.reason.message);
  });

  it('fails when nothing listens at its own name server', async () => {
    const gone = await closedPort();
    const result = await probeDns(monitor({ dns_resolver: gone.address }), probeContext());
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'connection');
    assert.equal(result.reason.message, `connection refused by ${gone.address}`);
  });

  it('asks again when the first question is lost', async () => {
    const result = await probeDns(monitor({ target: 'lossy.example.com', timeout_secs: 3 }), probeContext());
    assert.equal(result.reason, null);
    assert.equal(server.queries.filter((query) => query === 'A lossy.example.com').length, 2);
  });

  for (const [what, misbehaviour] of [
    ['are silent', 'silent'],
    ['refuse to answer', 'REFUSED'],
    ['answer nonsense', 'garbage'],
  ] as const) {
    it(`knows nothing when the name servers of this host ${what}`, async () => {
      const system = await startDnsServer(misbehaviour);
      const result = await probeDns(
        monitor({ dns_resolver: null, timeout_secs: 0.5 }),
        probeContext({ nameServers: [system.address] }),
      );
      await system.close();
      assert.equal(result.outcome, 'unknown');
      assert.equal(result.reason?.category, 'own_fault');
      assert.ok(system.queries.length > 0);
    });
  }

  it('knows nothing when no name server of this host listens', async () => {
    const gone = await closedPort();
    const result = await probeDns(
      monitor({ dns_resolver: null }),
      probeContext({ nameServers: [gone.address] }),
    );
    assert.equal(result.outcome, 'unknown');
  });

  it('fails on NXDOMAIN from the name servers of this host', async () => {
    const result = await probeDns(
      monitor({ dns_resolver: null, target: 'nowhere.example.com' }),
      probeContext({ nameServers: [server.address] }),
    );
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'dns');
  });

  it('stops at once when it is called off', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    const probing = probeDns(
      monitor({ target: 'silent.example.com', timeout_secs: 30 }),
      probeContext({ signal: controller.signal }),
    );
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    const startedAt = performance.now();
    await assert.rejects(probing, reason);
    assert.ok(performance.now() - startedAt < 5000);
  });

  it('passes on no control code and no secret of an answer', async () => {
    const result = await probeDns(
      monitor({ target: 'evil.example.com', dns_record: 'TXT', dns_expected: ['other'] }),
      probeContext({ redact: (text) => text.replaceAll('hunter2', '***') }),
    );
    const notified = JSON.stringify(result);
    assert.equal(result.outcome, 'failed');
    assert.match(notified, /\*\*\*/);
    assert.doesNotMatch(notified, /hunter2|\\u001b|\\u0007/);
  });
});
