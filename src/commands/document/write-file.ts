/** Writes a new file atomically: whole or not at all. */
import { randomBytes } from 'node:crypto';
import { link, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { maxConfigBytes } from '../../engine/config/read-file.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { readWholeFile } from '../import/read-whole-file.ts';

/** Only the owner: secrets may be written into it later. */
const newFileMode = 0o600;

/**
 * Where the file `typed` is to be made. Throws the usage error for words that can only be a folder, which `resolve` takes
 * for a file of that name; `example` is a name for the file.
 */
export function fileToMake(cwd: string, typed: string, example: string): string {
  if (/(^|\/)\.{0,2}$/.test(typed))
    throw refuse(`${typed} names a folder`, `Name a file, such as ${join(typed, example)}.`);
  return resolve(cwd, typed);
}

/**
 * Throws the usage error for a file that could not be written anyway, before any work is done for it: it is
 * there already (unless `isForced`), it is no regular file, its folder is missing.
 */
export async function refuseUnwritable(file: string, isForced: boolean): Promise<void> {
  const there = await stat(file).catch((error: unknown) => absent(error, file));
  if (there === null) {
    const folder = await stat(dirname(file)).catch((error: unknown) => absent(error, file));
    if (folder?.isDirectory() === true) return;
    throw refuse(
      `the folder ${dirname(file)} does not exist`,
      'Create it first, or name another file with --out.',
    );
  }
  if (there.isDirectory())
    throw refuse(`${file} is a folder`, `Name a file, such as ${join(file, 'statusd.toml')}.`);
  if (!there.isFile()) throw refuse(`${file} is no regular file`, 'To print the configuration use --out -.');
  if (!isForced) throw exists(file);
}

/** The bytes of a configuration that is to be changed. Throws a usage error for what cannot be written back: a pipe. */
export async function contentToChange(file: string): Promise<Buffer> {
  return Buffer.from(await readWholeFile(file, { maxBytes: maxConfigBytes }));
}

/**
 * Writes `text` to a temporary file beside `file`, then moves it there. Without `isForced` a file that came into
 * being meanwhile is left alone (usage error). A file that is replaced keeps its mode and owner, a link stays a link.
 */
export async function writeWhole(file: string, text: string | Uint8Array, isForced: boolean): Promise<void> {
  try {
    const real = isForced ? await realpath(file).catch(() => file) : file;
    const old = isForced ? await stat(real).catch(() => null) : null;
    const mode = old === null ? newFileMode : old.mode & 0o777;
    const temporary = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}`);
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(text);
      const own = await handle.stat();
      // A daemon of another user has to read it as before.
      if (old !== null && (old.uid !== own.uid || old.gid !== own.gid)) await handle.chown(old.uid, old.gid);
      await handle.chmod(mode);
      await handle.sync();
      await handle.close();
      if (isForced) await rename(temporary, real);
      else await place(temporary, real);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists(file);
    throw unwritable(file, error);
  }
}

/** A link is refused when the name is taken, which a rename is not; some file systems know no links. */
async function place(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || (await stat(file).catch(() => null)) !== null) throw error;
    await rename(temporary, file);
    return;
  }
  await unlink(temporary);
}

/** Null when the file is not there. */
function absent(error: unknown, file: string): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw unwritable(file, error);
}

function exists(file: string): StatusdError {
  return refuse(`${file} exists already`, 'Use --force to replace it, or --out to write another file.');
}

function unwritable(file: string, cause: unknown): StatusdError {
  const why = reasons[codeOf(cause)] ?? `cannot be written: ${codeOf(cause)}`;
  return new StatusdError('usage', `${file} ${why}`, { hint: 'Change that, or name another file.', cause });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EBUSY: 'is mounted by itself, so it cannot be replaced',
  EROFS: 'is on a file system that is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the quota is used up',
  ENOTDIR: 'lies under a path that is no folder',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a symbolic link to itself',
};

function refuse(message: string, hint: string): StatusdError {
  return new StatusdError('usage', message, { hint });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
