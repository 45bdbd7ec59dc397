/** Computes a value when it is first asked for. */

/** Answers what `make` makes, the same each time. Formatters of Intl bring megabytes of tables in, a few ms each. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
