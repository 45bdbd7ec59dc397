/** The kinds of values an operation can carry, each checked where it is made as well as where it is applied. */
import { type Status, statuses } from '../../engine/core/status.ts';
import type { Json } from '../store/operation.ts';
import { categories } from '../../engine/core/probe.ts';

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** The config id of a monitor or of a watched peer. */
export const monitorId: Field<string> = (value) => {
  if (typeof value === 'string' && idPattern.test(value)) return value;
  throw new FieldError('expected the id of a monitor');
};

/** The permanent name of an incident or a delivery: chosen by its writer, never by the store. */
export const uid: Field<string> = (value) => {
  if (typeof value === 'string' && /^[\w.:-]{1,200}$/.test(value)) return value;
  throw new FieldError('expected 1 to 200 of the characters A-Z a-z 0-9 _ . : -');
};

/** The name of a notification channel. */
export const channelName: Field<string> = text(200);

export const category = orNull(oneOf(categories));

/** Longer than any text that a setting or an answer may have; the writer cuts what is longer. */
export const sentence: Field<string> = text(4000);

/** The JSON of one event or state. */
export const document: Field<Json> = json(100_000);

/** The answer that a failed check got (see Answer in engine/core/probe.ts), already bounded. */
export type Snapshot = {
  readonly statusLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly moreHeaders?: number;
  readonly body: string;
};

const snapshotBody = text(8192);
const headerCount = whole(1, 1_000_000);
const snapshotHeaders = list<readonly [string, string]>((value) => {
  const [name, content] = list(sentence, 2)(value);
  if (name === undefined || content === undefined) throw new FieldError('expected a name and a value');
  return [name, content];
}, 100);

export const snapshot: Field<Snapshot> = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FieldError('expected a snapshot');
  }
  const { statusLine, headers, moreHeaders, body } = value as Readonly<Record<string, Json | undefined>>;
  return {
    statusLine: sentence(statusLine),
    headers: snapshotHeaders(headers),
    ...(moreHeaders !== undefined && { moreHeaders: headerCount(moreHeaders) }),
    body: snapshotBody(body),
  };
};

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
