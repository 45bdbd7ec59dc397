/** The first record of a log: its database, its number, the version that writes it. */
import { aNumber, aText, document, parseJson, readAs } from '../../engine/core/decode.ts';
import { encodeFrame, findFrame, headerSeed } from './frame.ts';

/** The version of the files' format; a log of a later one is not read. */
export const logFormat = 1;

export interface WalHeader {
  readonly format: number;
  /** The schema version of the processes that append to this log. */
  readonly schema: number;
  /** The random id the database got when it was made (a UUID). */
  readonly database: string;
  readonly number: number;
}

const aHeader = document({ format: aNumber, schema: aNumber, database: aText, number: aNumber });

/** Far more than a header takes. */
export const headerSpace = 4096;

export function encodeHeader(header: WalHeader): Buffer {
  return encodeFrame(
    { kind: 'header', writer: '0'.repeat(16), counter: 0, payload: JSON.stringify(header) },
    headerSeed,
  );
}

/** The header at the start of `bytes` with the offset of the first record; null when it is not readable. */
export function decodeHeader(bytes: Buffer): { readonly header: WalHeader; readonly end: number } | null {
  const found = findFrame(bytes, 0, headerSeed);
  if (found.is !== 'frame' || found.frame.kind !== 'header') return null;
  const header = readAs(parseJson(found.frame.payload), aHeader);
  if (header === null) return null;
  const { format, schema, database, number } = header;
  return { header: { format, schema, database, number }, end: found.end };
}
