import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSql } from '../../../src/db/store/sql.ts';

async function table() {
  const sql = await openSql(null);
  sql.script('CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, bytes BLOB)');
  return sql;
}

describe('openSql', () => {
  it('gives every type back as it was put in, epoch milliseconds and NUL characters included', async () => {
    const sql = await table();
    sql.run(
      'INSERT INTO t (number, text, bytes) VALUES (?, ?, ?)',
      1_767_225_600_123,
      'a\0b é 😀',
      Buffer.from([0, 1]),
    );
    const row = sql.get('SELECT * FROM t', [], (found) => ({
      number: found.number('number'),
      text: found.text('text'),
      bytes: [...found.bytes('bytes')],
    }));
    assert.deepEqual(row, { number: 1_767_225_600_123, text: 'a\0b é 😀', bytes: [0, 1] });
  });

  it('throws for a column that is missing, of another type, or null', async () => {
    const sql = await table();
    sql.run('INSERT INTO t (text) VALUES (?)', 'x');
    assert.throws(() => sql.get('SELECT * FROM t', [], (row) => row.text('nothing')), /no column nothing/);
    assert.throws(
      () => sql.get('SELECT * FROM t', [], (row) => row.number('text')),
      /column text holds string/,
    );
    assert.throws(
      () => sql.get('SELECT * FROM t', [], (row) => row.number('number')),
      /column number holds null/,
    );
    assert.equal(
      sql.get('SELECT * FROM t', [], (row) => row.numberOrNull('number')),
      null,
    );
  });

  it('answers how many rows a statement changed, and null for a row that is not there', async () => {
    const sql = await table();
    assert.equal(sql.run('INSERT INTO t (number) VALUES (1), (2), (3)'), 3);
    assert.equal(sql.run('UPDATE t SET number = 0 WHERE number > ?', 1), 2);
    assert.equal(
      sql.get('SELECT id FROM t WHERE number = 9', [], (row) => row.number('id')),
      null,
    );
  });

  it('undoes what a failed inner transaction did and nothing else', async () => {
    const sql = await table();
    sql.transaction(() => {
      sql.run('INSERT INTO t (number) VALUES (1)');
      assert.throws(() =>
        sql.transaction(() => {
          sql.run('INSERT INTO t (number) VALUES (2)');
          throw new Error('inner');
        }),
      );
      sql.run('INSERT INTO t (number) VALUES (3)');
    });
    assert.deepEqual(
      sql.all('SELECT number FROM t', [], (row) => row.number('number')),
      [1, 3],
    );
    assert.throws(() =>
      sql.transaction(() => {
        sql.run('DELETE FROM t');
        throw new Error('outer');
      }),
    );
    assert.equal(sql.all('SELECT 1 FROM t', [], () => 1).length, 2);
  });

  it('exports pages that open again, and goes on with its prepared statements', async () => {
    const sql = await table();
    const count = () => sql.get('SELECT count(*) AS n FROM t', [], (row) => row.number('n'));
    sql.run('INSERT INTO t (number) VALUES (1)');
    assert.equal(count(), 1);
    const copy = await openSql(sql.exportPages());
    sql.run('INSERT INTO t (number) VALUES (2)');
    assert.equal(count(), 2);
    assert.equal(copy.all('SELECT 1 FROM t', [], () => 1).length, 1);
  });

  it('becomes another database while everybody keeps the same object', async () => {
    const sql = await table();
    const other = await table();
    other.run('INSERT INTO t (number) VALUES (7)');
    assert.equal(sql.all('SELECT number FROM t', [], (row) => row.number('number')).length, 0);
    sql.replace(other.exportPages());
    assert.deepEqual(
      sql.all('SELECT number FROM t', [], (row) => row.number('number')),
      [7],
    );
  });

  it('refuses bytes that are no database', async () => {
    await assert.rejects(openSql(Buffer.alloc(5000, 7)), /not a database/);
  });
});
