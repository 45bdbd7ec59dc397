/** Snapshots in the database server, stored in chunks: a chunk that did not change is stored once. */
import { createHash } from 'node:crypto';
import type { Sql } from '../store/sql.ts';
import type { DatabaseLink } from './link.ts';
import type { Statements } from './statements.ts';

export interface SharedSnapshot {
  /** The last record of the log that is in it. */
  readonly seq: number;
  readonly bytes: Buffer;
}

export interface SharedSnapshotsOptions {
  readonly link: DatabaseLink;
  readonly statements: Statements;
  /** For each statement; none moves more than a mebibyte. */
  readonly deadlineMs: number;
}

/** What of a database may be free pages, which nodes would keep in memory. */
const looseShare = 1 / 4;

/** Lets go of pages that are free since much was moved out of the database: rarely, as it changes every chunk. */
export function shrink(sql: Sql): void {
  const count = (name: 'freelist_count' | 'page_count') =>
    sql.get(`PRAGMA ${name}`, [], (row) => row.number(name)) ?? 0;
  if (count('freelist_count') > count('page_count') * looseShare) sql.script('VACUUM');
}

/** A page of SQLite, so that a page that stayed costs nothing, and free pages, all zeros, are one chunk. */
const chunkBytes = 4096;

/** How many bytes of chunks at most are in one statement. */
const batchBytes = 1024 * 1024;

/** The newest, and one to fall back on. */
const keptSnapshots = 2;

export class SharedSnapshots {
  private readonly options: SharedSnapshotsOptions;

  constructor(options: SharedSnapshotsOptions) {
    this.options = options;
  }

  /**
   * Keeps a snapshot, and deletes what it makes needless: older snapshots, the records in them, chunks of none. Answers
   * how many chunks were new; null: this node no longer leads, and nothing is deleted. `onSent` hears how many bytes have
   * been sent, before each part of them and before the snapshot is named; it is not kept when that throws. Rejects with
   * LinkError.
   */
  async save(
    { seq, bytes }: SharedSnapshot,
    epoch: number,
    onSent: (bytes: number) => void = () => undefined,
  ): Promise<number | null> {
    const { statements } = this.options;
    const chunks = new Map<string, Buffer>();
    const hashes: Buffer[] = [];
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      const chunk = bytes.subarray(start, start + chunkBytes);
      const hash = hashOf(chunk);
      hashes.push(hash);
      chunks.set(hash.toString('hex'), chunk);
    }
    const missing = await this.run(statements.missingChunks(hashes));
    const fresh = missing.flatMap((row) => {
      const hash = row['hash'] as Buffer;
      const chunk = chunks.get(hash.toString('hex'));
      return chunk === undefined ? [] : [{ hash, bytes: chunk }];
    });
    let sent = 0;
    for (const batch of batchesOf(fresh, chunkBytes)) {
      onSent(sent);
      await this.run(statements.addChunks(batch));
      sent += batch.length * chunkBytes;
    }
    onSent(sent);
    const added = await this.run(statements.addSnapshot(seq, hashes, epoch));
    if (added.length === 0) return null;
    for (const statement of statements.compact(keptSnapshots, epoch)) await this.run(statement);
    return fresh.length;
  }

  /** The newest snapshot that is whole; null: there is none. Rejects with LinkError. */
  async load(): Promise<SharedSnapshot | null> {
    for (const row of await this.run(this.options.statements.snapshots)) {
      const bytes = await this.bytesOf(row['hashes'] as readonly Buffer[]);
      if (bytes !== null) return { seq: Number(row['seq']), bytes };
    }
    return null;
  }

  /**
   * Null: a chunk is missing, or not what its hash says. Each is put where it belongs as it comes: as many small buffers as
   * a large snapshot has pages would stay with the process after they are freed.
   */
  private async bytesOf(hashes: readonly Buffer[]): Promise<Buffer | null> {
    const places = new Map<string, number[]>();
    for (const [index, hash] of hashes.entries()) {
      const name = hash.toString('latin1');
      const known = places.get(name);
      if (known === undefined) places.set(name, [index]);
      else known.push(index);
    }
    let whole = Buffer.alloc(0);
    let chunkLength = 0;
    let length = 0;
    const read = async (wanted: readonly Buffer[]) => {
      for (const row of await this.run(this.options.statements.readChunks(wanted))) {
        const bytes = row['bytes'] as Buffer;
        const name = hashOf(bytes).toString('latin1');
        // Those of a snapshot are as long as its first one, and that of another version may be longer than a page.
        if (chunkLength === 0) {
          chunkLength = bytes.length;
          whole = Buffer.alloc(hashes.length * chunkLength);
        }
        for (const index of places.get(name) ?? []) {
          bytes.copy(whole, index * chunkLength);
          length += bytes.length;
        }
        places.delete(name);
      }
    };
    const [first] = hashes;
    if (first === undefined) return whole;
    await read([first]);
    if (chunkLength === 0) return null;
    for (const batch of batchesOf(hashes.slice(1), chunkLength)) await read(batch);
    return places.size === 0 ? whole.subarray(0, length) : null;
  }

  private run(statement: Parameters<DatabaseLink['run']>[0]): ReturnType<DatabaseLink['run']> {
    return this.options.link.run(statement, this.options.deadlineMs);
  }
}

function hashOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Batches of what has `each` bytes at most. */
function batchesOf<T>(items: readonly T[], each: number): readonly (readonly T[])[] {
  const size = Math.max(1, Math.floor(batchBytes / each));
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
