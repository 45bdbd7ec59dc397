import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilBeat } from '../../../src/engine/core/clock.ts';

describe('beats', () => {
  it('are at the same instants for all who wait for them', () => {
    assert.equal(untilBeat(0, 500), 500);
    assert.equal(untilBeat(1234.25, 500), 266);
    assert.equal(untilBeat(1500.5, 500), 500);
    assert.equal(untilBeat(2001, 1000), 999);
  });

  it('are not waited for twice by who was woken a little early', () => {
    assert.equal(untilBeat(1499.2, 500), 500);
    assert.equal(untilBeat(1495, 500), 5);
  });
});
