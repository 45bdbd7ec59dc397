/** The kinds of values an operation can carry, each checked where it is made as well as where it is applied. */
import { type Status, statuses } from '../../../engine/core/status.ts';
import type { Json } from '../../store/operation.ts';

/** A value that does not fit its field. It is thrown before anything is written, or refuses a record whole. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

/**
 * Checks a value and answers it as it is stored. `undefined` stands for an argument that the writer, an earlier
 * version, did not know of.
 */
export type Field<T extends Json> = (value: Json | undefined) => T;

const maxInstant = 8_640_000_000_000_000;
const halfPairs = /\p{Cs}/gu;

/**
 * Text of at most `maxLength` UTF-16 units: longer is cut on a character. NUL (which SQLite takes for the end)
 * and halves of surrogate pairs (which UTF-8 cannot say) become U+FFFD.
 */
export function text(maxLength: number): Field<string> {
  return (value) => {
    if (typeof value !== 'string') throw wrong('a text', value);
    const cut = value.length > maxLength ? value.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : value;
    return cut.replaceAll('\0', '\ufffd').replace(halfPairs, '\ufffd');
  };
}

/** A whole number within bounds, both included. */
export function whole(min: number, max: number): Field<number> {
  return (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw wrong(`a whole number from ${min} to ${max}`, value);
  };
}

/** Epoch milliseconds. */
export const instant: Field<number> = whole(0, maxInstant);

export const flag: Field<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  throw wrong('true or false', value);
};

export const status: Field<Status> = oneOf(statuses);

export function oneOf<const T extends string>(words: readonly T[]): Field<T> {
  return (value) => {
    const word = words.find((each) => each === value);
    if (word === undefined) throw wrong(`one of ${words.join(', ')}`, value);
    return word;
  };
}

export function orNull<T extends Json>(field: Field<T>): Field<T | null> {
  return (value) => (value === null ? null : field(value));
}

/** A field that later versions added: absent in older records, where it is `missing`. */
export function optional<T extends Json>(field: Field<T>, missing: T): Field<T> {
  return (value) => (value === undefined ? missing : field(value));
}

export function list<T extends Json>(field: Field<T>, maxLength: number): Field<readonly T[]> {
  return (value) => {
    if (!isList(value) || value.length > maxLength) throw wrong(`a list of at most ${maxLength}`, value);
    return value.map((each) => field(each));
  };
}

/** Bytes in base64, at most `maxLength` characters of it. */
export function base64(maxLength: number): Field<string> {
  return (value) => {
    if (typeof value === 'string' && value.length <= maxLength) return value;
    throw wrong(`at most ${maxLength} characters of base64`, value);
  };
}

/** Any JSON value of at most `maxLength` characters: what its owner alone understands. */
export function json(maxLength: number): Field<Json> {
  return (value) => {
    if (value === undefined) throw wrong('a JSON value', value);
    if (JSON.stringify(value).length > maxLength) throw new FieldError(`more than ${maxLength} characters`);
    return value;
  };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function wrong(expected: string, value: Json | undefined): FieldError {
  const found = value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : typeof value;
  return new FieldError(`expected ${expected}, found ${value === null ? 'null' : found}`);
}
