import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { openSql, type Sql } from '../../../../src/db/store/sql.ts';
import { openReplica } from '../../../../src/db/store/replica.ts';
import { makeBlank } from '../../../../src/db/tables/schema/blank.ts';
import { schema } from '../../../../src/db/tables/schema/schema.ts';

const objectsOf = (sql: Sql) =>
  sql.all('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid', [], (row) =>
    [row.text('type'), row.text('name'), row.text('tbl_name'), row.textOrNull('sql') ?? ''].join(' '),
  );

it('an empty database that was made ahead has what the migrations make, and nothing in it', async () => {
  const { sql: made } = await openReplica(
    null,
    { ...schema, blankPages: () => Promise.resolve(null) },
    'one',
  );
  const blankPages = () => makeBlank(schema);
  const opened = await openReplica(
    null,
    { ...schema, blankPages, migrate: () => assert.fail('it was made already') },
    'two',
  );
  assert.equal(opened.databaseId, 'two');
  assert.deepEqual([opened.log, opened.sequence], [1, 0]);
  assert.deepEqual(objectsOf(opened.sql), objectsOf(made));
  for (const table of ['store_place', 'store_writers', 'monitors', 'meta', 'sqlite_sequence'])
    assert.equal(
      opened.sql.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.number('n')),
      0,
    );
  made.close();
  opened.sql.close();
});

const built = new URL('../../../../dist/chunks/blank.db', import.meta.url);

it('the package has one of this version', { skip: !existsSync(built) && 'nothing is built' }, async () => {
  const sql = await openSql(readFileSync(built));
  assert.equal(
    sql.get('PRAGMA user_version', [], (row) => row.number('user_version')),
    schema.version,
  );
  sql.close();
});
