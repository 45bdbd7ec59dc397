/** One SQLite database in memory: prepared statements, typed columns, nested transactions. */
import { setFlagsFromString } from 'node:v8';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Database, SqlJsStatic, Statement } from 'sql.js';

export type SqlColumn = number | string | Uint8Array | null;

/**
 * The current row of a query, valid only until the reading function returns.
 * Asking for a column that is not there, or is of another type, throws.
 */
export interface SqlRow {
  number(column: string): number;
  numberOrNull(column: string): number | null;
  text(column: string): string;
  textOrNull(column: string): string | null;
  bytes(column: string): Uint8Array;
  bytesOrNull(column: string): Uint8Array | null;
}

/** Queries. Statements are prepared once and kept, so the text of a query should be a constant. */
export interface SqlReader {
  /** The first row, or null when there is none. */
  readonly get: <T>(query: string, params: readonly SqlColumn[], read: (row: SqlRow) => T) => T | null;
  readonly all: <T>(query: string, params: readonly SqlColumn[], read: (row: SqlRow) => T) => T[];
}

/**
 * Queries and changes. JavaScript numbers beyond 32 bits are bound as doubles: a column that holds them
 * needs INTEGER affinity to keep them as integers.
 */
export interface Sql extends SqlReader {
  /** Runs one statement and answers how many rows it changed. */
  readonly run: (statement: string, ...params: readonly SqlColumn[]) => number;
  /** Runs a script of statements without parameters. */
  readonly script: (statements: string) => void;
  /** All of `work` or, when it throws, nothing of it. May be nested. */
  readonly transaction: <T>(work: () => T) => T;
}

/** A database that can be exported, replaced and closed: what only the store itself does with it. */
export interface SqlMemory extends Sql {
  /** The pages of the database as a plain SQLite file. Not inside a transaction. */
  readonly exportPages: () => Uint8Array;
  /** Becomes another database: `pages` of a SQLite file (which it takes over), or an empty one. */
  readonly replace: (pages: Uint8Array | null) => void;
  readonly close: () => void;
}

/** Loads SQLite, once a process, and answers a database made of `pages`, or an empty one. */
export async function openSql(pages: Uint8Array | null): Promise<SqlMemory> {
  loading ??= loadSqlite();
  const sqlite = await loading;
  return sqlMemory((bytes) => new sqlite.Database(bytes), pages);
}

/**
 * How much of a function is run, in bytes of its code, before it is compiled once more, for speed. V8's own measure is 1.8
 * million. To compile the function that runs queries takes 90 ms of a processor, which a command or a daemon with little to
 * do does not repay; one with much to do comes to it soon.
 */
const tieringBudget = 1_800_000_000;

/** To be called before a database is opened. What goes on for long is compiled for speed all the same. */
export function optimiseSqliteLate(): void {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
}

/**
 * Begins to load SQLite, for a process that opens a database a little later and keeps it. Each of its functions is compiled
 * when it is first called. What goes wrong shows then. Compiled for speed without V8's passes over the whole of a function
 * it is as fast as with them, and of the memory that this takes, 2.2 MB at a time, glibc gives back more.
 */
export function loadSqliteAhead(): void {
  optimiseSqliteLate();
  setFlagsFromString('--no-wasm-opt');
  loading ??= loadSqlite();
  loading.catch(() => undefined);
}

/** The library keeps its one instance of SQLite a process by itself; asking again for its module takes time. */
let loading: Promise<SqlJsStatic> | null = null;

async function loadSqlite(): Promise<SqlJsStatic> {
  const { default: initSqlJs } = await import('sql.js').catch((error: unknown) => {
    throw new StatusdError(
      'store_unusable',
      'the installation is incomplete: the package sql.js is missing',
      {
        hint: 'Install it again: `npm ci` in a checkout, `npm install` elsewhere.',
        cause: error,
      },
    );
  });
  return initSqlJs();
}

/**
 * Nothing is shared through a file, so the journal and the locks of SQLite only cost time. What is deleted is overwritten:
 * an address that was erased must not stay behind in a free part of a page.
 */
const settings = `
  PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF;
  PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;`;

interface Prepared {
  readonly statement: Statement;
  readonly row: StandingRow;
}

