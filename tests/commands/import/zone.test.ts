import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localInstant } from '../../../src/commands/import/zone.ts';

describe('localInstant', () => {
  it('knows winter and summer time, and zones off the hour', () => {
    assert.equal(localInstant('2030-01-15 12:00:00', 'Europe/Berlin'), '2030-01-15T11:00:00Z');
    assert.equal(localInstant('2030-07-15T12:00', 'Europe/Berlin'), '2030-07-15T10:00:00Z');
    assert.equal(localInstant('2030-07-15 00:10:30', 'Asia/Kathmandu'), '2030-07-14T18:25:30Z');
    assert.equal(localInstant('2030-03-31 03:00:00', 'Europe/Berlin'), '2030-03-31T01:00:00Z');
  });

  it('answers null for no time, a day that does not exist and a zone nobody knows', () => {
    for (const written of ['', 'soon', '2030-02-30 00:00:00', '2030-13-01 00:00:00']) {
      assert.equal(localInstant(written, 'UTC'), null, written);
    }
    assert.equal(localInstant('2030-01-01 00:00:00', 'Mars/Olympus'), null);
  });
});
