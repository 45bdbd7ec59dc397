import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openFault, reasonOf, writeFault } from '../../../../src/db/store/files/faults.ts';
import { openSql } from '../../../../src/db/store/sql.ts';
import { watchDatabases } from '../../../support/open-databases.ts';

describe('a refusal of the system', () => {
  it('is described in words, also when what was thrown is no Error', () => {
    assert.equal(reasonOf(new Error('no')), 'no');
    assert.equal(reasonOf('Database closed'), 'Database closed');
    assert.equal(reasonOf(null), 'null');
    assert.equal(reasonOf({ name: 'ErrnoError', Sa: 33 }), 'SQLite cannot use its memory (errno 33)');
    assert.equal(reasonOf({}), 'SQLite cannot use its memory');
    assert.equal(
      openFault({ name: 'ErrnoError', Sa: 33 }, '/x/statusd.db').message,
      'cannot use the database /x/statusd.db: SQLite cannot use its memory (errno 33)',
    );
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    assert.equal(writeFault(full, '/x').message, 'cannot write /x: the disk is full');
  });
});

describe('the count of open databases in the tests', () => {
  it('finds a handle that is never closed', async () => {
    const leftOpen = await watchDatabases();
    const sql = await openSql(null);
    assert.equal(leftOpen(), 1);
    sql.close();
    sql.close();
    assert.equal(leftOpen(), 0);
  });
});
