import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import { curlLine } from '../../../../src/engine/probes/http/curl.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { startHttp, type Target } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';

const mask = (secrets: readonly string[]) => (text: string) =>
  secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);

const line = (monitor: Partial<HttpMonitor>, secrets: readonly string[] = [], isHttp2 = false) =>
  curlLine(aMonitor('http', monitor), {
    redact: mask(secrets),
    version: '1.2.3',
    isHttp2,
    isRedirectRefused: false,
  });

const start = 'curl -sS -i --http1.1 --max-time 10 -L --max-redirs 10 ';
const usual = "-H 'user-agent: statusd/1.2.3' -H 'accept-encoding: identity' ";

describe('the curl line', () => {
  it('asks in HTTP/2 where the target speaks nothing else', () => {
    const written = line({ target: 'https://example.com' }, [], true);
    assert.equal(written, `${start.replace('--http1.1', '--http2')}${usual}https://example.com/`);
  });

  it('follows no redirect that the probe refused', () => {
    const monitor = aMonitor('http', { target: 'https://example.com' });
    const options = { redact: mask([]), version: '1.2.3', isHttp2: false };
    const written = curlLine(monitor, { ...options, isRedirectRefused: true });
    assert.equal(written, `${start.replace('-L --max-redirs 10 ', '')}${usual}https://example.com/`);
  });

  it('is short for a simple monitor', () => {
    assert.equal(
      line({ target: 'https://example.com/health' }),
      `${start}${usual}https://example.com/health`,
    );
  });

  it('says all that the request says', () => {
    assert.equal(
      line({
        target: 'https://example.com/a?b=c d',
        method: 'PUT',
        headers: { 'X-It': "it's", 'x-none': '' },
        body: '{"a": "$b"}\n',
        timeout_secs: 3,
        tls_verify: false,
        tls_ca_file: '/etc/my ca.pem',
        proxy: 'http://proxy.example:3128',
        expected_status: [{ from: 301, to: 301 }],
      }),
      'curl -sS -i --http1.1 --max-time 3 -X PUT ' +
        `-H 'X-It: it'\\''s' -H 'x-none;' ${usual}-H content-type: --data-raw '{"a": "$b"}\n' ` +
        "-x http://proxy.example:3128 -k --cacert '/etc/my ca.pem' 'https://example.com/a?b=c%20d'",
    );
  });

  it('asks for a head alone, for a plain POST and for an IPv6 address in ways that curl understands', () => {
    assert.match(
      line({ target: 'http://[::1]:8080/', method: 'HEAD' }),
      / --head .* -g 'http:\/\/\[::1\]:8080\/'$/,
    );
    assert.match(line({ target: 'http://a.example/', method: 'POST' }), / -X POST /);
    assert.doesNotMatch(line({ target: 'http://a.example/', method: 'POST', body: 'x' }), / -X /);
    assert.match(
      line({ target: 'http://a.example/', proxy: 'socks5://127.0.0.1:9050' }),
      / -x socks5h:\/\/127\.0\.0\.1:9050 /,
    );
  });

  it('leaves secrets to variables of the shell', () => {
    const notified = line(
      {
        target: 'https://me:hunter2@example.com/hooks/abcdef123456?token=t0k3n&page=1&plain=abcdef123456',
        headers: { 'X-Api-Key': 'k3y', 'X-Trace': 'abcdef123456' },
        body: 'id=abcdef123456',
        proxy: 'socks5://me:pr0xy@127.0.0.1:9050',
      },
      ['abcdef123456'],
    );
    assert.doesNotMatch(notified, /hunter2|t0k3n|k3y|pr0xy|abcdef/);
    for (const word of [
      '"X-Api-Key: ${X_API_KEY}"',
      '"X-Trace: ${X_TRACE}"',
      '"authorization: ${AUTHORIZATION}"',
      '--data-raw "${BODY}"',
      '--proxy-user "${PROXY_LOGIN}"',
      '"https://example.com/hooks/${SEGMENT}?token=${TOKEN}&page=1&plain=${PLAIN}"',
    ]) {
      assert.ok(notified.includes(word), `${word} in ${notified}`);
    }
  });

  it('leaves a body to a variable that holds a credential by its name, whoever knows the value', () => {
    const bodyOf = (body: string) =>
      / --data-raw (.*) http:/s.exec(line({ target: 'http://a.example/', body }))?.[1];
    for (const body of [
      '{"user": "me", "password": "hunter2"}',
      '{"login": {"api_key" : 12345}}',
      'user=me&access_token=hunter2',
      'passwd=',
      '<login><password>hunter2</password></login>',
      '<login secret = "hunter2"/>',
      'mutation { login(user: "me", passwordHash: "hunter2") { id } }',
      "client-secret: 'hunter2'",
      '{"headers": {"Authorization": "Bearer hunter2"}}',
      '{\n  "session-id":\n    "hunter2"\n}',
    ])
      assert.equal(bodyOf(body), body === 'passwd=' ? 'passwd=' : '"${BODY}"', body);
    for (const body of ['{"query": "{ health }"}', 'ping=1', 'which key?', '{"state": "token expired"}'])
      assert.equal(bodyOf(body), body === 'ping=1' ? body : `'${body}'`, body);
  });

  describe('in a shell', () => {
    let target: Target;
    const seen: unknown[] = [];
    before(async () => {
      target = await startHttp((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const headers = Object.fromEntries(
            Object.entries(request.headers).filter(([name]) => name !== 'connection'),
          );
          seen.push({ method: request.method, url: request.url, headers, body });
          response.end('ok');
        });
      });
    });
    after(() => target.close());

    it('asks exactly what the probe asks', async () => {
      const monitors: Partial<HttpMonitor>[] = [
        { target: `${target.origin}/` },
        {
          target: `${target.origin}/x?q={a}[b]&c=%20`,
          headers: { 'x-odd': `$HOME "quoted" 'too' \\ \`id\`` },
        },
        { target: `${target.origin}/`, method: 'POST', body: "@file isn't read\nsecond line" },
        {
          target: `${target.origin}/`,
          method: 'DELETE',
          headers: { 'content-type': 'text/plain' },
          body: '!',
        },
        { target: `${target.origin}/`, method: 'HEAD' },
        { target: `${target.origin}/`, headers: { 'user-agent': 'own', accept: 'a/b' } },
      ];
      for (const given of monitors) {
        seen.length = 0;
        const monitor = aMonitor('http', given);
        const context = probeContext();
        await probeHttp(monitor, context);
        const command = curlLine(monitor, {
          redact: (text) => text,
          version: context.version,
          isHttp2: false,
          isRedirectRefused: false,
        });
        await promisify(execFile)('/bin/sh', ['-c', command]);
        assert.deepEqual(seen[1], seen[0], command);
      }
    });
  });
});
