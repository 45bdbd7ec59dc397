import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedStatus } from '../../../src/commands/import/status-codes.ts';

describe('acceptedStatus', () => {
  it('needs no setting for any 2xx', () => {
    assert.deepEqual(
      acceptedStatus((code) => code < 300, true),
      { value: null, loss: 'none' },
    );
    assert.deepEqual(
      acceptedStatus((code) => code < 400, true),
      { value: null, loss: 'none' },
    );
  });

  it('names codes and spans', () => {
    const isFine = (code: number) => code === 200 || (code >= 401 && code <= 403);
    assert.deepEqual(acceptedStatus(isFine, true).value, [200, '401-403']);
    assert.equal(acceptedStatus((code) => code === 204, true).value, 204);
  });

  it('wants a redirect as the answer only where it was not followed, or nothing else is fine', () => {
    const isMoved = (code: number) => code === 301;
    assert.deepEqual(acceptedStatus(isMoved, true).value, 301);
    assert.deepEqual(acceptedStatus((code) => code === 200 || isMoved(code), true).value, 200);
    assert.deepEqual(acceptedStatus((code) => code === 200 || isMoved(code), false).value, [200, 301]);
    assert.equal(acceptedStatus((code) => code === 200, false).loss, 'redirect_is_followed_anyway');
  });
});
