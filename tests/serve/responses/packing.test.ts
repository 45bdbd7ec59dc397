import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { packed } from '../../../src/serve/responses/packing.ts';
import { compact, lengthOf, pieceOf } from '../../../src/serve/responses/pieces.ts';
import { cachedResponseOf } from '../../../src/serve/responses/cached-response.ts';
import { printedSeed, randomOf } from '../../support/random.ts';

describe('bytes in pieces', () => {
  it('are packed as if they were one, however they are cut', async () => {
    const random = randomOf(printedSeed());
    for (const count of [0, 1, 3, 400]) {
      const pieces = Array.from({ length: count }, () => pieceOf('ä<li>'.repeat(random.below(2000))));
      assert.deepEqual(gunzipSync(await packed(pieces)), Buffer.concat(pieces));
      assert.deepEqual(Buffer.concat(compact(pieces)), Buffer.concat(pieces));
      assert.equal(lengthOf(pieces), Buffer.concat(pieces).length);
    }
  });

  it('have the tag of the whole', () => {
    const labels = { contentType: 'text/plain', headers: {}, isKept: true };
    const half = pieceOf('x'.repeat(50_000));
    const cut = cachedResponseOf([half, half], labels);
    const whole = cachedResponseOf(Buffer.concat([half, half]), labels);
    assert.equal(cut.plain.tag, whole.plain.tag);
    assert.equal(cut.plain.whole.headers['content-length'], '100000');
    assert.notEqual(cachedResponseOf([half], labels).plain.tag, whole.plain.tag);
  });
});
