/** Reads a SQLite database of another program page by page, so that its size does not matter. */
import { readSync } from 'node:fs';
import { openSql, type SqlReader } from '../../db/store/sql.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { openRegular } from './read-whole-file.ts';

const magic = 'SQLite format 3\0';

/** Whether the regular file begins as a SQLite database does. Throws a usage error when it cannot be read. */
export async function isSqliteFile(file: string): Promise<boolean> {
  const { handle } = await openRegular(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === magic;
  } finally {
    await handle.close();
  }
}

interface SqliteWork<T> {
  /** Advice for a database that SQLite cannot read. */
  readonly damagedHint: string;
  readonly work: (sql: SqlReader) => T | Promise<T>;
}

/**
 * Does `work` on the database in `file`, then closes it. Pages are read when a query needs them. Throws a usage error
 * when the file cannot be read or is damaged, and the StatusdErrors that `work` throws.
 */
export async function withSqliteFile<T>(file: string, { damagedHint, work }: SqliteWork<T>): Promise<T> {
  const { handle, size } = await openRegular(file);
  let close = () => {};
  try {
    const sql = await openSql(new FilePages(handle.fd, size));
    close = sql.close;
    return await work(sql);
  } catch (cause) {
    if (cause instanceof StatusdError) throw cause;
    throw new StatusdError('usage', `the database ${file} is damaged`, { hint: damagedHint, cause });
  } finally {
    close();
    await handle.close();
  }
}

const blockBytes = 65_536;

/** Blocks that are held: 8 MB, enough for the inner pages of the indexes of a database of 10 GB. */
const maxBlocks = 128;

/**
 * The bytes of a file, for the file system in memory of sql.js 1.16. That keeps the array it is given, asks it for its
 * `length` once, and reads through `subarray`: so an array without memory of its own that reads the file there is all
 * that SQLite needs. A test reads a database of 5 GB, and fails with a version that copies the array.
 */
class FilePages extends Uint8Array {
  readonly #fd: number;
  readonly #size: number;
  /** Blocks of the file by number; the one that was used last comes last. */
  readonly #blocks = new Map<number, Uint8Array<ArrayBuffer>>();

  constructor(fd: number, size: number) {
    super(0);
    this.#fd = fd;
    this.#size = size;
  }

  override get length(): number {
    return this.#size;
  }

  override slice(start = 0, end = this.#size): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end);
  }

  override subarray(start = 0, end = this.#size): Uint8Array<ArrayBuffer> {
    if (start === 0 && end === this.#size) return this;
    const number = Math.floor(start / blockBytes);
    const from = start - number * blockBytes;
    const first = this.#block(number).subarray(from, from + end - start);
    if (first.length === end - start) return first;
    const bytes = new Uint8Array(end - start);
    bytes.set(first);
    bytes.set(this.subarray(start + first.length, end), first.length);
    return bytes;
  }

  #block(number: number): Uint8Array<ArrayBuffer> {
    const known = this.#blocks.get(number);
    this.#blocks.delete(number);
    const block = known ?? this.#read(number);
    this.#blocks.set(number, block);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > maxBlocks && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }

  #read(number: number): Uint8Array<ArrayBuffer> {
    const block = new Uint8Array(blockBytes);
    for (let done = 0, read = -1; done < blockBytes && read !== 0; done += read)
      read = readSync(this.#fd, block, done, blockBytes - done, number * blockBytes + done);
    // Bytes 18 and 19 say that the database has a write-ahead log. SQLite cannot open one in memory that has.
    if (number === 0) block.fill(1, 18, 20);
    return block;
  }
}
