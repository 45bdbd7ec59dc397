import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedStatus } from '../../../src/commands/import/status-codes.ts';

const settings = (isFine: (code: number) => boolean, isFollowing: boolean) =>
  Object.fromEntries(acceptedStatus(isFine, isFollowing));

describe('acceptedStatus', () => {
  it('needs no setting for any 2xx where redirects are followed', () => {
    assert.deepEqual(
      settings((code) => code < 300, true),
      {},
    );
  });

  it('names codes and spans', () => {
    const isFine = (code: number) => code === 200 || (code >= 401 && code <= 403);
    assert.deepEqual(settings(isFine, true), { expected_status: [200, '401-403'] });
    assert.deepEqual(
      settings((code) => code === 204, true),
      { expected_status: 204 },
    );
  });

  it('says whether a redirect is followed where the codes would have it otherwise', () => {
    const isMoved = (code: number) => code === 301;
    const isEither = (code: number) => code === 200 || isMoved(code);
    assert.deepEqual(settings(isMoved, true), { expected_status: 301, follow_redirects: true });
    assert.deepEqual(settings(isEither, true), { expected_status: [200, 301], follow_redirects: true });
    assert.deepEqual(settings(isEither, false), { expected_status: [200, 301] });
    assert.deepEqual(
      settings((code) => code < 400, true),
      { expected_status: '200-399', follow_redirects: true },
    );
    assert.deepEqual(
      settings((code) => code === 200, false),
      { expected_status: 200, follow_redirects: false },
    );
  });
});
