/** Reads values of a record that were not checked. Columns come and go between versions, and exports spell them in camel case. */
import {
  aFlag,
  anObject,
  aNumber,
  aText,
  type UnknownFields,
  fieldsOf,
  readAs,
  readList,
} from '../../engine/core/decode.ts';

export type Loose = UnknownFields;

/** The value under a column's name, or under its name in an export; undefined when it is neither. */
export function valueIn(record: Loose, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  const camel = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(record, camel) ? record[camel] : undefined;
}

/** Numbers as they are written; empty for anything else. Half a surrogate pair, which JSON can say, is U+FFFD. */
export function textIn(record: Loose, column: string): string {
  const value = valueIn(record, column);
  if (aText(value)) return value.replace(/\p{Cs}/gu, '\ufffd');
  return aNumber(value) ? String(value) : '';
}

export function numberIn(record: Loose, column: string, fallback: number): number {
  return numberOrNullIn(record, column) ?? fallback;
}

export function numberOrNullIn(record: Loose, column: string): number | null {
  const value = valueIn(record, column);
  return readAs(aText(value) && value.trim() !== '' ? Number(value) : value, aNumber);
}

/** SQLite keeps 0 and 1, exports have booleans. */
export function flagIn(record: Loose, column: string, fallback: boolean): boolean {
  const value = valueIn(record, column);
  if (aFlag(value)) return value;
  if (value === null || value === undefined) return fallback;
  return value === 1 || value === '1' || value === 'true';
}

/** The records of a list, or of an object whose values they are. */
export function recordsIn(value: unknown): Loose[] {
  return readList(Array.isArray(value) ? value : Object.values(fieldsOf(value)), anObject);
}

/** Nothing for a key that every object has, such as `constructor`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
