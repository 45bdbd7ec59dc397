import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as zlib from 'node:zlib';
import { withDeadline } from '../../../../src/engine/net/deadline.ts';
import { bodyText } from '../../../../src/engine/net/http/decode.ts';
import type { HttpResponse } from '../../../../src/engine/net/http/exchange-terms.ts';
import { realClock } from '../../../support/real-clock.ts';

interface Given {
  readonly encoding?: string;
  readonly type?: string;
  readonly end?: HttpResponse['end'];
  readonly maxBytes?: number;
}

function read(body: Buffer, { encoding, type, end = { kind: 'complete' }, maxBytes = 1024 }: Given = {}) {
  const headers = [
    ...(encoding === undefined ? [] : [['Content-Encoding', encoding] as const]),
    ...(type === undefined ? [] : [['Content-Type', type] as const]),
  ];
  const response = { statusCode: 200, statusText: 'OK', headers, body, end };
  const limits = { clock: realClock, timeoutMs: 1000, signal: new AbortController().signal };
  return withDeadline(limits, (deadline) => bodyText(response, maxBytes, deadline));
}

const text = (content: string, isCut = false) => ({ kind: 'text', text: content, isCut });

describe('a body', () => {
  const plain = Buffer.from('grüße');

  it('is read in the charset that it says, as UTF-8 when it says none that is known', async () => {
    assert.deepEqual(await read(plain), text('grüße'));
    assert.deepEqual(
      await read(Buffer.from('grüße', 'latin1'), { type: 'text/html; charset="ISO-8859-1"' }),
      text('grüße'),
    );
    assert.deepEqual(
      await read(Buffer.from('grüße', 'utf16le'), { type: 'text/plain;charset=utf-16le' }),
      text('grüße'),
    );
    assert.deepEqual(await read(plain, { type: 'text/plain; charset=klingon' }), text('grüße'));
    assert.deepEqual(await read(Buffer.from('\ufeff{}')), text('{}'), 'without its byte order mark');
  });

  it('is decoded when the server encodes it unasked', async () => {
    assert.deepEqual(await read(zlib.gzipSync(plain), { encoding: 'gzip' }), text('grüße'));
    assert.deepEqual(await read(zlib.gzipSync(plain), { encoding: 'X-GZIP' }), text('grüße'));
    assert.deepEqual(await read(zlib.deflateSync(plain), { encoding: 'deflate' }), text('grüße'));
    assert.deepEqual(await read(zlib.deflateRawSync(plain), { encoding: 'deflate' }), text('grüße'));
    assert.deepEqual(await read(zlib.brotliCompressSync(plain), { encoding: 'br' }), text('grüße'));
    const twice = zlib.brotliCompressSync(zlib.gzipSync(plain));
    assert.deepEqual(await read(twice, { encoding: 'gzip, identity, br' }), text('grüße'));
    assert.deepEqual(await read(plain, { encoding: 'identity' }), text('grüße'));
    assert.deepEqual(await read(Buffer.alloc(0), { encoding: 'gzip' }), text(''), 'as after HEAD');
  });

  it('comes out of its encoding up to the limit only', async () => {
    for (const [encoding, bytes] of [
      ['gzip', zlib.gzipSync(Buffer.alloc(1_000_000, 'x'))],
      ['br', zlib.brotliCompressSync(Buffer.alloc(1_000_000, 'x'))],
    ] as const) {
      assert.deepEqual(await read(bytes, { encoding }), text('x'.repeat(1024), true), encoding);
    }
  });

  it('that was cut in its encoding is decoded as far as it goes', async () => {
    const content = Array.from({ length: 5000 }, (_, at) => at).join(' ');
    for (const [encoding, bytes] of [
      ['gzip', zlib.gzipSync(content)],
      ['deflate', zlib.deflateSync(content)],
      ['br', zlib.brotliCompressSync(content)],
    ] as const) {
      const half = bytes.subarray(0, bytes.length / 2);
      const decoded = await read(half, { encoding, end: { kind: 'cut' }, maxBytes: 100_000 });
      assert.ok(decoded.kind === 'text' && decoded.isCut, encoding);
      assert.ok(decoded.text.length > 1000 && content.startsWith(decoded.text), encoding);
    }
  });

  it('that was cut within a character leaves that out', async () => {
    assert.deepEqual(await read(plain.subarray(0, 3), { end: { kind: 'cut' } }), text('gr', true));
  });

  it('is unreadable in an encoding that was not asked for, or that it is not in', async () => {
    const why = async (body: Buffer, encoding: string) => {
      const answer = await read(body, { encoding });
      return answer.kind === 'unreadable' ? answer.why : answer;
    };
    assert.equal(await why(plain, 'zstd'), 'is encoded as zstd');
    assert.equal(await why(plain, 'gzip'), 'is not the gzip that it says it is');
    assert.equal(
      await why(zlib.gzipSync(plain).subarray(0, 15), 'gzip'),
      'is not the gzip that it says it is',
    );
    assert.equal(await why(plain, 'gzip, gzip, gzip'), 'is encoded more than twice');
    assert.equal(await why(plain, '\u001b[31m'), 'is encoded as ');
  });
});
