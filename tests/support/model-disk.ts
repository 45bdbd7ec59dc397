/**
 * A disk in memory that records everything asked of it, and that can answer what might be left of it when the power
 * goes at any moment: any part of what was written and not synced, any of the directory's changes not synced.
 */
import { createHash } from 'node:crypto';
import type { FileFacts, Files, OpenFile } from '../../src/db/store/files/files.ts';
import type { Random } from './random.ts';

/** Writes are lost or kept in pieces of this size: smaller than any sector, so harsher than any disk. */
const pieceBytes = 64;

interface Inode {
  readonly id: number;
  bytes: Buffer;
  length: number;
  /** Failed syncs: each is told once to everybody who has the file open (Linux, errseq_t). */
  failures: number;
}

type DiskEvent =
  | { readonly is: 'write'; readonly inode: number; readonly offset: number; readonly bytes: Buffer }
  /** `since`: how many events there were when the sync began; only those are safe. */
  | { readonly is: 'sync'; readonly inode: number; readonly since: number; readonly label: string }
  /** A write that was synced, and nothing else was: `write` is its event. */
  | { readonly is: 'write-through'; readonly inode: number; readonly write: number; readonly label: string }
  /** The kernel drops what it could not write, and later syncs say nothing of it. */
  | { readonly is: 'failed-sync'; readonly inode: number; readonly since: number }
  | { readonly is: 'set'; readonly name: string; readonly inode: number; readonly gone: string | null }
  | { readonly is: 'remove'; readonly name: string }
  | { readonly is: 'sync-directory'; readonly since: number; readonly label: string };

export class ModelDisk {
  readonly events: DiskEvent[] = [];
  private readonly inodes = new Map<number, Inode>();
  private readonly names = new Map<string, Inode>();
  private readonly start: ReadonlyMap<string, Buffer>;
  private nextInode = 1;
  /** How many files are open. */
  handles = 0;
  /** Called before every operation: a test puts its interleaving and its faults here. */
  before: (operation: string, path: string) => Promise<void> | void = () => undefined;
  /** Whether the size of an open log is known without waiting for it, and what is appended to it is synced at once. */
  isLocal = true;
  /** How many bytes of a write the disk takes. */
  takes: (length: number, path: string) => number = (length) => length;

  constructor(start: ReadonlyMap<string, Buffer> = new Map()) {
    this.start = start;
    for (const [name, bytes] of start) this.names.set(name, this.newInode(Buffer.from(bytes)));
  }

  contents(): Map<string, Buffer> {
    return new Map(
      [...this.names].map(([name, { bytes, length }]) => [name, Buffer.from(bytes.subarray(0, length))]),
    );
  }

