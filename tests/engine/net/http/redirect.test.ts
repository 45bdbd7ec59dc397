import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { type Head, isSameSite, nextStep } from '../../../../src/engine/net/http/redirect.ts';
import type { Header, HttpRequest } from '../../../../src/engine/net/http/request.ts';
import { startHttp, type Target } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';

const credentials: readonly Header[] = [
  ['Authorization', 'Bearer t'],
  ['cookie', 'a=b'],
  ['Proxy-Authorization', 'Basic x'],
  ['X-Api-Key', 'k'],
  ['x-auth-token', 't'],
  ['X-JWT-Assertion', 'a.b.c'],
];
const harmless: readonly Header[] = [
  ['accept', '*/*'],
  ['user-agent', 'statusd'],
];

function request(url: string, parts: Partial<HttpRequest> = {}): HttpRequest {
  return { url: new URL(url), method: 'GET', headers: [...credentials, ...harmless], body: null, ...parts };
}

function to(location: string, statusCode = 302): Head {
  return { statusCode, statusText: '', headers: [['Location', location]] };
}

function followed(past: readonly HttpRequest[], head: Head): HttpRequest {
  const step = nextStep(past, head);
  assert.equal(step.kind, 'follow', JSON.stringify(step));
  return (step as { request: HttpRequest }).request;
}

function refusal(past: readonly HttpRequest[], head: Head): string {
  const step = nextStep(past, head);
  assert.equal(step.kind, 'refused', JSON.stringify(step));
  return (step as { why: string }).why;
}

