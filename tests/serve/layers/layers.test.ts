import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import {
  compose,
  inTurn,
  type HttpReply,
  type Finish,
  type Handler,
  type HttpLayer,
  type Request,
} from '../../../src/serve/http-types.ts';
import { cors } from '../../../src/serve/layers/cors.ts';
import { requireHost } from '../../../src/serve/layers/host.ts';
import { problems } from '../../../src/serve/layers/problems.ts';
import { secured } from '../../../src/serve/layers/security-headers.ts';
import { HttpProblem } from '../../../src/serve/problem.ts';
import { requestIdOf } from '../../../src/serve/server/request-id.ts';

const plain: Request = {
  id: '',
  method: 'GET',
  target: '/',
  headers: {},
  hosts: 1,
  remoteAddress: '127.0.0.1',
  body: () => Promise.resolve(Buffer.alloc(0)),
};

const httpReply: HttpReply = { status: 200, headers: {}, body: '' };

function through(
  httpLayer: HttpLayer,
  request: Partial<Request> = {},
  handler: Handler = () => Promise.resolve(httpReply),
) {
  return compose([httpLayer], handler)({ ...plain, ...request });
}

const layerOf = (finish: Finish): HttpLayer =>
  problems({ log: () => undefined, redact: (text) => text, finish: inTurn([finish]) });

describe('request ids', () => {
  it('are taken over when they are words, and made otherwise', () => {
    const idFor = (given?: string) =>
      requestIdOf(given === undefined ? {} : { 'x-request-id': given }, () => 'made');
    assert.equal(idFor('a.b_c-9'), 'a.b_c-9');
    assert.equal(idFor('x'.repeat(128)), 'x'.repeat(128));
    for (const strange of [undefined, '', 'a b', 'a/b', 'é', 'x'.repeat(129)]) {
      assert.equal(idFor(strange), 'made');
    }
  });
});

describe('security headers', () => {
  it('are on every answer, and give way only to a policy that the answer brings', async () => {
    const usual = await through(layerOf(secured));
    assert.match(usual.headers['content-security-policy'] ?? '', /^default-src 'none';/);
    assert.equal(usual.headers['x-content-type-options'], 'nosniff');
    assert.equal(usual.headers['x-frame-options'], 'DENY');
    const own = { 'content-security-policy': "default-src 'none'; style-src 'self'" };
    const page = await through(layerOf(secured), {}, () => Promise.resolve({ ...httpReply, headers: own }));
    assert.equal(page.headers['content-security-policy'], own['content-security-policy']);
  });
});

describe('CORS', () => {
  const from = (origin: string | undefined, allowed: readonly string[]) =>
    through(layerOf(cors({ allowedOrigins: () => allowed })), {
      headers: origin === undefined ? {} : { origin },
    });

  it('lets any page read when no origin is configured, or any is', async () => {
    assert.equal((await from('https://a.example', [])).headers['access-control-allow-origin'], '*');
    for (const any of [['*'], ['https://b.example', '*']])
      assert.equal((await from('https://a.example', any)).headers['access-control-allow-origin'], '*');
    assert.deepEqual((await from(undefined, [])).headers, {});
  });

  it('says so to caches that keep an answer, regardless of who asked first', async () => {
    const kept = { ...httpReply, headers: { 'cache-control': 'public, max-age=5' }, also: ['a', 'b'] };
    for (const any of [[], ['*']]) {
      const layer = layerOf(cors({ allowedOrigins: () => any }));
      const { headers, also } = await through(layer, { headers: {} }, () => Promise.resolve(kept));
      assert.deepEqual(headers, kept.headers);
      assert.deepEqual(also, ['a', 'b', 'access-control-allow-origin', '*']);
    }
    const some = layerOf(cors({ allowedOrigins: () => ['https://a.example'] }));
    const { headers, also } = await through(some, { headers: {} }, () => Promise.resolve(kept));
    assert.equal(headers['vary'], 'Origin');
    assert.deepEqual(also, ['a', 'b']);
  });

  it('lets only the configured ones read otherwise, and sends Vary to caches', async () => {
    const allowed = ['https://a.example'];
    const good = await from('https://a.example', allowed);
    assert.equal(good.headers['access-control-allow-origin'], 'https://a.example');
    assert.deepEqual((await from('https://b.example', allowed)).headers, { vary: 'Origin' });
    assert.deepEqual((await from('null', allowed)).headers, { vary: 'Origin' });
    assert.equal(good.headers['vary'], 'Origin');
  });

  it('answers a preflight with the methods of the address', async () => {
    const options = (headers: Request['headers']) =>
      through(layerOf(cors({ allowedOrigins: () => [] })), { method: 'OPTIONS', headers }, () =>
        Promise.resolve({ ...httpReply, headers: { allow: 'POST, OPTIONS' } }),
      );
    const preflight = await options({ origin: 'https://a.example', 'access-control-request-method': 'POST' });
    assert.equal(preflight.headers['access-control-allow-methods'], 'POST, OPTIONS');
    assert.match(preflight.headers['access-control-allow-headers'] ?? '', /authorization.*x-push-token/);
    const no = await options({ origin: 'https://a.example' });
    assert.equal(no.headers['access-control-allow-methods'], undefined);
  });
});

describe('a request without exactly one Host', () => {
  it('is refused, unless its version of HTTP needs none', async () => {
    await assert.rejects(async () => through(requireHost(), { hosts: 0 }), { status: 400 });
    await assert.rejects(async () => through(requireHost(), { hosts: 2 }), { status: 400 });
    assert.equal((await through(requireHost(), { hosts: null })).status, 200);
  });
});

describe('what is thrown', () => {
  async function answerTo(error: unknown) {
    const logged: LogEntry[] = [];
    const httpLayer = problems({
      log: (entry) => logged.push(entry),
      redact: (text) => text.replaceAll('token', '***'),
      finish: (httpReply) => httpReply,
    });
    const reply = await through(httpLayer, { id: 'r1', target: '/?token=token' }, () => {
      throw error;
    });
    return { status: reply.status, headers: reply.headers, text: String(reply.body), logged };
  }

  it('is a problem of its own words when it is a refusal', async () => {
    const { status, headers, text, logged } = await answerTo(
      new HttpProblem(405, 'This address takes GET.', { allow: 'GET' }),
    );
    assert.equal(status, 405);
    assert.equal(headers['allow'], 'GET');
    assert.deepEqual(JSON.parse(text), {
      type: 'about:blank',
      title: 'Method Not Allowed',
      status: 405,
      detail: 'This address takes GET.',
    });
    assert.deepEqual(logged, []);
  });

  it('is 503 with the time to come back when the store cannot keep it', async () => {
    for (const code of ['store_full', 'store_failing', 'store_in_use'] as const) {
      const { status, headers, text } = await answerTo(new StatusdError(code, 'the disk at /var is full'));
      assert.equal(status, 503);
      assert.equal(headers['retry-after'], '5');
      assert.doesNotMatch(text, /var/);
    }
    assert.equal((await answerTo(new StatusdError('not_found', 'there is no monitor x'))).status, 404);
  });

  it('is 500 and one line of the log, without output of it in the answer, when nobody foresaw it', async () => {
    for (const error of [
      new TypeError('x is no function, token'),
      'text, token',
      null,
      new StatusdError('config_invalid', 'token'),
    ]) {
      const { status, text, logged } = await answerTo(error);
      assert.equal(status, 500);
      assert.match(text, /as request r1\./);
      assert.doesNotMatch(text, /token|function/);
      assert.equal(logged.length, 1);
      assert.doesNotMatch(JSON.stringify(logged), /token/);
    }
  });
});
