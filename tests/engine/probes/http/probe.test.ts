import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, afterEach, before, describe, it } from 'node:test';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import type { ProbeResult } from '../../../../src/engine/core/probe.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import type { ProbeContext } from '../../../../src/engine/probes/probe-context.ts';
import { startAnswer, startHttp, startRaw, type Target } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';
import { realClock } from '../../../support/real-clock.ts';

const probe = (monitor: Partial<HttpMonitor>, context: Partial<ProbeContext> = {}): Promise<ProbeResult> =>
  probeHttp(aMonitor('http', { timeout_secs: 5, ...monitor }), probeContext(context));

/** The outcome of a probe in a line: `failed status: status 500 …`. */
const notified = ({ outcome, reason }: ProbeResult) =>
  reason === null ? outcome : `${outcome} ${reason.category}: ${reason.message}`;

describe('an HTTP probe', () => {
  let target: Target;
  let last: { method: string; url: string; headers: string[]; body: string };
  before(async () => {
    target = await startHttp((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method = '', url = '', rawHeaders: headers } = request;
        last = { method, url, headers, body };
        const [, status = '200'] = /^\/status\/(\d+)/.exec(url) ?? [];
        response.writeHead(Number(status), { 'x-kind': 'test' });
        response.end(url.startsWith('/json') ? '{"status":"ok","load":0.5}' : 'all systems operational');
      });
    });
  });
  after(() => target.close());
  const toClose: Target[] = [];
  const opened = (own: Target): Target => {
    toClose.push(own);
    return own;
  };
  afterEach(() => Promise.all(toClose.splice(0).map((own) => own.close())));
  const header = (name: string) => {
    const at = last.headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
    return at === -1 ? undefined : last.headers[at + 1];
  };

  it('is healthy for any 2xx and reports how long each part took', async () => {
    const result = await probe({ target: `${target.origin}/status/204` });
    assert.equal(notified(result), 'healthy');
    const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = result.timings;
    assert.equal(dnsMs, null, 'an address needs no name server');
    assert.equal(tlsMs, null);
    assert.ok(connectMs !== null && firstByteMs !== null && totalMs !== null);
    assert.ok(connectMs > 0 && firstByteMs > 0);
    assert.ok(connectMs + firstByteMs <= totalMs);
    assert.equal(result.latencyMs, totalMs);
    assert.equal(result.address, '127.0.0.1');
    assert.equal(result.answer, null, 'nobody needs the answer of a healthy target');
  });

  it('looks the name up within its own time', async () => {
    const result = await probe({ target: `http://localhost:${target.port}/` });
    assert.equal(notified(result), 'healthy');
    assert.ok((result.timings.dnsMs ?? 0) > 0);
  });

  it('asks the way the monitor says, once, over a connection that it closes', async () => {
    const before = target.connections();
    const result = await probe({
      target: `${target.origin}/a%20b?c=d#e`,
      method: 'POST',
      headers: { 'X-Own': 'yes', Accept: 'text/html' },
      body: '{"ping":"ü"}',
    });
    assert.equal(notified(result), 'healthy');
    assert.equal(target.connections() - before, 1);
    assert.deepEqual([last.method, last.url, last.body], ['POST', '/a%20b?c=d', '{"ping":"ü"}']);
    assert.equal(header('host'), `127.0.0.1:${target.port}`);
    assert.equal(header('connection'), 'close');
    assert.equal(header('x-own'), 'yes');
    assert.equal(header('accept'), 'text/html');
    assert.equal(header('user-agent'), 'statusd/0.0.0');
    assert.equal(header('content-length'), '13');
  });

  it('sends the user name of the target as a header, and another user agent when configured', async () => {
    const { port } = target;
    await probe({ target: `http://me:p%40ss@127.0.0.1:${port}/`, headers: { 'User-Agent': 'mine' } });
    assert.equal(header('authorization'), `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    assert.equal(header('user-agent'), 'mine');
    await probe({ target: `http://me:pass@127.0.0.1:${port}/`, headers: { authorization: 'Bearer own' } });
    assert.equal(header('authorization'), 'Bearer own');
  });

  it('takes a HEAD for what it is: a head without a body', async () => {
    const result = await probe({ target: `${target.origin}/`, method: 'HEAD' });
    assert.equal(notified(result), 'healthy');
    assert.equal(last.method, 'HEAD');
  });

  it('fails on another status and shows what was answered', async () => {
    const result = await probe({ target: `${target.origin}/status/503` });
    assert.equal(notified(result), 'failed status: status 503 Service Unavailable, expected 2xx');
    assert.equal(result.answer?.statusLine, 'HTTP/1.1 503 Service Unavailable');
    assert.deepEqual(result.answer.headers[0], ['x-kind', 'test']);
    assert.equal(result.answer.body, 'all systems operational');
    assert.ok((result.latencyMs ?? 0) > 0, 'it did answer');
  });

  it('takes the status that is expected, whatever it is', async () => {
    const expected_status = [
      { from: 200, to: 200 },
      { from: 500, to: 599 },
    ];
    assert.equal(
      notified(await probe({ target: `${target.origin}/status/503`, expected_status })),
      'healthy',
    );
    const result = await probe({ target: `${target.origin}/status/404`, expected_status });
    assert.equal(notified(result), 'failed status: status 404 Not Found, expected 200 or 5xx');
  });

  it('holds the body against the keyword, the query and the number, and reports on each', async () => {
    const result = await probe({
      target: `${target.origin}/json`,
      keyword: 'status',
      json_query: '$.status',
      json_expected: 'ok',
      number_regex: 'load":([0-9.]+)',
      number_max: 0.4,
    });
    assert.equal(notified(result), 'failed content: number_regex: expected a number of at most 0.4, got 0.5');
    assert.deepEqual(
      result.assertions.map(({ key, isMet }) => [key, isMet]),
      [
        ['expected_status', true],
        ['keyword', true],
        ['json_query', true],
        ['number_regex', false],
      ],
    );
  });

  it('masks secrets before it cuts, so that no half of one is shown', async () => {
    const secret = `s3cret-${'x'.repeat(300)}`;
    const own = opened(
      await startAnswer(`HTTP/1.1 500 Oops\r\nx-echo: ${secret}\r\n\r\n{"token":"${secret}"}`),
    );
    const redact = (text: string) => text.replaceAll(secret, '***');
    const result = await probe(
      { target: own.origin, json_query: '$.token', json_expected: 'other' },
      { redact },
    );
    assert.doesNotMatch(JSON.stringify(result), /s3cret/);
    assert.deepEqual(result.answer?.headers, [['x-echo', '***']]);
    assert.equal(result.answer.body, '{"token":"***"}');
  });

  it('reads no more than max_body_kb and judges that', async () => {
    const chunk = 'x'.repeat(1024);
    const own = opened(
      await startHttp((_request, response) => {
        for (let at = 0; at < 64; at += 1) response.write(chunk);
        response.end('needle');
      }),
    );
    const small = { target: own.origin, max_body_kb: 4 };
    const results = {
      status: await probe(small),
      far: await probe({ ...small, keyword: 'needle' }),
      absent: await probe({ ...small, keyword: 'needle', keyword_invert: true }),
      json: await probe({ ...small, json_query: '$' }),
      number: await probe({ ...small, number_regex: '[0-9]+' }),
      whole: await probe({ target: own.origin, keyword: 'needle' }),
    };
    const part = 'as far as it was read (max_body_kb)';
    assert.deepEqual(
      Object.fromEntries(Object.entries(results).map(([name, result]) => [name, notified(result)])),
      {
        status: 'healthy',
        far: `failed content: keyword: expected "needle" in the body, got a body without it ${part}`,
        absent: 'healthy',
        json: 'failed content: json_query: expected $ to find something, got a body that is longer than max_body_kb, so it is not whole',
        number: `failed content: number_regex: expected a number, got none in the body ${part}`,
        whole: 'healthy',
      },
    );
    assert.match(results.absent.assertions[1]?.actual ?? '', /as far as it was read/);
  });

  it('reports a target that refuses', async () => {
    const own = opened(await startRaw(() => undefined));
    await own.close();
    const refused = await probe({ target: own.origin });
    assert.equal(notified(refused), `failed connection: connection refused by 127.0.0.1:${own.port}`);
    assert.equal(refused.latencyMs, null);
    assert.equal(refused.address, '127.0.0.1');
    assert.ok((refused.timings.totalMs ?? 0) > 0);
  });

  it('does not report the target as down for a fault of its own', async () => {
    const resolver = { resolve: () => Promise.reject(new TypeError('undefined is not a function')) };
    const result = await probe({ target: 'http://example.invalid/' }, { resolver });
    assert.equal(
      notified(result),
      'unknown own_fault: the probe of example.invalid could not be carried out: undefined is not a function',
    );
  });

  it('names what is wrong with an answer that is not HTTP, or not whole', async () => {
    const ok = 'HTTP/1.1 200 OK\r\n';
    const cases: Record<string, [answer: string, notified: RegExp]> = {
      nothing: ['', /^failed connection: connection closed by \S+ without an answer$/],
      'another protocol': [
        'SSH-2.0-OpenSSH_9.2\r\n',
        /^failed protocol: \S+ does not answer in HTTP\/1\.1: /,
      ],
      'a broken header': [`${ok}bad header\r\n\r\n`, /^failed protocol: \S+ does not answer in HTTP\/1\.1: /],
      'half a head': [`${ok}content-le`, /^failed connection: connection closed by \S+ without an answer$/],
      'less than it promised': [
        `${ok}content-length: 10\r\n\r\nabc`,
        /^failed (protocol|connection): .*(another length|before the answer was complete)/,
      ],
      'two lengths': [`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, /^failed protocol: /],
      'a broken chunk': [
        `${ok}transfer-encoding: chunked\r\n\r\nzz\r\nabc`,
        /^failed protocol: \S+ does not answer in HTTP\/1\.1: /,
      ],
      'half a chunk': [`${ok}transfer-encoding: chunked\r\n\r\n5\r\nab`, /^failed (protocol|connection): /],
      'a status below 100': [
        'HTTP/1.1 099 Odd\r\n\r\n',
        /^failed protocol: \S+ does not answer in HTTP\/1\.1/,
      ],
      'another protocol, unasked': [
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        /^failed protocol: \S+ switches to another protocol unasked$/,
      ],
      'a continue, and nothing else': [
        'HTTP/1.1 100 Continue\r\n\r\n',
        /^failed connection: connection closed by \S+ without an answer$/,
      ],
    };
    for (const [name, [answer, expected]] of Object.entries(cases)) {
      const own = opened(await startAnswer(answer));
      assert.match(notified(await probe({ target: own.origin })), expected, name);
    }
  });

  it('waits for the final response behind interim ones', async () => {
    const own = opened(
      await startAnswer(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      ),
    );
    assert.equal(notified(await probe({ target: own.origin, keyword: 'ok' })), 'healthy');
    const continued = async (answer: string, more: Partial<HttpMonitor>) => {
      const { origin } = opened(await startAnswer(`HTTP/1.1 100 Continue\r\n\r\n${answer}`));
      return notified(await probe({ target: origin, ...more }));
    };
    for (const more of [{}, { method: 'POST', body: 'x'.repeat(100_000) }] as const) {
      assert.equal(await continued('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', more), 'healthy');
      assert.match(
        await continued('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n', more),
        /^failed status: status 503/,
      );
    }
  });

  it('shows the part of an answer that broke off', async () => {
    const own = opened(
      await startRaw((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfirst words');
          setTimeout(() => socket.resetAndDestroy(), 20);
        });
      }),
    );
    const result = await probe({ target: own.origin });
    assert.match(
      notified(result),
      /^failed connection: connection reset by \S+ before the answer was complete$/,
    );
    assert.equal(result.answer?.body, 'first words');
    assert.equal(result.latencyMs, null);
  });

  it('ends at its deadline, saying what it was waiting for', async () => {
    const silent = opened(await startRaw(() => undefined));
    const slow = opened(
      await startRaw((socket) => {
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nso far'));
      }),
    );
    const [first, second] = await Promise.all([
      probe({ target: silent.origin, timeout_secs: 0.2 }),
      probe({ target: slow.origin, timeout_secs: 0.2 }),
    ]);
    assert.equal(notified(first), `failed timeout: no answer from 127.0.0.1:${silent.port} within 0.2 s`);
    assert.equal(first.answer, null);
    assert.equal(
      notified(second),
      `failed timeout: no end of the answer from 127.0.0.1:${slow.port} within 0.2 s`,
    );
    assert.equal(second.answer?.body, 'so far');
  });

  it('is called off with the reason of the caller', async () => {
    const silent = opened(await startRaw(() => undefined));
    const controller = new AbortController();
    const probing = probe({ target: silent.origin }, { signal: controller.signal });
    const reason = new Error('shutting down');
    setTimeout(() => {
      controller.abort(reason);
    }, 50);
    await assert.rejects(probing, reason);
  });

  it('leaves no listener on the signal of the caller', async () => {
    const { signal } = new AbortController();
    const silent = opened(await startRaw(() => undefined));
    await probe({ target: target.origin }, { signal });
    await probe({ target: silent.origin, timeout_secs: 0.05 }, { signal });
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });

  it('does not report the target as down for the time in which this host stalled', async () => {
    const silent = opened(await startRaw(() => undefined));
    let skew = 0;
    const clock = {
      ...realClock,
      monotonic: () => performance.now() + skew,
    };
    setTimeout(() => (skew = 30_000), 50);
    const result = await probe({ target: silent.origin, timeout_secs: 0.2 }, { clock });
    assert.match(notified(result), /^unknown own_fault: this host stood still for \d/);
  });
});
