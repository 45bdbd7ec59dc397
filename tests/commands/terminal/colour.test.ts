import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isColourWanted, paintWith } from '../../../src/commands/terminal/colour.ts';

const wanted = (env: Record<string, string>, isTty = true, isRefused = false) =>
  isColourWanted({ env, isTty, isRefused });

test('a terminal gets colour, a pipe does not', () => {
  assert.equal(wanted({}), true);
  assert.equal(wanted({}, false), false);
});

test('NO_COLOR turns colour off unless it is empty', () => {
  assert.equal(wanted({ NO_COLOR: '1' }), false);
  assert.equal(wanted({ NO_COLOR: '0' }), false);
  assert.equal(wanted({ NO_COLOR: '' }), true);
});

test('a dumb terminal gets no colour', () => {
  assert.equal(wanted({ TERM: 'dumb' }), false);
});

test('FORCE_COLOR turns colour on wherever the environment or the stream turned it off', () => {
  assert.equal(wanted({ FORCE_COLOR: '1' }, false), true);
  assert.equal(wanted({ FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }), true);
  assert.equal(wanted({ FORCE_COLOR: '0' }), false);
  assert.equal(wanted({ FORCE_COLOR: '' }, false), false);
});

test('the flag beats the environment', () => {
  assert.equal(wanted({ FORCE_COLOR: '1' }, true, true), false);
});

test('without colour a style returns its text as it is', () => {
  assert.equal(paintWith(false).red('x'), 'x');
  assert.equal(paintWith(true).red('x'), '\u001b[31mx\u001b[39m');
});