  /** Equal for equal files under equal names. */
  fingerprint(): string {
    const hash = createHash('sha1');
    for (const [name, { bytes, length }] of [...this.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(`${name} ${length}\n`).update(bytes.subarray(0, length));
    }
    return hash.digest('base64');
  }

  put(name: string, bytes: Buffer): void {
    this.names.set(name, this.newInode(bytes));
  }

  isSealed(name: string): boolean {
    return hasSeal(this.find(name));
  }

  take(name: string): void {
    this.names.delete(name);
  }

  /**
   * What might be there after a loss of power when `count` events had happened. `isDropped` takes syncs away, as if
   * the program had not asked for them.
   */
  crash(count: number, random: Random, isDropped: (label: string) => boolean = () => false): ModelDisk {
    const events = this.events.slice(0, count);
    const syncs = new Syncs();
    let directorySync = 0;
    for (const event of events) {
      if (event.is === 'failed-sync') syncs.failed(event.inode, event.since);
      if (!('label' in event) || isDropped(event.label)) continue;
      if (event.is === 'write-through') syncs.through(event.write);
      else if (event.is === 'sync') syncs.done(event.inode, event.since);
      else directorySync = Math.max(event.since, directorySync);
    }
    const names = new Map([...this.start.keys()].map((name, index) => [name, index + 1]));
    const keptDirectory = random.below(4);
    events.forEach((event, index) => {
      if (event.is !== 'set' && event.is !== 'remove') return;
      if (index >= directorySync && !isKept(keptDirectory, random)) return;
      if (event.is === 'set') names.set(event.name, event.inode);
      const gone = event.is === 'set' ? event.gone : event.name;
      if (gone !== null) names.delete(gone);
    });
    const starts = [...this.start.values()];
    const left = new Map<string, Buffer>();
    const built = new Map<number, Buffer>();
    for (const [name, inode] of names) {
      const first = starts[inode - 1] ?? Buffer.alloc(0);
      const bytes = built.get(inode) ?? contentsAfter(first, { events, inode, syncs }, random);
      built.set(inode, bytes);
      left.set(name, bytes);
    }
    return new ModelDisk(left);
  }

  /** A view of the disk as one process has it. */
  files(): Files {
    return {
      open: async (path, mode) => {
        await this.before(`open ${mode}`, path);
        if (mode === 'create') {
          if (this.names.has(path)) throw fault('EEXIST', path);
          this.set(path, this.newInode(Buffer.alloc(0)), null);
        }
        return this.handle(this.find(path), path, mode === 'append' && this.isLocal);
      },
      facts: async (path) => {
        await this.before('facts', path);
        const inode = this.names.get(path);
        return inode === undefined ? null : factsOf(inode);
      },
      list: async (directory) => {
        await this.before('list', directory);
        return [...this.names.keys()].map((name) => name.slice(directory.length + 1));
      },
      link: async (from, to) => {
        await this.before('link', to);
        const inode = this.find(from);
        if (this.names.has(to)) throw fault('EEXIST', to);
        this.set(to, inode, null);
      },
      rename: async (from, to) => {
        await this.before('rename', to);
        const inode = this.find(from);
        if (this.names.get(to) === inode) return;
        this.set(to, inode, from);
        this.names.delete(from);
      },
      remove: async (path) => {
        await this.before('remove', path);
        if (!this.names.delete(path)) return;
        this.events.push({ is: 'remove', name: path });
      },
      restrict: async (path) => {
        await this.before('restrict', path);
      },
      syncDirectory: async (directory) => {
        const since = this.events.length;
        await this.before('sync-directory', directory);
        this.events.push({ is: 'sync-directory', since, label: this.directoryLabel(since) });
      },
      resolve: (path) => Promise.resolve(path),
    };
  }

  private handle(inode: Inode, path: string, isWriteThrough: boolean): OpenFile {
    let hasWritten = false;
    let isRecordDue = false;
    let reportedFailures = inode.failures;
    let isOpen = true;
    this.handles += 1;
    const syncFrom = async (since: number) => {
      try {
        await this.before('sync', path);
      } catch (error) {
        this.events.push({ is: 'failed-sync', inode: inode.id, since });
        inode.failures += 1;
        reportedFailures = inode.failures;
        throw error;
      }
      if (reportedFailures < inode.failures) {
        reportedFailures = inode.failures;
        throw fault('EIO', path);
      }
    };
    return {
      write: async (bytes) => {
        await this.before('write', path);
        hasWritten = true;
        isRecordDue = !isSeal(Buffer.from(bytes));
        const taken = bytes.subarray(0, this.takes(bytes.length, path));
        const write = this.events.length;
        this.events.push({ is: 'write', inode: inode.id, offset: inode.length, bytes: Buffer.from(taken) });
        append(inode, taken);
        if (isWriteThrough) {
          const label = isRecordDue ? fileLabel(inode, hasWritten) : 'seal of a log';
          await syncFrom(this.events.length);
          this.events.push({ is: 'write-through', inode: inode.id, write, label });
        }
        return taken.length;
      },
      read: async (into, position) => {
        await this.before('read', path);
        const part = inode.bytes.subarray(
          Math.min(position, inode.length),
          Math.min(position + into.length, inode.length),
        );
        into.set(part);
        return part.length;
      },
      facts: async () => {
        await this.before('facts', path);
        return factsOf(inode);
      },
      ...(isWriteThrough ? { isWriteThrough, sizeNow: () => inode.length } : {}),
      sync: async () => {
        const since = this.events.length;
        const label = isRecordDue || !hasSeal(inode) ? fileLabel(inode, hasWritten) : 'seal of a log';
        isRecordDue = false;
        await syncFrom(since);
        this.events.push({ is: 'sync', inode: inode.id, since, label });
      },
      close: async () => {
        if (!isOpen) throw fault('EBADF', path);
        isOpen = false;
        this.handles -= 1;
        await this.before('close', path);
      },
    };
  }

  private find(path: string): Inode {
    const inode = this.names.get(path);
    if (inode === undefined) throw fault('ENOENT', path);
    return inode;
  }

  private set(name: string, inode: Inode, gone: string | null): void {
    this.names.set(name, inode);
    this.events.push({ is: 'set', name, inode: inode.id, gone });
  }

  private newInode(bytes: Buffer): Inode {
    const inode = { id: this.nextInode, bytes, length: bytes.length, failures: 0 };
    this.nextInode += 1;
    this.inodes.set(inode.id, inode);
    return inode;
  }

  private directoryLabel(until: number): string {
    let from = until;
    while (from > 0 && this.events[from - 1]?.is !== 'sync-directory') from -= 1;
    const named = this.events.slice(from, until).flatMap((event) => (event.is === 'set' ? [event.name] : []));
    if (named.some((name) => /-log\.\d+$/.test(name))) return 'name of a log';
    if (named.some((name) => name.endsWith('.db'))) return 'name of the snapshot';
    return 'directory';
  }
}

/** What kind of sync this is, by what the file holds. */
function fileLabel({ bytes }: Inode, hasWritten: boolean): string {
  if (bytes.toString('latin1', 0, 6) === 'SQLite') return 'contents of the snapshot';
  if (!hasWritten) return 'what was there when it was opened';
  return bytes.includes('"format"') && bytes.indexOf(frameMagic, 1) === -1 ? 'header of a log' : 'records';
}

/** Which writes are safe on the disk. */
class Syncs {
  private readonly safeBefore = new Map<number, number>();
  /** Writes that were synced one by one. */
  private readonly throughWrites = new Set<number>();
  /** Writes between two events that no later sync makes safe. */
  private readonly dropped = new Map<number, { readonly from: number; readonly to: number }[]>();

