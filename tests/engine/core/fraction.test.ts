import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fractionOf } from '../../../src/engine/core/fraction.ts';

describe('the place of a name in a range', () => {
  it('is the same on every start and every machine', () => {
    // Another version that spread them otherwise would check all monitors at new times, and hand them to other nodes.
    const places = ['', 'api', 'API', 'web-1', 'web-2', 'ä', '日本', 'a'.repeat(40)];
    assert.deepEqual(
      places.map((id) => fractionOf(id).toFixed(9)),
      [
        '0.668922188',
        '0.304461275',
        '0.143186399',
        '0.074990998',
        '0.240076549',
        '0.073394836',
        '0.812777603',
        '0.607072199',
      ],
    );
  });

  it('is spread evenly, also of names that differ in their last letter', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let index = 0; index < 2000; index += 1) {
      const place = fractionOf(`monitor-${index}`);
      assert.ok(place >= 0 && place < 1);
      const tenth = Math.floor(place * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) assert.ok(count > 140 && count < 260, String(tenths));
  });
});
