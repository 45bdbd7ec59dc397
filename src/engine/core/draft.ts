/** A copy that is changed before it is given away. */

/**
 * `{ ...value }` as this, then assignments: V8 of Node 20 takes a slow path for each field that stands behind a spread
 * and is in it already, which matters where it happens at every check.
 */
export type Draft<T> = { -readonly [Part in keyof T]: T[Part] };
