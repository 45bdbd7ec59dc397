/** Copies a database, as it is at one moment, into one new file. */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { openFault, systemCode, writeFault } from './files/faults.ts';
import type { Files } from './files/files.ts';
import { namesOf } from './files/names.ts';
import { openFiles } from './open.ts';
import type { StoreSchema } from './operation.ts';
import type { Replica } from './replica.ts';
import { writeSnapshot } from './snapshot/write.ts';

export interface BackupOptions {
  /** The database, which may be in use. */
  readonly file: string;
  /** The file to make. */
  readonly to: string;
  readonly schema: StoreSchema;
  readonly files: Files;
  readonly clock: Clock;
}

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** What is wrong with the database it was made of. */
  readonly warnings: readonly string[];
}

/**
 * Makes `to`, mode 0600, safe on the disk when it resolves: a database of its own that needs no other file, and
 * that no log of the original is mistaken for. Throws `usage` when the file cannot be made there, `store_unusable`
 * when the database cannot be used, `store_full` or `store_failing` when the disk does not take it.
 */
export async function backup({ file, to, schema, files, clock }: BackupOptions): Promise<Backup> {
  const source = namesOf(await files.resolve(file).catch((error: unknown) => unopened(file, error)));
  const real = await files.resolve(to).catch((error: unknown) => unwritable(to, error));
  if (real !== source.snapshot && real.startsWith(`${source.snapshot}-`)) {
    throw refuse(`${to} is a name that the database keeps for itself`, 'Name another file.');
  }
  await refuseTarget(files, to);
  const { replica, current, findings } = await openFiles({
    files,
    names: source,
    schema,
    clock,
    mode: 'read',
    isOwner: false,
  });
  try {
    const bytes = await copyReplica(replica, to, files);
    return { file: to, bytes, warnings: findings.map(({ message }) => message) };
  } finally {
    await current?.reader.file.close();
    replica.sql.close();
  }
}

/** Makes a database of its own, in the file `to`, of what is in memory; answers its size. Throws as `backup`. */
export async function copyReplica(replica: Replica, to: string, files: Files): Promise<number> {
  await refuseTarget(files, to);
  replica.renew(randomUUID());
  const pages = replica.exportPages(null);
  await place(files, to, { pages, databaseId: replica.databaseId, log: replica.log });
  return (await files.facts(to))?.size ?? 0;
}

async function refuseTarget(files: Files, to: string): Promise<void> {
  const there = await files.facts(to).catch((error: unknown) => unwritable(to, error));
  if (there === null) return;
  if (there.kind !== 'folder') throw exists(to);
  throw refuse(`${to} is a folder`, `Name a file, such as ${join(to, 'statusd-copy.db')}.`);
}

async function place(files: Files, to: string, contents: Parameters<typeof writeSnapshot>[2]): Promise<void> {
  const temporary = namesOf(to).temporary();
  try {
    await writeSnapshot(files, temporary, contents);
    try {
      await files.link(temporary, to);
    } finally {
      await files.remove(temporary);
    }
    await files.syncDirectory(dirname(to));
  } catch (error) {
    unwritable(to, error);
  }
}

function unopened(file: string, error: unknown): never {
  throw openFault(error, file);
}

function unwritable(to: string, error: unknown): never {
  const code = systemCode(error);
  if (code === 'EEXIST') throw exists(to);
  if (code === 'ENOENT')
    throw refuse(`the folder ${dirname(to)} does not exist`, 'Create it first, or name another file.');
  if (code === 'ENOTDIR') throw refuse(`${to} lies under a path that is no folder`, 'Name another file.');
  if (code === 'EACCES' || code === 'EPERM') {
    throw refuse(`${to} may not be written by this user`, 'Name another file, or run it as another user.');
  }
  if (code === 'EROFS') {
    const hint = 'Name a file elsewhere, or mount that file system for writing.';
    throw new StatusdError('store_failing', `cannot write ${to}: the file system is read-only`, { hint });
  }
  throw writeFault(error, to);
}

function exists(to: string): StatusdError {
  return refuse(
    `${to} exists already`,
    'A backup never replaces a file: name another one, or move that one away.',
  );
}

function refuse(message: string, hint: string): StatusdError {
  return new StatusdError('usage', message, { hint });
}
