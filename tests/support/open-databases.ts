/** Counts the databases in memory that nobody has closed: SQLite keeps each of them for ever. */
import initSqlJs from 'sql.js';

/** Answers how many were opened and not closed since the call. Counting begins with the first call of a process. */
export async function watchDatabases(): Promise<() => number> {
  counting ??= startCounting();
  const count = await counting;
  const before = count.open;
  return () => count.open - before;
}

let counting: Promise<{ readonly open: number }> | null = null;

async function startCounting(): Promise<{ readonly open: number }> {
  const count = { open: 0 };
  // Every part of a process shares this one object.
  const sqlite = await initSqlJs();
  sqlite.Database = class extends sqlite.Database {
    private isOpen = true;

    constructor(pages?: ArrayLike<number> | Buffer | null) {
      super(pages);
      count.open += 1;
    }

    override close(): void {
      super.close();
      if (this.isOpen) count.open -= 1;
      this.isOpen = false;
    }
  };
  return count;
}