function sqlMemory(create: (pages: Uint8Array | null) => Database, pages: Uint8Array | null): SqlMemory {
  let database = opened(create, pages);
  let cache = new Map<string, Prepared>();
  let depth = 0;

  const prepare = (text: string): Prepared => {
    const kept = cache.get(text);
    if (kept !== undefined) return kept;
    const statement = database.prepare(text);
    const prepared = { statement, row: new StandingRow(statement.getColumnNames()) };
    cache.set(text, prepared);
    return prepared;
  };

  /** Steps through the rows; a statement left standing would keep the database from being exported. */
  const each = (text: string, params: readonly SqlColumn[], visit: (row: SqlRow) => void): void => {
    const { statement, row } = prepare(text);
    try {
      bind(statement, params);
      while (statement.step()) visit(row.standOn(statement.get()));
    } finally {
      statement.reset();
    }
  };

  const transaction = <T>(work: () => T): T => {
    const isOutermost = depth === 0;
    run(isOutermost ? 'BEGIN' : 'SAVEPOINT nested');
    depth += 1;
    try {
      const result = work();
      depth -= 1;
      run(isOutermost ? 'COMMIT' : 'RELEASE nested');
      return result;
    } catch (error) {
      depth = isOutermost ? 0 : depth - 1;
      run(isOutermost ? 'ROLLBACK' : 'ROLLBACK TO nested');
      if (!isOutermost) run('RELEASE nested');
      throw error;
    }
  };

  const run = (text: string, ...params: readonly SqlColumn[]): number => {
    const { statement } = prepare(text);
    try {
      bind(statement, params);
      while (statement.step());
      return database.getRowsModified();
    } finally {
      statement.reset();
    }
  };

  const drop = () => {
    cache = new Map();
    database.close();
  };

  return {
    get: (text, params, read) => {
      const { statement, row } = prepare(text);
      try {
        bind(statement, params);
        return statement.step() ? read(row.standOn(statement.get())) : null;
      } finally {
        statement.reset();
      }
    },
    all: (text, params, read) => {
      const rows: ReturnType<typeof read>[] = [];
      each(text, params, (row) => {
        rows.push(read(row));
      });
      return rows;
    },
    run,
    script: (statements) => {
      database.exec(statements);
    },
    transaction,
    exportPages: () => database.export(),
    replace: (next) => {
      const replacement = opened(create, next);
      drop();
      depth = 0;
      database = replacement;
    },
    close: drop,
  };
}

function opened(create: (pages: Uint8Array | null) => Database, pages: Uint8Array | null): Database {
  const database = create(pages);
  try {
    database.exec(settings);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The library reads the parameters and leaves them as they are. */
function bind(statement: Statement, params: readonly SqlColumn[]): void {
  statement.bind(params as SqlColumn[]);
}

/** One object for all rows of a statement: a query of a million rows makes none of them. */
class StandingRow implements SqlRow {
  private values: readonly SqlColumn[] = [];
  private readonly columns: ReadonlyMap<string, number>;

  constructor(columns: readonly string[]) {
    this.columns = new Map(columns.map((name, index) => [name, index]));
  }

  standOn(values: readonly SqlColumn[]): this {
    this.values = values;
    return this;
  }

  number(column: string): number {
    const value = this.value(column);
    return typeof value === 'number' ? value : refuse(column, value);
  }

  numberOrNull(column: string): number | null {
    return this.value(column) === null ? null : this.number(column);
  }

  text(column: string): string {
    const value = this.value(column);
    return typeof value === 'string' ? value : refuse(column, value);
  }

  textOrNull(column: string): string | null {
    return this.value(column) === null ? null : this.text(column);
  }

  bytes(column: string): Uint8Array {
    const value = this.value(column);
    return value instanceof Uint8Array ? value : refuse(column, value);
  }

  bytesOrNull(column: string): Uint8Array | null {
    return this.value(column) === null ? null : this.bytes(column);
  }

  private value(column: string): SqlColumn {
    const value = this.values[this.columns.get(column) ?? -1];
    if (value === undefined) throw new Error(`the query has no column ${column}`);
    return value;
  }
}

function refuse(column: string, value: SqlColumn): never {
  throw new Error(`column ${column} holds ${value === null ? 'null' : typeof value}`);
}
