import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalRecord } from '../../../src/db/wal/reader.ts';
import { Replica } from '../../../src/db/store/replica.ts';
import { openSql } from '../../../src/db/store/sql.ts';
import { counter, notes, sampleCount, tinySchema } from '../../support/tiny-schema.ts';

const databaseId = '0f8fad5b-d9cb-469f-a165-70867728950e';

async function replicaOf(pages: Uint8Array | null = null, version = 1): Promise<Replica> {
  return new Replica(await openSql(pages), tinySchema(version), databaseId);
}

function enter(replica: Replica, record: WalRecord): void {
  if (replica.note(record)) replica.apply(record.kind, record.operations);
}

const record = (writer: string, counterOf: number, ...operations: WalRecord['operations']): WalRecord => ({
  kind: 'transaction',
  writer,
  counter: counterOf,
  operations,
});

describe('Replica', () => {
  it('applies a record that is in the log twice once', async () => {
    const replica = await replicaOf();
    enter(replica, record('a', 1, ['note', 'one']));
    enter(replica, record('b', 1, ['note', 'two']));
    enter(replica, record('a', 1, ['note', 'one']));
    assert.deepEqual(notes(replica.sql), [
      { id: 1, content: 'one' },
      { id: 2, content: 'two' },
    ]);
  });

  it('still remembers earlier values after an export', async () => {
    const replica = await replicaOf();
    enter(replica, record('a', 3, ['note', 'one']));
    const again = await replicaOf(replica.exportPages(null));
    enter(again, record('a', 3, ['note', 'one']));
    assert.equal(notes(again.sql).length, 1);
    assert.equal(again.sequence, 1);
    assert.equal(again.databaseId, databaseId);
  });

  it('undoes all of a transaction when one operation fails, and says why', async () => {
    const replica = await replicaOf();
    const outcome = replica.apply('transaction', [
      ['note', 'gone'],
      ['refuse', 'no'],
    ]);
    assert.ok('error' in outcome);
    assert.match(String(outcome.error), /no/);
    assert.deepEqual(notes(replica.sql), []);
  });

  it('keeps every sample but the one that fails', async () => {
    const replica = await replicaOf();
    replica.apply('samples', [
      ['sample', 1, 1],
      ['refuse', 'no'],
      ['sample', 2, 2],
    ]);
    assert.equal(sampleCount(replica.sql), 2);
  });

  it('forgets writers that were last seen long ago, at the end of a log', async () => {
    const replica = await replicaOf();
    for (let index = 0; index < 1200; index += 1)
      enter(replica, record(`writer ${index}`, 1, ['count', 'all', 1]));
    replica.nextLog();
    enter(replica, record('writer 0', 1, ['count', 'all', 1]));
    enter(replica, record('writer 1199', 1, ['count', 'all', 1]));
    assert.equal(counter(replica.sql, 'all'), 1201);
  });

  it('brings a database of an earlier version to its own', async () => {
    const old = await replicaOf();
    enter(old, record('a', 1, ['note', 'one']));
    const migrated = await replicaOf(old.exportPages(null), 2);
    assert.deepEqual(
      migrated.sql.all('SELECT content, author FROM note', [], (row) => [
        row.text('content'),
        row.textOrNull('author'),
      ]),
      [['one', null]],
    );
    assert.equal(
      migrated.sql.get('PRAGMA user_version', [], (row) => row.number('user_version')),
      2,
    );
  });
});
