/** Reads values of a record that nobody has checked. Columns come and go between versions, and exports spell them in camel case. */

export type Loose = Readonly<Record<string, unknown>>;

/** The value under a column's name, or under its name in an export; undefined when it is neither. */
export function valueIn(record: Loose, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  const camel = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(record, camel) ? record[camel] : undefined;
}

/** Numbers as they are written; empty for anything else. Half a surrogate pair, which JSON can say, is U+FFFD. */
export function textIn(record: Loose, column: string): string {
  const value = valueIn(record, column);
  if (typeof value === 'string') return value.replace(/\p{Cs}/gu, '\ufffd');
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

export function numberIn(record: Loose, column: string, fallback: number): number {
  return numberOrNullIn(record, column) ?? fallback;
}

export function numberOrNullIn(record: Loose, column: string): number | null {
  const value = valueIn(record, column);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** SQLite keeps 0 and 1, exports have booleans. */
export function flagIn(record: Loose, column: string, fallback: boolean): boolean {
  const value = valueIn(record, column);
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return fallback;
  return value === 1 || value === '1' || value === 'true';
}

export function isRecord(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a list, or of an object whose values they are. */
export function recordsIn(value: unknown): Loose[] {
  const list: unknown[] = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return list.filter(isRecord);
}

/** What a JSON text says; undefined when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Nothing for a key that every object has, such as `constructor`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
