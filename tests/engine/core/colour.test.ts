import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contrast, isColour, lightened } from '../../../src/engine/core/colour.ts';

describe('colours', () => {
  it('are three or six hexadecimal digits', () => {
    for (const colour of ['#abc', '#0B6650']) assert.ok(isColour(colour));
    for (const text of ['', 'green', '#abcd', '#12345g', 'abc', '#abc;}', 'x#abc', 'x#0b6650', '#0b6650x'])
      assert.ok(!isColour(text), text);
  });

  it('contrast as WCAG reckons', () => {
    assert.equal(contrast('#000', '#fff'), 21);
    assert.equal(contrast('#fff', '#ffffff'), 1);
    // The example of the standard's techniques: just enough.
    assert.equal(contrast('#767676', '#fff').toFixed(2), '4.54');
    // Pure red, green and blue weigh differently; the two dark ones lie on either side of the bend of the curve.
    assert.deepEqual(
      ['#f00', '#0f0', '#00f', '#0a0a0a', '#0b0b0b'].map((colour) => contrast(colour, '#fff').toFixed(3)),
      ['3.998', '1.372', '8.592', '19.798', '19.683'],
    );
    assert.equal(contrast('#fff', '#f00'), contrast('#f00', '#fff'));
    assert.equal(contrast('nope', '#000'), 1, 'what is no colour counts as black');
  });

  it('are made light enough for dark pages, and left alone when they are', () => {
    for (const colour of ['#000', '#0b6650', '#1d4ed8', '#ff0000'])
      assert.ok(contrast(lightened(colour), '#171d1a') >= 4.5, colour);
    assert.equal(lightened('#ffffff'), '#ffffff');
    assert.equal(lightened('#ABC'), '#aabbcc');
    assert.equal(lightened('nope'), '#ffffff');
    // Not lighter than needed, and of the same hue.
    assert.deepEqual(['#000', '#0b6650', '#1d4ed8', '#ff0000', '#f54'].map(lightened), [
      '#919191',
      '#5f9b8c',
      '#6b8be5',
      '#ff4545',
      '#ff5544',
    ]);
  });
});
