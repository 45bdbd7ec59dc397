import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StatusdError } from '../../../src/engine/core/errors.ts';

it('an error for the user has a code, a sentence, and a hint and a cause where there are any', () => {
  const cause = new Error('ENOSPC');
  const error = new StatusdError('store_full', 'the disk is full', { hint: 'Free some space.', cause });
  assert.deepEqual(
    [error.name, error.code, error.message, error.hint, error.cause],
    ['StatusdError', 'store_full', 'the disk is full', 'Free some space.', cause],
  );
  const bare = new StatusdError('usage', 'no such command');
  assert.equal(bare.hint, null);
  assert.equal('cause' in bare, false);
  assert.equal('cause' in new StatusdError('usage', 'x', { cause: undefined }), true);
});