describe('a redirect', () => {
  const here = request('https://a.example/deep/page?x=1');

  it('is one only with a status that redirects and a place to go', () => {
    assert.deepEqual(nextStep([here], to('/b', 304)), { kind: 'arrived' });
    assert.deepEqual(nextStep([here], to('/b', 201)), { kind: 'arrived' });
    assert.deepEqual(nextStep([here], { statusCode: 302, statusText: '', headers: [] }), { kind: 'arrived' });
    for (const status of [301, 302, 303, 307, 308]) {
      assert.equal(followed([here], to('/b', status)).url.href, 'https://a.example/b');
    }
  });

  it('leads to a place relative to the answer, as UTF-8', () => {
    assert.equal(followed([here], to('next?y=2')).url.href, 'https://a.example/deep/next?y=2');
    assert.equal(followed([here], to('//b.example/x#part')).url.href, 'https://b.example/x');
    const umlaut = Buffer.from('/ü').toString('latin1');
    assert.equal(followed([here], to(umlaut)).url.href, 'https://a.example/%C3%BC');
  });

  it('takes no user name from the target', () => {
    assert.equal(followed([here], to('https://me:pass@a.example/')).url.href, 'https://a.example/');
  });

  it('turns a POST into a GET where browsers do, and leaves it one where they do', () => {
    const post = request('https://a.example/', {
      method: 'POST',
      body: 'x',
      headers: [['Content-Type', 'text/plain'], ...harmless],
    });
    for (const status of [301, 302, 303]) {
      const { method, body, headers } = followed([post], to('/b', status));
      assert.deepEqual([method, body, headers], ['GET', null, harmless], String(status));
    }
    for (const status of [307, 308]) {
      const { method, body, headers } = followed([post], to('/b', status));
      assert.deepEqual([method, body, headers], ['POST', 'x', post.headers], String(status));
    }
    const put = { ...post, method: 'PUT' };
    assert.equal(followed([put], to('/b', 302)).method, 'PUT');
    assert.equal(followed([put], to('/b', 303)).method, 'GET');
    assert.equal(followed([{ ...post, method: 'HEAD', body: null }], to('/b', 303)).method, 'HEAD');
  });

  it('keeps credentials on their origin and drops them for good when it leaves', () => {
    const home = request('https://a.example/', { headers: [...credentials, ...harmless, ['host', 'other']] });
    assert.deepEqual(followed([home], to('/b')).headers, home.headers);
    for (const elsewhere of ['https://b.example/', 'https://a.example:8443/']) {
      assert.deepEqual(followed([home], to(elsewhere)).headers, harmless, elsewhere);
    }
    const plain = request('http://a.example/');
    assert.deepEqual(followed([plain], to('https://a.example/')).headers, harmless);
    const away = followed([home], to('https://b.example/'));
    assert.deepEqual(followed([home, away], to('https://a.example/back')).headers, harmless);
  });

  it('is refused from https to http, and to what is not the web', () => {
    assert.equal(
      refusal([here], to('http://a.example/')),
      'redirects from https to http, which is not followed',
    );
    assert.equal(refusal([here], to('file:///etc/passwd')), 'redirects to file:, which is not followed');
    assert.equal(
      refusal([request('http://a.example/')], to('javascript:alert(1)')),
      'redirects to javascript:, which is not followed',
    );
    assert.match(refusal([here], to('http://[')), /^redirects to an address that is none: http:\/\/\[$/);
    assert.doesNotMatch(refusal([here], to('http://[\u001b[31m')), /\u001b/);
  });

  it('is refused in a circle, but may come back with another method', () => {
    assert.equal(
      refusal([here], to(here.url.href)),
      'redirects in a circle, back to https://a.example/deep/page',
    );
    const post = request('https://a.example/', { method: 'POST' });
    assert.equal(followed([post], to('/', 303)).method, 'GET');
  });

  it('shows a place as a whole or not at all', () => {
    const long = request(`https://a.example/${'s3cret'.repeat(20)}`);
    assert.equal(refusal([long], to(long.url.href)), 'redirects in a circle, back to https://a.example…');
    assert.equal(
      refusal([here], to(`http://[${'s3cret'.repeat(20)}`)),
      'redirects to an address that is none: …',
    );
  });

  it('leaves headers and body behind on the way to another origin, for good, unless they may go there', () => {
    const usual: readonly Header[] = [['user-agent', 'statusd']];
    const rules = { headersElsewhere: usual };
    const own: Header[] = [['x-tenant', 'acme'], ...harmless];
    const home = request('http://a.example/', { headers: own });
    const step = (past: readonly HttpRequest[], location: string, status = 302) =>
      nextStep(past, to(location, status), rules);
    const led = (past: readonly HttpRequest[], location: string, status = 302): HttpRequest => {
      const taken = step(past, location, status);
      assert.equal(taken.kind, 'follow', JSON.stringify(taken));
      return (taken as { request: HttpRequest }).request;
    };
    assert.deepEqual(led([home], '/b').headers, own);
    assert.deepEqual(led([home], 'https://a.example/').headers, own);
    const away = led([home], 'http://b.example/');
    assert.deepEqual(away.headers, usual);
    assert.deepEqual(led([home, away], 'http://a.example/back').headers, usual);
    const post = { ...home, method: 'POST', body: 'x' };
    assert.equal(led([post], '/b', 307).body, 'x');
    assert.equal(led([post], 'https://a.example/', 308).body, 'x');
    assert.equal(led([post], 'http://b.example/', 303).body, null);
    assert.deepEqual(step([post], 'http://b.example/', 307), {
      kind: 'refused',
      why: 'redirects a POST request to another origin, without its body; redirect_headers = true in the monitor sends it there',
    });
    assert.equal(followed([post], to('http://b.example/', 307)).body, 'x');
  });

  it('stays on the site from http to https of one host on the usual ports', () => {
    const same = (from: string, where: string) => isSameSite(new URL(from), new URL(where));
    assert.equal(same('http://a.example/x', 'http://a.example:80/y'), true);
    assert.equal(same('http://a.example/', 'https://a.example/'), true);
    assert.equal(same('https://a.example/', 'http://a.example/'), false);
    assert.equal(same('http://a.example:8080/', 'https://a.example/'), false);
    assert.equal(same('http://a.example/', 'https://a.example:8443/'), false);
    assert.equal(same('http://a.example/', 'https://www.a.example/'), false);
  });

  it('is followed ten times at most', () => {
    const past = [request('https://a.example/0')];
    for (let count = 1; count <= 10; count += 1) past.push(followed(past, to(`/${count}`)));
    assert.equal(
      refusal(past, to('/11?token=x')),
      'redirects more than 10 times, at last to https://a.example/11',
    );
  });
});

describe('an HTTP probe that is redirected', () => {
  let target: Target;
  let other: Target;
  const seen: { host: string; method: string; url: string; authorization: string | undefined }[] = [];
  let lastHeaders: IncomingMessage['headers'] = {};
  const note = (host: string, { method = '', url = '', headers }: IncomingMessage) => {
    seen.push({ host, method, url, authorization: headers.authorization });
    lastHeaders = headers;
  };
  before(async () => {
    other = await startHttp((request, response) => {
      note('other', request);
      if (request.url === '/bare') response.writeHead(403);
      response.end('made it');
    });
    target = await startHttp((request, response) => {
      note('target', request);
      if (request.url === '/post') {
        response.writeHead(307, { location: `${other.origin}/there` }).end();
        return;
      }
      const location = {
        '/away': `${other.origin}/there`,
        '/bare': `${other.origin}/bare`,
        '/loop': '/loop2',
        '/loop2': '/loop',
      }[request.url ?? ''];
      if (request.url === '/moved') response.writeHead(302, { location: '/home' }).end();
      else if (request.url === '/nowhere') response.writeHead(301).end();
      else if (location === undefined) response.end('home');
      else {
        // A body without end: nobody is interested in it.
        response.writeHead(302, { location, 'content-length': 1_000_000 }).write('moved');
      }
    });
  });
  after(() => Promise.all([target.close(), other.close()]));
  const probe = (path: string, parts = {}) =>
    probeHttp(
      aMonitor('http', { target: `${target.origin}${path}`, timeout_secs: 2, ...parts }),
      probeContext(),
    );

  it('judges where it arrives, without its credentials, and adds up the time', async () => {
    seen.length = 0;
    const result = await probe('/away', { keyword: 'made it', headers: { authorization: 'Bearer t' } });
    assert.equal(result.outcome, 'healthy');
    assert.deepEqual(seen, [
      { host: 'target', method: 'GET', url: '/away', authorization: 'Bearer t' },
      { host: 'other', method: 'GET', url: '/there', authorization: undefined },
    ]);
    const { connectMs, firstByteMs, totalMs } = result.timings;
    assert.ok((connectMs ?? 0) + (firstByteMs ?? 0) <= (totalMs ?? 0));
  });

  it('sends its headers to another origin only with redirect_headers, and says so when it fails there', async () => {
    const headers = { 'X-Tenant': 'acme', 'User-Agent': 'monitor', authorization: 'Bearer t' };
    const { outcome } = await probe('/away', { headers });
    assert.equal(outcome, 'healthy');
    assert.deepEqual([lastHeaders['x-tenant'], lastHeaders['user-agent']], [undefined, 'statusd/0.0.0']);
    await probe('/away', { headers, redirect_headers: true });
    assert.deepEqual([lastHeaders['x-tenant'], lastHeaders['user-agent']], ['acme', 'monitor']);
    assert.equal(lastHeaders.authorization, undefined);
    const status = 'status 403 Forbidden, expected 2xx';
    const failed = await probe('/bare', { headers });
    assert.equal(
      failed.reason?.message,
      `${status} (another origin was not sent the headers of the monitor; redirect_headers = true sends them)`,
    );
    assert.equal(failed.answer, null);
    assert.equal((await probe('/bare')).reason?.message, status);
    assert.equal((await probe('/bare', { headers, redirect_headers: true })).reason?.message, status);
  });

  it('does not take its body to another origin', async () => {
    seen.length = 0;
    const parts = { method: 'POST', body: 'x' } as const;
    const result = await probe('/post', parts);
    assert.equal(result.reason?.category, 'redirect');
    assert.match(result.reason.message, /redirects a POST request to another origin, without its body/);
    assert.deepEqual(
      seen.map(({ host }) => host),
      ['target'],
    );
    assert.equal((await probe('/post', { ...parts, redirect_headers: true })).outcome, 'healthy');
    assert.deepEqual(
      seen.map(({ host }) => host),
      ['target', 'target', 'other'],
    );
  });

  it('stays where a 3xx is expected', async () => {
    seen.length = 0;
    const result = await probe('/away', { expected_status: [{ from: 302, to: 302 }], timeout_secs: 1 });
    assert.equal(seen.length, 1);
    // The redirect is the answer now, so its body counts.
    assert.equal(result.reason?.category, 'timeout');
  });

  it('follows where it is told to, though a 3xx is expected, and takes one that leads nowhere for the answer', async () => {
    const anyCode = { expected_status: [{ from: 200, to: 399 }], follow_redirects: true } as const;
    seen.length = 0;
    assert.equal((await probe('/away', anyCode)).outcome, 'healthy');
    assert.equal(seen.length, 2);
    const nowhere = await probe('/nowhere', anyCode);
    assert.deepEqual([nowhere.outcome, nowhere.answer], ['healthy', null]);
  });

  it('takes a redirect for the answer where it must not follow', async () => {
    seen.length = 0;
    const result = await probe('/moved', { follow_redirects: false });
    assert.equal(seen.length, 1);
    assert.equal(result.reason?.message, 'status 302 Found, expected 2xx');
  });

  it('fails in a circle, showing the last answer', async () => {
    const result = await probe('/loop', { timeout_secs: 10 });
    assert.deepEqual(result.reason, {
      category: 'redirect',
      message: `${target.origin} redirects in a circle, back to ${target.origin}/loop`,
    });
    assert.equal(result.answer?.statusLine, 'HTTP/1.1 302 Found');
  });
});
