import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createDomainProbe } from '../../../src/engine/probes/domain.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { selfSigned } from '../../support/certificate.ts';
import { probeContext } from '../../support/probing.ts';
import { realClock } from '../../support/real-clock.ts';
import {
  type Answer,
  domainObject,
  json,
  type RdapServer,
  startRdapServer,
} from '../../support/rdap-server.ts';

describe('a domain probe', () => {
  let server: RdapServer;
  let answers: Record<string, Answer>;
  const services = () => [
    [['com', 'example'], [`${server.origin}/com/`]],
    [['uk'], [`${server.origin}/uk`]],
    [['co.uk'], [`${server.origin}/couk/`]],
    [['void'], []],
    [['ftp'], ['ftp://127.0.0.1/', 'nonsense']],
  ];
  before(async () => {
    answers = {
      '/dns.json': json(() => ({ version: '1.0', services: services() })),
      '/com/domain/example.com': json(() => domainObject('2027-03-04T05:06:07.000Z')),
      '/uk/domain/example.uk': json(() => domainObject('2027-01-01T00:00:00+01:00')),
      '/couk/domain/example.co.uk': json(() => domainObject('2028-01-01T00:00:00Z')),
    };
    server = await startRdapServer(answers);
  });
  after(() => server.close());

  const probe = (domain: string, parts: Partial<ProbeContext> = {}, timeoutMs = 2000) =>
    createDomainProbe({ bootstrapUrl: `${server.origin}/dns.json`, timeoutMs })(domain, probeContext(parts));

  it('finds the registry, asks it, and reads when the domain expires', async () => {
    assert.deepEqual(await probe('example.com'), {
      kind: 'known',
      expiresAt: Date.UTC(2027, 2, 4, 5, 6, 7),
    });
  });

  it('takes names in capitals and with their final dot, and offsets in dates', async () => {
    assert.deepEqual(await probe('Example.UK.'), { kind: 'known', expiresAt: Date.UTC(2026, 11, 31, 23) });
  });

  it('asks the registry with the longest match, label by label', async () => {
    assert.deepEqual(await probe('example.co.uk'), { kind: 'known', expiresAt: Date.UTC(2028, 0, 1) });
  });

  it('follows redirects', async () => {
    answers['/com/domain/moved.com'] = (_request, response) => {
      response.writeHead(302, { location: '../../com/domain/example.com' }).end();
    };
    assert.equal((await probe('moved.com')).kind, 'known');
  });

  const redirect =
    (location: string): Answer =>
    (_request, response) => {
      response.writeHead(301, { location }).end();
    };
  const text =
    (status: number, body: string): Answer =>
    (_request, response) => {
      response.writeHead(status).end(body);
    };
  const endless: Answer = (_request, response) => {
    const chunk = 'x'.repeat(64 * 1024);
    const pour = () => {
      while (response.writable && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  };
  const oddities: readonly (readonly [name: string, answer: Answer | null, message: RegExp])[] = [
    ['unknown.com', null, /does not know it \(404\)$/],
    ['busy.com', text(429, ''), /come back later \(429\)$/],
    ['broken.com', text(500, 'oops'), /answered 500$/],
    ['malformed.com', text(200, '{"events": ['), /did not answer in JSON$/],
    ['deep.com', text(200, '['.repeat(500_000)), /did not answer in JSON$/],
    ['null.com', text(200, 'null'), /does not say$/],
    ['eventless.com', text(200, '{"objectClassName":"domain"}'), /does not say$/],
    [
      'odd.com',
      text(200, '{"events":[null,1,{"eventAction":1},{"eventAction":"expiration"}]}'),
      /does not say$/,
    ],
    ['undated.com', json(() => domainObject('soon')), /does not say$/],
    ['circle.com', redirect('/com/domain/circle.com'), /redirects/],
    ['file.com', redirect('file:///etc/passwd'), /file/],
    ['endless.com', endless, /more than 1 MiB$/],
    ['reset.com', (request) => request.socket.resetAndDestroy(), /connection (reset|closed) by/],
    ['silent.com', () => undefined, /no answer from .* within 0\.5 s$/],
    ['example.void', null, /no RDAP service$/],
    ['example.nowhere', null, /no RDAP service$/],
    ['example.ftp', null, /no RDAP service$/],
  ];
  for (const [name, answer, message] of oddities) {
    it(`knows nothing of ${name}, and says why`, async () => {
      if (answer !== null) answers[`/com/domain/${name}`] = answer;
      const startedAt = performance.now();
      const expiry = await probe(name, {}, 500);
      assert.equal(expiry.kind, 'unknown');
      assert.match(expiry.message, message);
      assert.match(expiry.message, new RegExp(`^the expiry date of ${name} is unknown: `));
      assert.ok(performance.now() - startedAt < 3000);
    });
  }

  it('knows nothing when the registry of registries cannot be had', async () => {
    const lost = createDomainProbe({ bootstrapUrl: `${server.origin}/nowhere`, timeoutMs: 500 });
    assert.equal((await lost('example.com', probeContext())).kind, 'unknown');
    const odd = createDomainProbe({
      bootstrapUrl: `${server.origin}/com/domain/example.com`,
      timeoutMs: 500,
    });
    assert.equal((await odd('example.com', probeContext())).kind, 'unknown');
  });

  it('trusts no registry whose certificate is not trusted', async () => {
    const tls = createServer(selfSigned(1), (_request, response) => {
      response.end(JSON.stringify({ services: services() }));
    }).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const bootstrapUrl = `https://127.0.0.1:${String((tls.address() as AddressInfo).port)}/`;
    const expiry = await createDomainProbe({ bootstrapUrl, timeoutMs: 2000 })('example.com', probeContext());
    tls.close();
    assert.equal(expiry.kind, 'unknown');
    assert.match(expiry.message, /self-signed/);
  });

  it('reads the list of registries once a day, and uses an old one while it cannot be had', async () => {
    let nowMs = 0;
    const clock = { ...realClock, monotonic: () => performance.now() + nowMs };
    const bootstrap = answers['/dns.json'];
    let reads = 0;
    answers['/list'] = (request, response) => {
      reads += 1;
      if (reads === 3) response.writeHead(500).end();
      else bootstrap?.(request, response);
    };
    const remembering = createDomainProbe({ bootstrapUrl: `${server.origin}/list`, timeoutMs: 2000 });
    const ask = async () => (await remembering('example.com', probeContext({ clock }))).kind;
    const day = 24 * 60 * 60 * 1000;
    const seen: (readonly [kind: string, reads: number])[] = [];
    for (const later of [0, day - 60_000, 60_000, day, 1000]) {
      nowMs += later;
      seen.push([await ask(), reads]);
    }
    assert.deepEqual(seen, [
      ['known', 1],
      ['known', 1],
      ['known', 2],
      ['known', 3],
      ['known', 4],
    ]);
  });

  it('rejects when it is called off', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    answers['/com/domain/waiting.com'] = () => undefined;
    await assert.rejects(probe('waiting.com', { signal: controller.signal }), reason);
  });
});
