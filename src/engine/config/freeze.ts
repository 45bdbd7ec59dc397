/** Makes a value unchangeable, all the way down. */

/** Freezes a tree of tables and arrays in place, and answers it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}
