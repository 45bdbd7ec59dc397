import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contrast, isColour, lightened } from '../../../src/engine/core/colour.ts';

describe('colours', () => {
  it('are three or six hexadecimal digits', () => {
    for (const colour of ['#abc', '#0B6650']) assert.ok(isColour(colour));
    for (const text of ['', 'green', '#abcd', '#12345g', 'abc', '#abc;}']) assert.ok(!isColour(text), text);
  });

  it('contrast as WCAG reckons', () => {
    assert.equal(contrast('#000', '#fff'), 21);
    assert.equal(contrast('#fff', '#ffffff'), 1);
    // The example of the standard's techniques: just enough.
    assert.equal(contrast('#767676', '#fff').toFixed(2), '4.54');
  });

  it('are made light enough for dark pages, and left alone when they are', () => {
    for (const colour of ['#000', '#0b6650', '#1d4ed8', '#ff0000'])
      assert.ok(contrast(lightened(colour), '#171d1a') >= 4.5, colour);
    assert.equal(lightened('#ffffff'), '#ffffff');
  });
});
