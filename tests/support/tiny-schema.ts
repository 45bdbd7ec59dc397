/** A small schema for the tests of the store: counters, notes with ids, samples. */
import type { Json, StoreSchema } from '../../src/db/store/operation.ts';
import type { Sql, SqlReader } from '../../src/db/store/sql.ts';

const text = (value: Json | undefined): string => {
  if (typeof value !== 'string') throw new Error('a text is wanted');
  return value;
};

const number = (value: Json | undefined): number => {
  if (typeof value !== 'number') throw new Error('a number is wanted');
  return value;
};

/** `version` 2 adds a column, as a migration would. */
export function tinySchema(version = 1): StoreSchema {
  return {
    version,
    operations: [
      {
        name: 'count',
        apply: (sql, [name, by]) => {
          const insert =
            'INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + ?';
          sql.run(insert, text(name), number(by), number(by));
          return sql.get('SELECT value FROM counter WHERE name = ?', [text(name)], (row) =>
            row.number('value'),
          );
        },
      },
      {
        name: 'note',
        apply: (sql, [content]) => {
          sql.run('INSERT INTO note (content) VALUES (?)', text(content));
          return sql.get('SELECT max(id) AS id FROM note', [], (row) => row.number('id'));
        },
      },
      {
        name: 'sample',
        apply: (sql, [at, value]) => {
          sql.run('INSERT INTO sample (at, value) VALUES (?, ?)', number(at), number(value));
          return null;
        },
      },
      {
        name: 'refuse',
        apply: (_sql, [reason]) => {
          throw new Error(text(reason));
        },
      },
    ],
    migrate: (sql: Sql, from) => {
      if (from < 1) {
        sql.script(`
          CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
          CREATE TABLE note (id INTEGER PRIMARY KEY, content TEXT NOT NULL);
          CREATE TABLE sample (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, value INTEGER NOT NULL);`);
      }
      if (from < 2 && version >= 2) sql.script('ALTER TABLE note ADD COLUMN author TEXT');
    },
  };
}

export interface Note {
  readonly id: number;
  readonly content: string;
}

export function notes(sql: SqlReader): Note[] {
  return sql.all('SELECT id, content FROM note ORDER BY id', [], (row) => ({
    id: row.number('id'),
    content: row.text('content'),
  }));
}

export function counter(sql: SqlReader, name: string): number {
  return sql.get('SELECT value FROM counter WHERE name = ?', [name], (row) => row.number('value')) ?? 0;
}

export function sampleCount(sql: SqlReader): number {
  return sql.get('SELECT count(*) AS n FROM sample', [], (row) => row.number('n')) ?? 0;
}
