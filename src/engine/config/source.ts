/** The text of a file, or the reason why it could not be read. */
import { isUtf8 } from 'node:buffer';
import { StatusdError } from '../core/errors.ts';
import { maxConfigBytes, type ReadFile } from './read-file.ts';
import type { TextPosition } from './problem.ts';

/** A text that cannot be one, and where that shows. */
export interface InvalidText extends TextPosition {
  readonly message: string;
  readonly hint: string;
}

/** Reads the configuration file. Throws StatusdError when there is none, or it cannot be read, or is empty. */
export async function readSource(
  file: string,
  { readFile, mayBeEmpty = false }: { readonly readFile: ReadFile; readonly mayBeEmpty?: boolean },
): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file, maxConfigBytes);
  } catch (cause) {
    throw asStatusdError(file, cause);
  }
  if (bytes.length === 0 && !mayBeEmpty)
    throw new StatusdError('config_unreadable', `the configuration file ${file} is empty`, {
      hint: 'It may be a pipe without a writer, or be written at the moment. `statusd init URL` writes a configuration.',
    });
  if (bytes.length <= maxConfigBytes) return bytes;
  throw new StatusdError('config_invalid', `${file} is larger than 64 MiB`, {
    hint: 'A configuration is TOML of at most 64 MiB; is this the right file?',
  });
}

function asStatusdError(file: string, cause: unknown): StatusdError {
  const code = systemCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new StatusdError('config_missing', `there is no configuration file ${file}`, {
      hint: '`statusd init` writes one; --config PATH names another.',
      cause,
    });
  }
  return new StatusdError('config_unreadable', `the configuration file ${file} ${whyNot(code)}`, {
    hint: cures[code] ?? 'Check its owner and mode.',
    cause,
  });
}

const cures: Readonly<Record<string, string>> = {
  EISDIR: 'Name the file itself.',
  EAGAIN: 'Does the program that writes to it wait for something?',
};

/** Why a file cannot be read, to follow its path. */
export function whyNot(code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user';
    case 'EISDIR':
      return 'is a directory';
    case 'ELOOP':
      return 'is a symbolic link to itself';
    case 'EFTYPE':
    case 'ENXIO':
      return 'is no regular file';
    case 'EFBIG':
      return 'is larger than such a file can be';
    case 'EAGAIN':
      return 'is a pipe that brings nothing';
    default:
      return `cannot be read (${code})`;
  }
}

export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}

/** Decodes UTF-8; a byte order mark is dropped. */
export function decode(bytes: Uint8Array): string | InvalidText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { line: 1, column: 1, message: 'the file is UTF-16', hint: 'save it as UTF-8' };
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    return {
      ...positionOf(bytes, nul),
      message: 'the file contains a NUL byte',
      hint: 'is this a text file?',
    };
  }
  if (isUtf8(bytes)) return new TextDecoder('utf-8').decode(bytes);
  return { ...firstBadLine(bytes), message: 'the line is not UTF-8', hint: 'save the file as UTF-8' };
}

function positionOf(bytes: Uint8Array, offset: number): TextPosition {
  const before = bytes.subarray(0, offset);
  const line = before.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 1);
  return { line, column: offset - before.lastIndexOf(0x0a) };
}

function firstBadLine(bytes: Uint8Array): TextPosition {
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return { line, column: 1 };
    start = end + 1;
  }
}