  /** Syncs overlap: one that began earlier may end later. */
  done(inode: number, since: number): void {
    this.safeBefore.set(inode, Math.max(since, this.safeBefore.get(inode) ?? 0));
  }

  through(write: number): void {
    this.throughWrites.add(write);
  }

  failed(inode: number, since: number): void {
    const dropped = this.dropped.get(inode) ?? [];
    this.dropped.set(inode, [...dropped, { from: this.safeBefore.get(inode) ?? 0, to: since }]);
  }

  isSafe(inode: number, index: number): boolean {
    if (this.throughWrites.has(index)) return true;
    const isDropped = this.dropped.get(inode)?.some(({ from, to }) => index >= from && index < to) ?? false;
    return !isDropped && index < (this.safeBefore.get(inode) ?? 0);
  }
}

const frameMagic = Buffer.from([0xf5, 0x53, 0x44, 0x4c]);

function isSeal(frame: Buffer): boolean {
  return frame.subarray(0, 4).equals(frameMagic) && frame[12] === 4;
}

function hasSeal({ bytes, length }: Inode): boolean {
  const log = bytes.subarray(0, length);
  for (let at = log.indexOf(frameMagic); at !== -1; at = log.indexOf(frameMagic, at + 1)) {
    if (isSeal(log.subarray(at))) return true;
  }
  return false;
}

function contentsAfter(
  first: Buffer,
  {
    events,
    inode,
    syncs,
  }: { readonly events: readonly DiskEvent[]; readonly inode: number; readonly syncs: Syncs },
  random: Random,
): Buffer {
  const writes = events.flatMap((event, index) =>
    event.is === 'write' && event.inode === inode ? [{ ...event, index }] : [],
  );
  const safe = writes.filter(({ index }) => syncs.isSafe(inode, index));
  const unsafe = writes.filter(({ index }) => !syncs.isSafe(inode, index));
  const endOf = (list: typeof writes) =>
    list.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), first.length);
  const least = endOf(safe);
  const most = endOf(writes);
  const length =
    random.below(3) === 0 ? least + random.below(most - least + 1) : random.below(2) === 0 ? least : most;
  const bytes = Buffer.alloc(length);
  first.copy(bytes);
  for (const { offset, bytes: part } of safe) part.copy(bytes, offset);
  const kept = random.below(4);
  for (const { offset, bytes: part } of unsafe) {
    for (let at = 0; at < part.length; ) {
      // Pieces lie at fixed places of the file, as sectors do.
      const size = Math.min(part.length - at, pieceBytes - ((offset + at) % pieceBytes));
      if (isKept(kept, random)) part.copy(bytes, offset + at, at, at + size);
      at += size;
    }
  }
  return bytes;
}

/** 0: nothing is kept, 1: all, else a part. */
function isKept(mood: number, random: Random): boolean {
  if (mood <= 1) return mood === 1;
  return mood === 2 ? random.below(2) === 0 : random.below(8) > 0;
}

function append(inode: Inode, bytes: Uint8Array): void {
  if (inode.length + bytes.length > inode.bytes.length) {
    const larger = Buffer.alloc(Math.max(1024, (inode.length + bytes.length) * 2));
    inode.bytes.copy(larger, 0, 0, inode.length);
    inode.bytes = larger;
  }
  inode.bytes.set(bytes, inode.length);
  inode.length += bytes.length;
}

function factsOf({ id, length }: Inode): FileFacts {
  return { kind: 'file', size: length, mode: 0o600, uid: 0, inode: id };
}

export function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}
