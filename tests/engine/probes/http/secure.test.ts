import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import type { ProbeResult } from '../../../../src/engine/core/probe.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { createResolver } from '../../../../src/engine/net/resolve.ts';
import { closedPort } from '../../../support/closed-port.ts';
import { type DnsServer, startDnsServer } from '../../../support/dns-server.ts';
import {
  type Proxy,
  startHttp,
  startHttpProxy,
  startHttps,
  startRaw,
  startSocksProxy,
  type Target,
} from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';
import { realClock } from '../../../support/real-clock.ts';
import { type Authority, createAuthority, type Credentials, withoutDates } from '../../../support/tls.ts';

const notified = ({ outcome, reason }: ProbeResult) =>
  reason === null ? outcome : `${outcome} ${reason.category}: ${reason.message}`;

describe('over TLS, through proxies, over two families', () => {
  let authority: Authority;
  let good: Credentials;
  let dns: DnsServer;
  before(async () => {
    authority = createAuthority();
    good = authority.issue({ names: ['api.example', 'localhost', '127.0.0.1', '::1'] });
    dns = await startDnsServer({
      'api.example': { A: ['127.0.0.1'] },
      'other.example': { A: ['127.0.0.1'] },
      'both.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
      'four.example': { A: ['127.0.0.1'] },
    });
  });
  after(async () => {
    authority.remove();
    await dns.close();
  });
  const toClose: Target[] = [];
  const opened = <T extends Target>(own: T): T => {
    toClose.push(own);
    return own;
  };
  afterEach(() => Promise.all(toClose.splice(0).map((own) => own.close())));
  const https = async (credentials: Credentials, body = 'ok') =>
    opened(await startHttps((_request, response) => response.end(body), credentials));
  const probe = (monitor: Partial<HttpMonitor>, trusted = true) => {
    const resolver = createResolver({ clock: realClock, servers: [dns.address], resolvConf: '/nonexistent' });
    const tls = trusted ? { tls_ca_file: authority.file } : {};
    return probeHttp(aMonitor('http', { timeout_secs: 3, ...tls, ...monitor }), probeContext({ resolver }));
  };

  describe('an https target', () => {
    it('is healthy with a trusted certificate, which is reported', async () => {
      const { port } = await https(good);
      const result = await probe({ target: `https://api.example:${port}/`, cert_pin: good.spkiSha256 });
      assert.equal(notified(result), 'healthy');
      assert.ok((result.timings.tlsMs ?? 0) > 0 && (result.timings.dnsMs ?? 0) > 0);
      const { certificate } = result;
      assert.equal(certificate?.subject, 'api.example');
      assert.equal(certificate.issuer, 'Test Authority (Tests)');
      assert.equal(certificate.spkiSha256, good.spkiSha256);
      assert.equal(certificate.isTrusted, true);
      assert.deepEqual(
        certificate.chain.map(({ subject }) => subject),
        ['api.example', 'Test Authority (Tests)'],
      );
      assert.ok(certificate.validToAt > Date.now() && certificate.validFromAt < Date.now());
    });

    it('is trusted by its address too', async () => {
      const { origin } = await https(good);
      assert.equal(notified(await probe({ target: origin })), 'healthy');
    });

    it('is healthy, without a certificate to watch, where the dates of its certificate make no sense', async () => {
      const { origin } = await https(withoutDates(good));
      const result = await probe({ target: origin, tls_verify: false });
      assert.equal(notified(result), 'healthy');
      assert.equal(result.certificate, null);
    });

    it('fails when the authority is unknown here, and reports the certificate all the same', async () => {
      const { port } = await https(good);
      const result = await probe({ target: `https://api.example:${port}/` }, false);
      assert.equal(
        notified(result),
        'failed tls: the certificate of api.example comes from an unknown authority, or without its intermediate ' +
          'certificates (trusted: Node.js); add a private authority with NODE_EXTRA_CA_CERTS or, for one monitor, ' +
          'tls_ca_file; for one channel or output, ca_file',
      );
      assert.equal(result.certificate?.isTrusted, false);
      assert.equal(result.certificate.subject, 'api.example');
      assert.equal(result.address, '127.0.0.1');
    });

    it('fails with a certificate that is self-signed, has expired or is for another name', async () => {
      const own = await https(authority.selfSigned({ names: ['api.example'] }));
      assert.equal(
        notified(await probe({ target: `https://api.example:${own.port}/` })),
        'failed tls: the certificate of api.example is self-signed',
      );
      const expired = await https(authority.issue({ names: ['api.example'], days: -1 }));
      assert.match(
        notified(await probe({ target: `https://api.example:${expired.port}/` })),
        /^failed tls: the certificate expired on \d{4}-\d\d-\d\d$/,
      );
      const foreign = await https(
        authority.issue({ names: ['example.org', 'a.test', 'b.test', 'c.test', 'd.test'] }),
      );
      assert.equal(
        notified(await probe({ target: `https://api.example:${foreign.port}/` })),
        'failed tls: the certificate is for example.org, a.test, b.test and 2 more, not api.example',
      );
    });

    it('may be all of that where tls_verify is off', async () => {
      const { port } = await https(authority.issue({ names: ['example.org'], days: -1 }));
      const result = await probe({ target: `https://api.example:${port}/`, tls_verify: false });
      assert.equal(notified(result), 'healthy');
      assert.equal(result.certificate?.isTrusted, false);
    });

    it('sends nothing to a server that is not trusted', async () => {
      let requests = 0;
      const listener = (_request: unknown, response: { end: () => void }) => {
        requests += 1;
        response.end();
      };
      const { port } = opened(await startHttps(listener, authority.selfSigned({ names: ['api.example'] })));
      const target = `https://api.example:${port}/`;
      await probe({ target });
      assert.equal(requests, 0);
      await probe({ target, tls_verify: false });
      assert.equal(requests, 1);
    });

    it('is degraded with another key than the pinned one', async () => {
      const { port } = await https(good);
      const result = await probe({ target: `https://api.example:${port}/`, cert_pin: 'a'.repeat(64) });
      assert.equal(result.outcome, 'degraded');
      assert.equal(result.reason?.category, 'certificate_key');
      assert.ok((result.latencyMs ?? 0) > 0);
    });

    it('reports the certificate of the target, not of where it redirects to', async () => {
      const there = authority.issue({ names: ['other.example'] });
      const { port } = await https(there);
      const location = `https://other.example:${port}/`;
      const first = opened(
        await startHttps((_request, response) => response.writeHead(302, { location }).end(), good),
      );
      const result = await probe({ target: `https://api.example:${first.port}/`, cert_pin: good.spkiSha256 });
      assert.equal(notified(result), 'healthy');
      assert.equal(result.certificate?.subject, 'api.example');
    });

    it('fails when it does not use TLS, or breaks off in the handshake', async () => {
      const plain = opened(await startHttp((_request, response) => response.end()));
      assert.equal(
        notified(await probe({ target: `https://127.0.0.1:${plain.port}/` })),
        `failed tls: 127.0.0.1:${plain.port} does not speak TLS`,
      );
      const reset = opened(await startRaw((socket) => socket.once('data', () => socket.resetAndDestroy())));
      assert.equal(
        notified(await probe({ target: `https://127.0.0.1:${reset.port}/` })),
        `failed tls: connection reset by 127.0.0.1:${reset.port} during the TLS handshake`,
      );
      const closed = opened(await startRaw((socket) => socket.once('data', () => socket.end())));
      assert.match(
        notified(await probe({ target: `https://127.0.0.1:${closed.port}/` })),
        /^failed tls: connection .* during the TLS handshake$/,
      );
      const silent = opened(await startRaw(() => undefined));
      assert.equal(
        notified(await probe({ target: `https://127.0.0.1:${silent.port}/`, timeout_secs: 1 })),
        `failed timeout: no TLS handshake with 127.0.0.1:${silent.port} within 1 s`,
      );
    });

    it('is not judged with a tls_ca_file that cannot be used', async () => {
      const { port } = await https(good);
      const target = `https://api.example:${port}/`;
      assert.equal(
        notified(await probe({ target, tls_ca_file: '/nonexistent/ca.pem' })),
        'unknown own_fault: CA file /nonexistent/ca.pem is not there',
      );
      assert.equal(
        notified(await probe({ target, tls_ca_file: import.meta.filename })),
        `unknown own_fault: CA file ${import.meta.filename} holds no certificate in PEM form`,
      );
    });
  });

  describe('a proxy', () => {
    const hosts = { 'api.example': '127.0.0.1', 'api.internal': '127.0.0.1' };
    /** The address of a proxy with what is put before its host. */
    const through = ({ origin }: Proxy, login = '', scheme?: string) => {
      const { protocol, host } = new URL(origin);
      return `${scheme ?? protocol.slice(0, -1)}://${login}${host}`;
    };

    it('carries an https target through a tunnel and looks up its name', async () => {
      const target = await https(authority.issue({ names: ['api.internal'] }));
      const proxy = opened(await startHttpProxy({ hosts }));
      const result = await probe({
        target: `https://api.internal:${target.port}/`,
        proxy: through(proxy),
        keyword: 'ok',
      });
      assert.equal(notified(result), 'healthy');
      assert.deepEqual(proxy.requests, [`CONNECT api.internal:${target.port}`]);
      assert.equal(result.certificate?.subject, 'api.internal');
      assert.equal(
        dns.queries.some((query) => query.includes('internal')),
        false,
      );
    });

    it('is asked for a plain target by its whole URL', async () => {
      const proxy = opened(await startHttpProxy({ login: 'me:p@ss' }));
      const result = await probe({
        target: 'http://api.internal/path?x=1#part',
        proxy: through(proxy, 'me:p%40ss@'),
        keyword: 'by way of the proxy',
      });
      assert.equal(notified(result), 'healthy');
      assert.deepEqual(proxy.requests, ['GET http://api.internal/path?x=1']);
    });

    it('may be reached over TLS itself, and must be trusted even where the target need not', async () => {
      const target = await https(good);
      const proxy = opened(await startHttpProxy({ hosts, login: 'me:secret' }, good));
      const monitor = { target: `https://api.example:${target.port}/`, proxy: through(proxy, 'me:secret@') };
      assert.equal(notified(await probe(monitor)), 'healthy');
      const result = await probe({ ...monitor, tls_verify: false }, false);
      assert.match(
        notified(result),
        /^failed connection: the proxy 127\.0\.0\.1:\d+ cannot be used: the certificate /,
      );
      assert.equal(proxy.requests.length, 1, 'nothing was sent to it');
    });

    it('uses SOCKS5, with and without a login, for both kinds of target', async () => {
      const secure = await https(good);
      const plain = opened(await startHttp((_request, response) => response.end('ok')));
      for (const [rules, login] of [
        [{ hosts }, ''],
        [{ hosts, login: 'me:p@ss' }, 'me:p%40ss@'],
      ] as const) {
        const proxy = opened(await startSocksProxy(rules));
        const own = { proxy: through(proxy, login, 'socks5'), keyword: 'ok' };
        assert.equal(
          notified(await probe({ target: `https://api.example:${secure.port}/`, ...own })),
          'healthy',
        );
        assert.equal(
          notified(await probe({ target: `http://api.internal:${plain.port}/`, ...own })),
          'healthy',
        );
        assert.equal(notified(await probe({ target: plain.origin, ...own })), 'healthy');
        assert.deepEqual(proxy.requests, [
          `CONNECT api.example:${secure.port}`,
          `CONNECT api.internal:${plain.port}`,
          `CONNECT 127.0.0.1:${plain.port}`,
        ]);
      }
    });

    it('that is dead, refuses or lies fails the probe by name, never by password', async () => {
      const dead = await closedPort();
      const locked = opened(await startHttpProxy({ login: 'me:right' }));
      const socks = opened(await startSocksProxy({ login: 'me:right' }));
      const open = opened(await startSocksProxy());
      const http = opened(await startHttp((_request, response) => response.end()));
      const silent = opened(await startRaw(() => undefined));
      const cases: [proxy: string, target: string, notified: string][] = [
        [
          `http://me:wrong@${dead.address}`,
          'https://api.example/',
          `the proxy ${dead.address} cannot be used: connection refused by ${dead.address}`,
        ],
        [
          `socks5://me:wrong@${dead.address}`,
          'http://api.example/',
          `the proxy ${dead.address} cannot be used: connection refused by ${dead.address}`,
        ],
        [
          through(locked, 'me:wrong@'),
          'https://api.example/',
          `the proxy 127.0.0.1:${locked.port} does not connect to api.example:443: it wants another user name or password (407)`,
        ],
        [
          through(locked, 'me:wrong@'),
          'http://api.example/',
          `the proxy 127.0.0.1:${locked.port} wants another user name or password (407)`,
        ],
        [
          through(locked, 'me:right@'),
          'https://nowhere.example/',
          `the proxy 127.0.0.1:${locked.port} does not connect to nowhere.example:443: it answers with status 502`,
        ],
        [
          through(socks, 'me:wrong@', 'socks5'),
          'http://api.example/',
          `the proxy 127.0.0.1:${socks.port} does not connect to api.example:80: Authentication failed`,
        ],
        [
          through(open, '', 'socks5'),
          'http://api.example/',
          `the proxy 127.0.0.1:${open.port} does not connect to api.example:80: Host unreachable`,
        ],
        [
          `socks5://127.0.0.1:${http.port}`,
          'http://api.example/',
          `the proxy 127.0.0.1:${http.port} does not connect to api.example:80: it does not speak SOCKS5`,
        ],
        [
          'http://proxy.invalid:3128',
          'http://api.example/',
          'the proxy proxy.invalid:3128 cannot be used: proxy.invalid does not exist',
        ],
      ];
      for (const [proxy, target, expected] of cases) {
        const result = await probe({ target, proxy });
        assert.equal(notified(result), `failed connection: ${expected}`);
        assert.doesNotMatch(JSON.stringify(result), /wrong|right/);
      }
      for (const scheme of ['http', 'socks5']) {
        const late = await probe({
          target: 'https://api.example/',
          proxy: `${scheme}://127.0.0.1:${silent.port}`,
          timeout_secs: 1,
        });
        assert.equal(
          notified(late),
          `failed timeout: no tunnel through the proxy 127.0.0.1:${silent.port} within 1 s`,
        );
      }
    });

    it('is disconnected when its answer has no end', async () => {
      for (const [scheme, begun, filler] of [
        ['http', 'HTTP/1.1 200 ', 'x'],
        ['socks5', '\x05\0', '\x05\0\0\x03'],
      ] as const) {
        const flood = Buffer.alloc(16_384, filler);
        let bytes = 0;
        const endless = opened(
          await startRaw((socket) => {
            socket.on('error', () => undefined);
            const more = () => {
              if (socket.destroyed || bytes > 100e6) return;
              bytes += flood.length;
              socket.write(flood, more);
            };
            socket.once('data', () => {
              socket.write(begun, 'latin1');
              setTimeout(more, 100);
            });
          }),
        );
        const proxy = `${scheme}://127.0.0.1:${endless.port}`;
        const result = await probe({ target: 'https://api.example/', proxy, timeout_secs: 5 });
        assert.match(notified(result), /^failed connection: the proxy 127\.0\.0\.1:\d+ /, scheme);
        if (scheme === 'http') assert.match(notified(result), /: it sends more than 64 KiB$/);
        assert.ok(bytes < 20e6, `${scheme}: ${bytes}`);
      }
    });
  });

  describe('dual_stack', () => {
    it('is healthy when both families answer, degraded when one does, failed when none does', async () => {
      const ipv4 = opened(await startHttp((_request, response) => response.end('4')));
      const ipv6 = opened(
        await startHttp((_request, response) => response.end('6'), { host: '::1', port: ipv4.port }),
      );
      const monitor = { target: `http://both.example:${ipv4.port}/`, dual_stack: true };
      assert.equal(notified(await probe(monitor)), 'healthy');
      await ipv6.close();
      const half = await probe(monitor);
      assert.equal(
        notified(half),
        `degraded address_family: it answers over IPv4 only; over IPv6, connection refused by [::1]:${ipv4.port}`,
      );
      assert.ok((half.latencyMs ?? 0) > 0);
      await ipv4.close();
      assert.equal((await probe(monitor)).outcome, 'failed');
    });

    it('is degraded for a name of one family', async () => {
      const { port } = opened(await startHttp((_request, response) => response.end()));
      assert.equal(
        notified(await probe({ target: `http://four.example:${port}/`, dual_stack: true })),
        'degraded address_family: it answers over IPv4 only; over IPv6, four.example has no IPv6 address',
      );
    });
  });
});
