/** The fields that several topics share: what things are called, and the answer of a target. */
import { categories } from '../../../engine/core/probe.ts';
import type { Json } from '../../store/operation.ts';
import { type Field, FieldError, json, list, oneOf, orNull, text, whole } from './fields.ts';

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** The config id of a monitor or of a watched peer. */
export const monitorId: Field<string> = (value) => {
  if (typeof value === 'string' && idPattern.test(value)) return value;
  throw new FieldError('expected the id of a monitor');
};

/** The permanent name of an incident or a delivery: chosen by whoever writes it, never by the store. */
export const uid: Field<string> = (value) => {
  if (typeof value === 'string' && /^[\w.:-]{1,200}$/.test(value)) return value;
  throw new FieldError('expected 1 to 200 of the characters A-Z a-z 0-9 _ . : -');
};

/** The name of a notification channel. */
export const channelName: Field<string> = text(200);

export const category = orNull(oneOf(categories));

/** Any length that interface.md allows fits; what is longer was not cut by whoever should have. */
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
