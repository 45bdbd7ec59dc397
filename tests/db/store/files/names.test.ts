import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { namesOf } from '../../../../src/db/store/files/names.ts';

describe('namesOf', () => {
  const names = namesOf('/data/statusd.db');

  it('separates the logs and locks of a database from those of its neighbours', () => {
    const entries = [
      'statusd.db',
      'statusd.db-log.9',
      'statusd.db-log.10',
      'statusd.db-log.010',
      'statusd.db-log.',
      'statusd.db-log.7.damaged-20260101T000000Z',
      'statusd.db-lock.3',
      'statusd.db-lock.3.ask',
      'other.db-log.1',
      'my-statusd.db-log.2',
      'statusd.db-tmp.00ff',
    ];
    assert.deepEqual(names.logNumbers(entries), [9, 10]);
    assert.deepEqual(names.lockNumbers(entries), [3]);
    assert.deepEqual(names.temporaries(entries), ['/data/statusd.db-tmp.00ff']);
  });

  it('finds what was set aside of each of its files, and nothing of its neighbours', () => {
    const aside = [
      'statusd.db-log.7.damaged-20260101T000000Z',
      'statusd.db-prev.damaged-20260101T000000Z',
      'statusd.db.damaged-20260101T000000Z',
      'statusd.db.damaged-20260101T000000Z-2',
    ];
    const others = [
      'statusd.db',
      'statusd.db-log.7',
      'statusd.db.damaged-notes.txt',
      'statusd.db2.damaged-20260101T000000Z',
      'my-statusd.db.damaged-20260101T000000Z',
    ];
    assert.deepEqual(
      names.asides([...others, ...aside]),
      aside.map((name) => `/data/${name}`),
    );
    assert.deepEqual(names.asides([basename(names.quarantined('/data/statusd.db-log.12', 0))]).length, 1);
  });

  it('puts the time into the name of a file that it sets aside', () => {
    assert.equal(
      names.quarantined('/data/statusd.db', Date.UTC(2026, 0, 31, 23, 59, 59)),
      '/data/statusd.db.damaged-20260131T235959Z',
    );
  });
});
