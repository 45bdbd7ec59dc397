import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interruptFlags } from '../../../src/commands/serve/run-daemon.ts';

describe('the flags of V8', () => {
  it('leave out what the V8 of a later Node would complain of', () => {
    assert.deepEqual(interruptFlags(45_000, '20.18.1'), ['--interrupt-budget=45000']);
    for (const later of ['21.7.3', '22.23.3', '24.21.0', '25.9.0'])
      assert.deepEqual(interruptFlags(45_000, later), [], later);
  });
});
