/** Looks up what a file names in a table of ours. */

/** Nothing for a key that every object has, such as `constructor`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
