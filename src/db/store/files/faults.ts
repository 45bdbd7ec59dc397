/** What a refusal of the operating system means for the user. */
import { StatusdError, type ErrorCode } from '../../../engine/core/errors.ts';

interface Fault {
  readonly code: ErrorCode;
  readonly is: string;
  readonly hint: string;
}

/** EFTYPE is what `Files.open` says of it, ENXIO what Linux says of a socket. */
const notRegular: Fault = {
  code: 'store_failing',
  is: 'it is no regular file',
  hint: 'Move it away, or correct server.database_path.',
};

const faults: Readonly<Record<string, Fault>> = {
  ENOSPC: { code: 'store_full', is: 'the disk is full', hint: 'Free some space on that disk.' },
  EDQUOT: {
    code: 'store_full',
    is: 'the disk quota is used up',
    hint: 'Free some space or raise the quota.',
  },
  EFBIG: { code: 'store_full', is: 'the file may not grow further', hint: 'Raise the file size limit.' },
  EROFS: {
    code: 'store_failing',
    is: 'the file system is read-only',
    hint: 'Mount it for writing, or point server.database_path elsewhere.',
  },
  EIO: {
    code: 'store_failing',
    is: 'the disk reports an error',
    hint: 'Check the kernel log; the disk may be failing.',
  },
  EMFILE: { code: 'store_failing', is: 'too many files are open', hint: 'Raise the limit (`ulimit -n`).' },
  ENFILE: { code: 'store_failing', is: 'too many files are open on this system', hint: 'Raise fs.file-max.' },
  EACCES: {
    code: 'store_failing',
    is: 'permission denied',
    hint: 'Run statusd as the user that owns the database, or change the owner of the file and its folder.',
  },
  EPERM: {
    code: 'store_failing',
    is: 'operation not permitted',
    hint: 'Run statusd as the user that owns the database, or change the owner of the file and its folder.',
  },
  ENOENT: {
    code: 'store_failing',
    is: 'no such file or folder',
    hint: 'Create the folder, or correct server.database_path.',
  },
  ENOTDIR: { code: 'store_failing', is: 'its folder is not a folder', hint: 'Correct server.database_path.' },
  EISDIR: { code: 'store_failing', is: 'it is a folder', hint: 'Correct server.database_path.' },
  EFTYPE: notRegular,
  ENXIO: notRegular,
};

/** The system's code of an error (`ENOSPC`), or null when it has none. */
export function systemCode(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** A refusal while writing `path`, as `store_full` or `store_failing`. */
export function writeFault(error: unknown, path: string): StatusdError {
  if (error instanceof StatusdError) return error;
  const { code, is, hint } = faultOf(error);
  return new StatusdError(code, `cannot write ${path}: ${is}`, { hint, cause: error });
}

/** A refusal while opening `path`, as `store_unusable`. */
export function openFault(error: unknown, path: string): StatusdError {
  if (error instanceof StatusdError) return error;
  const { is, hint } = faultOf(error);
  const place = (error as { path?: unknown } | null)?.path;
  // Nobody knows a file in the making by its name.
  const isKnown = typeof place === 'string' && place !== '' && !place.startsWith(`${path}-tmp.`);
  const file = isKnown ? place : path;
  return new StatusdError('store_unusable', `cannot use the database ${file}: ${is}`, { hint, cause: error });
}

/** What was thrown, in words. SQLite's file system in memory throws objects that are no errors and have no text. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const number = Object.values(thrown).find((value) => typeof value === 'number');
  return `SQLite cannot use its memory${number === undefined ? '' : ` (errno ${number})`}`;
}

function faultOf(error: unknown): Fault {
  const known = faults[systemCode(error) ?? ''];
  if (known !== undefined) return known;
  return {
    code: 'store_failing',
    is: reasonOf(error),
    hint: 'Run it again with --debug to see where it failed.',
  };
}
