/** The real disk behind `Files`. */
import * as fs from 'node:fs';
import { constants } from 'node:fs';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';
import type { FileFacts, Files, OpenFile, OpenMode } from './files.ts';

/** Opening a pipe without O_NONBLOCK waits for another process, and blocks a thread that every file needs. */
const flagsOf: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
};

const ownerOnly = 0o600;
const othersBits = 0o077;

/** As many symbolic links in a row as Linux follows (MAXSYMLINKS). */
const maxLinks = 40;

/**
 * The types of file systems (statfs(2)) that one kernel alone changes: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs. Linux
 * reports each change of theirs, and knows how large a file is without asking a disk. What is shared with other machines,
 * virtual ones included, also changes unreported.
 */
const localTypes: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994];

export const nodeFiles: Files = {
  open: async (path, mode) => {
    // What is wrong with the name shows when the file is opened.
    const isWriteThrough = mode === 'append' && (await isLocal(path).catch(() => false));
    const flags = flagsOf[mode] | (isWriteThrough ? constants.O_DSYNC : 0);
    const descriptor = await promised<number>((done) => {
      fs.open(path, flags, ownerOnly, done);
    });
    const file = openFile(descriptor);
    if (mode !== 'create' && (await file.facts()).kind !== 'file') {
      await file.close();
      throw notRegular(path);
    }
    return isWriteThrough ? { ...file, isWriteThrough, sizeNow: () => fs.fstatSync(descriptor).size } : file;
  },
  facts: async (path) => {
    try {
      return factsOf(
        await promised<fs.Stats>((done) => {
          fs.stat(path, done);
        }),
      );
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  list: (directory) =>
    promised<string[]>((done) => {
      fs.readdir(directory, done);
    }),
  link: (from, to) => fs.promises.link(from, to),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.rm(path, { force: true }),
  restrict: async (path) => {
    const { mode } = await fs.promises.stat(path);
    if ((mode & othersBits) !== 0) await fs.promises.chmod(path, ownerOnly);
  },
  syncDirectory: async (directory) => {
    const handle = await fs.promises.open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  listen: async (directory, onEvent) => {
    return (await isLocal(directory)) ? listenTo(directory, onEvent) : null;
  },
  resolve: (path) => follow(resolvePath(path), maxLinks),
};

async function isLocal(path: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { type } = await promised<fs.StatsFs>((done) => {
    fs.statfs(path, done);
  });
  return localTypes.includes(type);
}

function openFile(descriptor: number): OpenFile {
  return {
    write: (bytes) =>
      promised((done) => {
        fs.write(descriptor, bytes, done);
      }),
    read: (into, position) =>
      promised((done) => {
        fs.read(descriptor, into, 0, into.length, position, done);
      }),
    facts: async () =>
      factsOf(
        await promised<fs.Stats>((done) => {
          fs.fstat(descriptor, done);
        }),
      ),
    sync: () =>
      promised<undefined>((done) => {
        fs.fdatasync(descriptor, (error) => {
          done(error, undefined);
        });
      }),
    close: () =>
      promised<undefined>((done) => {
        fs.close(descriptor, (error) => {
          done(error ?? null, undefined);
        });
      }),
  };
}

/** Null where the system has no watch to spare. */
function listenTo(directory: string, onEvent: () => void): (() => void) | null {
  try {
    const watcher = fs.watch(directory, { persistent: false }, onEvent).on('error', onEvent);
    return () => {
      watcher.close();
    };
  } catch {
    return null;
  }
}

function promised<T>(call: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error === null) resolve(value);
      else reject(error);
    });
  });
}

function factsOf(stats: fs.Stats): FileFacts {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { kind, size: stats.size, uid: stats.uid, mode: stats.mode & 0o7777, inode: stats.ino };
}

/** A link whose target is missing still says where the database is to be made. */
async function follow(path: string, linksLeft: number): Promise<string> {
  try {
    return await fs.promises.realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const directory = dirname(path);
  if (directory === path) return path;
  const place = join(await follow(directory, linksLeft), basename(path));
  const target = await fs.promises.readlink(place).catch(() => null);
  if (target === null || linksLeft === 0) return place;
  return follow(resolvePath(dirname(place), target), linksLeft - 1);
}

/** A folder, a pipe, a device or a socket has the name of a file of the database. */
function notRegular(path: string): Error {
  return Object.assign(new Error(`${path} is no regular file`), { code: 'EFTYPE', path });
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
