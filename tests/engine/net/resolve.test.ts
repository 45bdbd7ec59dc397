import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { withDeadline } from '../../../src/engine/net/deadline.ts';
import { ProbeFault } from '../../../src/engine/net/faults.ts';
import { parseHosts } from '../../../src/engine/net/resolve-hosts.ts';
import { candidates, parseSearch } from '../../../src/engine/net/resolve-search.ts';
import { createResolver, type ResolverOptions } from '../../../src/engine/net/resolve.ts';
import { type AddressFamily } from '../../../src/engine/net/address.ts';
import { type DnsServer, type Misbehaviour, startDnsServer, type Zone } from '../../support/dns-server.ts';
import { realClock } from '../../support/real-clock.ts';

describe('a resolver', () => {
  let folder: string;
  let hostsFile: string;
  let resolvConf: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-resolve-'));
    [hostsFile, resolvConf] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
    writeFileSync(hostsFile, '192.0.2.7 known.example alias # comment\n2001:db8::7 known.example\n');
    writeFileSync(resolvConf, '');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const servers: DnsServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

  const resolving = async (zone: Zone | Misbehaviour, options: Partial<ResolverOptions> = {}) => {
    const server = await startDnsServer(zone);
    servers.push(server);
    const resolver = createResolver({
      clock: realClock,
      servers: [server.address],
      hostsFile,
      resolvConf,
      ...options,
    });
    const signal = new AbortController().signal;
    return {
      server,
      resolver,
      /** The addresses in order, or the fault as `outcome category: message`. */
      ask: async (
        host: string,
        families?: readonly AddressFamily[],
        remainingMs = 1000,
      ): Promise<string[] | string> => {
        try {
          const lookup = { signal, remainingMs: () => remainingMs, ...(families && { families }) };
          return (await resolver.resolve(host, lookup)).map(({ address }) => address).sort();
        } catch (error) {
          assert.ok(error instanceof ProbeFault, String(error));
          const { outcome, category, message } = error.fault;
          return `${outcome} ${category}: ${message}`;
        }
      },
    };
  };

  it('takes an address for itself, without asking anyone', async () => {
    const { ask, server } = await resolving('SERVFAIL');
    assert.deepEqual(await ask('192.0.2.1'), ['192.0.2.1']);
    assert.deepEqual(await ask('::1'), ['::1']);
    assert.deepEqual(await ask('[::1]'), ['::1']);
    assert.deepEqual(await ask('192.0.2.1', [6]), 'failed dns: 192.0.2.1 is not an IPv6 address');
    assert.deepEqual(server.queries, []);
  });

  it('knows localhost and the names of the hosts file', async () => {
    const { ask, server } = await resolving('SERVFAIL');
    assert.deepEqual(await ask('localhost'), ['127.0.0.1', '::1']);
    assert.deepEqual(await ask('api.localhost', [4]), ['127.0.0.1']);
    assert.deepEqual(await ask('KNOWN.example'), ['192.0.2.7', '2001:db8::7']);
    assert.deepEqual(await ask('known.example', [6]), ['2001:db8::7']);
    assert.deepEqual(await ask('alias'), ['192.0.2.7']);
    assert.deepEqual(server.queries, []);
  });

  it('reads the hosts file again when it changes', async () => {
    const own = join(folder, 'own');
    writeFileSync(own, '192.0.2.1 moving.example\n');
    const { ask } = await resolving({}, { hostsFile: own });
    assert.deepEqual(await ask('moving.example'), ['192.0.2.1']);
    writeFileSync(own, '192.0.2.2 moving.example\n');
    utimesSync(own, 1, 1);
    assert.deepEqual(await ask('moving.example'), ['192.0.2.2']);
    rmSync(own);
    assert.equal(await ask('moving.example'), 'failed dns: moving.example does not exist');
  });

  it('asks the name servers for both families, or for one', async () => {
    const { ask, server } = await resolving({
      'both.example': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
    });
    assert.deepEqual(await ask('both.example'), ['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    assert.deepEqual([...server.queries].sort(), ['A both.example', 'AAAA both.example']);
    assert.deepEqual(await ask('both.example', [6]), ['2001:db8::1']);
    assert.deepEqual(await ask('both.example.', [4]), ['192.0.2.1', '192.0.2.2']);
  });

  it('asks a slow name server once, and one that lost the question again', async () => {
    const { ask, server } = await resolving({
      'slow.example': { A: ['192.0.2.1'], delayMs: 1500 },
      'lost.example': { A: ['192.0.2.2'], losesFirst: true },
    });
    const answers = Promise.all(['slow.example', 'lost.example'].map((name) => ask(name, [4], 3000)));
    assert.deepEqual(await answers, [['192.0.2.1'], ['192.0.2.2']]);
    assert.deepEqual([...server.queries].sort(), ['A lost.example', 'A lost.example', 'A slow.example']);
  });

  it('uses the search list of resolv.conf', async () => {
    const conf = join(folder, 'search.conf');
    writeFileSync(conf, 'search one.test two.test\noptions ndots:2\n');
    const { ask, server } = await resolving(
      { 'api.two.test': { A: ['192.0.2.1'] }, 'a.b.c': { A: ['192.0.2.2'] } },
      { resolvConf: conf },
    );
    assert.deepEqual(await ask('api', [4]), ['192.0.2.1']);
    assert.deepEqual(await ask('a.b.c', [4]), ['192.0.2.2']);
    assert.deepEqual(server.queries, ['A api.one.test', 'A api.two.test', 'A a.b.c']);
    assert.equal(await ask('api.', [4]), 'failed dns: api. does not exist');
  });

  it('distinguishes a name that does not exist from one without an address and from a broken zone', async () => {
    const { ask } = await resolving({
      'mail.example': { MX: ['10 mx.example'] },
      'four.example': { A: ['192.0.2.1'] },
      'broken.example': 'SERVFAIL',
    });
    assert.equal(await ask('none.invalid'), 'failed dns: none.invalid does not exist');
    assert.equal(await ask('mail.example'), 'failed dns: mail.example has no address');
    assert.equal(await ask('four.example', [6]), 'failed dns: four.example has no IPv6 address');
    assert.equal(
      await ask('broken.example'),
      'failed dns: the name servers of broken.example are failing (SERVFAIL)',
    );
    assert.equal(await ask('bad..name'), 'failed dns: "bad..name" is not a host name');
  });

  it('knows nothing of a name when its own name servers do not answer', async () => {
    const cases: [Misbehaviour, RegExp][] = [
      ['silent', /^unknown own_fault: no name server answered for api\.example \(ETIMEOUT\)$/],
      ['REFUSED', /^unknown own_fault: no name server answered for api\.example \(E\w+\)$/],
      ['garbage', /^unknown own_fault: no name server answered for api\.example \(E\w+\)$/],
    ];
    for (const [misbehaviour, notified] of cases) {
      const { ask } = await resolving(misbehaviour);
      const startedAt = performance.now();
      assert.match(String(await ask('api.example', [4, 6], 1000)), notified, misbehaviour);
      assert.ok(performance.now() - startedAt < 1000, 'it gives up in time');
    }
    const { ask, server } = await resolving({});
    servers.pop();
    await server.close();
    assert.match(String(await ask('api.example')), /^unknown own_fault: .*ECONNREFUSED/);
  });

  it('goes to the next server when one is silent', async () => {
    const silent = await startDnsServer('silent');
    const good = await startDnsServer({ 'api.example': { A: ['192.0.2.1'] } });
    servers.push(silent, good);
    const { ask } = await resolving({}, { servers: [silent.address, good.address] });
    assert.deepEqual(await ask('api.example', [4], 1000), ['192.0.2.1']);
  });

  /** A server of `zone` whose answers for IPv6 come so late; null: never. */
  const lateForIPv6 = async (zone: Zone, lateMs: number | null) => {
    const { createSocket } = await import('node:dgram');
    const upstream = await startDnsServer(zone);
    servers.push(upstream);
    const port = Number(upstream.address.split(':')[1]);
    const filter = createSocket('udp4');
    filter.on('message', (query, client) => {
      const type = query.readUInt16BE(query.length - (query.indexOf(Buffer.from([0, 0, 41])) > 12 ? 15 : 4));
      if (type !== 1 && lateMs === null) return;
      const relay = createSocket('udp4');
      relay.once('message', (answer) => {
        const reply = () => {
          filter.send(answer, client.port, client.address);
        };
        setTimeout(reply, type === 1 ? 0 : (lateMs ?? 0));
        relay.close();
      });
      relay.send(query, port, '127.0.0.1');
    });
    await new Promise<void>((resolve) => filter.bind(0, '127.0.0.1', resolve));
    const { ask } = await resolving({}, { servers: [`127.0.0.1:${filter.address().port}`] });
    return { ask, close: () => filter.close() };
  };

  it('does not wait for a family that never comes', async () => {
    // The name servers of some load balancers drop AAAA queries.
    const { ask, close } = await lateForIPv6({ 'half.example': { A: ['192.0.2.1'] } }, null);
    const startedAt = performance.now();
    assert.deepEqual(await ask('half.example', [4, 6], 10_000), ['192.0.2.1']);
    assert.ok(performance.now() - startedAt < 1500);
    close();
  });

  it('waits for IPv6 when all that IPv4 has is an alias', async () => {
    const zone: Zone = {
      'www.example': { CNAME: ['six.example'] },
      'six.example': { AAAA: ['2001:db8::1'] },
      'lost.example': { CNAME: ['none.example'] },
      'none.example': {},
    };
    const { ask, close } = await lateForIPv6(zone, 400);
    assert.deepEqual(await ask('www.example', [4, 6], 10_000), ['2001:db8::1']);
    assert.equal(await ask('lost.example', [4, 6], 10_000), 'failed dns: lost.example has no address');
    close();
  });

  it('stops at the deadline as a fault of this host, at the word of its caller with his reason', async () => {
    const { resolver } = await resolving('silent');
    const own = new AbortController();
    const limits = { clock: realClock, timeoutMs: 100, signal: own.signal };
    await assert.rejects(
      withDeadline(limits, ({ signal }) => resolver.resolve('api.example', { signal })),
      (error) => error instanceof ProbeFault && error.fault.outcome === 'unknown',
    );
    await assert.rejects(resolver.resolve('api.example', { signal: AbortSignal.timeout(50) }), ProbeFault);
    const reason = new Error('reload');
    const asking = resolver.resolve('api.example', { signal: own.signal });
    setTimeout(() => {
      own.abort(reason);
    }, 20);
    await assert.rejects(asking, reason);
    assert.deepEqual(getEventListeners(own.signal, 'abort'), []);
  });

  it('asks the system last, for two names at a time', async () => {
    const { resolver, ask } = await resolving({});
    // The system knows its own name, the test name server does not.
    const { hostname } = await import('node:os');
    const { lookup } = await import('node:dns/promises');
    const known = await lookup(hostname()).catch(() => null);
    if (known !== null) assert.ok((await ask(hostname())).includes(known.address));
    const { signal } = new AbortController();
    const names = Array.from({ length: 8 }, (_, at) => resolver.resolve(`n${at}.invalid`, { signal }));
    for (const asked of await Promise.allSettled(names)) assert.equal(asked.status, 'rejected');
  });
});

describe('the hosts file', () => {
  it('gives every name its addresses, whatever else is in it', () => {
    const table = parseHosts(
      '\n# a\n 127.0.0.1\tA b # c\n::1 a\n127.0.0.1 a\nnot.an.address d\nfe80::1%lo e\n1.2.3.4\n',
    );
    assert.deepEqual([...table.keys()], ['a', 'b', 'e']);
    assert.deepEqual(table.get('a'), [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  });
});

describe('the search list', () => {
  it('is that of the last line, with ndots of at most 15', () => {
    assert.deepEqual(parseSearch(''), { domains: [], ndots: 1 });
    assert.deepEqual(parseSearch('search a.test b.test.\noptions rotate ndots:3 ; x\n'), {
      domains: ['a.test', 'b.test'],
      ndots: 3,
    });
    assert.deepEqual(parseSearch('search a\ndomain b c\noptions ndots:99'), { domains: ['b'], ndots: 15 });
  });

  it('comes before the name itself unless that has enough dots', () => {
    const search = { domains: ['x.test', 'y.test'], ndots: 1 };
    assert.deepEqual(candidates('api', search), ['api.x.test', 'api.y.test', 'api']);
    assert.deepEqual(candidates('api.example', search), [
      'api.example',
      'api.example.x.test',
      'api.example.y.test',
    ]);
    assert.deepEqual(candidates('api.', search), ['api']);
  });
});
