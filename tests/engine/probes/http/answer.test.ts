import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOf } from '../../../../src/engine/probes/http/answer.ts';
import type { BodyText } from '../../../../src/engine/net/http/decode.ts';
import type { Header } from '../../../../src/engine/net/http/request.ts';

interface Given {
  readonly headers?: readonly Header[];
  readonly body?: string | BodyText;
  readonly statusText?: string;
  readonly redact?: (text: string) => string;
}

function answer({
  headers = [],
  body = '',
  statusText = 'Internal Server Error',
  redact = (text) => text,
}: Given) {
  return answerOf({
    head: { statusCode: 500, statusText, headers },
    body: typeof body === 'string' ? { kind: 'text', text: body, isCut: false } : body,
    redact,
  });
}

const characters = (text: string) => text.length;

describe('the answer that is kept', () => {
  it('has a status line, at most 24 headers of 160 characters each and 2 KiB of body', () => {
    const { statusLine, headers, moreHeaders, body } = answer({
      statusText: 'x'.repeat(500),
      headers: Array.from({ length: 40 }, (_, at) => [`x-${at}`, 'é'.repeat(500)]),
      body: Array.from({ length: 500 }, () => '😀'.repeat(200)).join('\n'),
    });
    assert.equal(characters(statusLine), 160);
    assert.equal(headers.length, 24);
    assert.equal(moreHeaders, 16, 'the rest is counted');
    for (const [name, value] of headers) assert.equal(characters(`${name}: ${value}`), 160);
    assert.ok(Buffer.byteLength(body) <= 2048);
    assert.match(body, /\n… and 49\d more$/);
    assert.doesNotMatch(body, /\ufffd/, 'no character is cut in two');
  });

  it('keeps 2 KiB of a body of one line', () => {
    const json = JSON.stringify({ checks: Array.from({ length: 60 }, (_, at) => ({ at, ok: at !== 59 })) });
    assert.ok(characters(json) > 1000 && characters(json) < 2048);
    assert.equal(answer({ body: json }).body, json);
    const long = answer({ body: 'é'.repeat(5000) }).body;
    assert.ok(Buffer.byteLength(long) > 2040 && Buffer.byteLength(long) <= 2048);
    assert.match(long, /^é+…$/);
  });

  it('leaves out the headers that carry credentials, and masks those in addresses', () => {
    const headers: Header[] = [
      ['Set-Cookie', 'session=hunter2; HttpOnly'],
      ['Authorization', 'Bearer hunter2'],
      ['authentication-info', 'nextnonce="hunter2"'],
      ['X-Api-Key', 'hunter2'],
      ['x-amz-security-token', 'hunter2'],
      ['X-CSRF-Token', 'hunter2'],
      ['www-authenticate', 'Basic realm="ops"'],
      ['location', 'https://login.example/cb?state=1&access_token=hunter2&x=2#id_token=hunter2'],
      ['server', 'nginx'],
    ];
    assert.deepEqual(answer({ headers }).headers, [
      ['www-authenticate', 'Basic realm="ops"'],
      ['location', 'https://login.example/cb?state=1&access_token=***&x=2#id_token=***'],
      ['server', 'nginx'],
    ]);
    assert.equal(answer({ headers }).moreHeaders, undefined);
  });

  it('is shown as it is when it is short', () => {
    const headers: Header[] = [
      ['Content-Type', 'text/plain'],
      ['x-empty', ''],
    ];
    assert.deepEqual(answer({ headers, body: 'line 1\r\n\r\n  line 3\n\n' }), {
      statusLine: 'HTTP/1.1 500 Internal Server Error',
      headers,
      body: 'line 1\n\n  line 3',
    });
    assert.equal(answer({ statusText: '' }).statusLine, 'HTTP/1.1 500');
  });

  it('puts no control code on a terminal', () => {
    const evil = 'a\u001b[2Jb\u0007c\u009bd\u202ee';
    const kept = answer({ statusText: evil, headers: [['x', evil]], body: evil });
    const texts = [kept.statusLine, ...kept.headers.flat(), kept.body];
    for (const text of texts) assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
  });

  it('says so when the body is no text', () => {
    assert.equal(answer({ body: '\u0089PNG\r\n\0\0' }).body, '(binary data)');
    assert.equal(
      answer({ body: { kind: 'unreadable', why: 'is encoded as zstd' } }).body,
      '(a body that is encoded as zstd)',
    );
  });

  it('has its secrets masked before anything is cut', () => {
    const secret = 'secret'.repeat(100);
    const redact = (text: string) => text.replaceAll(secret, '***');
    const kept = answer({
      statusText: secret,
      headers: [['x', secret]],
      body: `${'y'.repeat(150)}${secret}`,
      redact,
    });
    assert.equal(kept.statusLine, 'HTTP/1.1 500 ***');
    assert.deepEqual(kept.headers, [['x', '***']]);
    assert.equal(kept.body, `${'y'.repeat(150)}***`);
  });
});
