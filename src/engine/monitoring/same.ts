/** Compares settings, also those that hold secrets. */
import { Secret } from '../config/secret.ts';

/** Whether two values of a configuration are the same, however deep. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Secret || b instanceof Secret) {
    return a instanceof Secret && b instanceof Secret && a.equals(b);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]));
}
