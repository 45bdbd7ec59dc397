/** A row declares one setting once; types, defaults, schema, example and man page are folds over rows. */
import type { ValueType } from './types/value.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Where a setting's value comes from when the file does not give one. */
export type Fallback<Default> =
  | { readonly kind: 'required' }
  | { readonly kind: 'value'; readonly value: Default }
  /** The value of a key of a section that is read before. */
  | { readonly kind: 'inherited'; readonly section: 'alerts' | 'health'; readonly key: string }
  /** A function of the table's other values. `doc` says in words what it gives. */
  | { readonly kind: 'computed'; readonly doc: string; readonly compute: (own: Values) => Default };

/** One setting: what the file may say (`Given`), and what it is otherwise (`Default`, null for "none"). */
export interface ConfigRow<Given, Default> {
  readonly type: ValueType<Given>;
  readonly fallback: Fallback<Default>;
  /** One or two sentences for the man page and the example. */
  readonly doc: string;
  /** A TOML value. */
  readonly example: string;
}

export type Rows = Readonly<Record<string, ConfigRow<unknown, unknown>>>;

/** The values that rows describe: key to value. */
export type RowValues<R> = {
  readonly [Key in keyof R]: R[Key] extends ConfigRow<infer Given, infer Default> ? Given | Default : never;
};

interface Words {
  readonly doc: string;
  readonly example: string;
}

/** A setting that must be given. */
export function required<T>(type: ValueType<T>, words: Words): ConfigRow<T, never> {
  return { type, fallback: { kind: 'required' }, ...words };
}

/** A setting with a fixed default. */
export function setting<T>(type: ValueType<T>, value: NoInfer<T>, words: Words): ConfigRow<T, T> {
  return { type, fallback: { kind: 'value', value }, ...words };
}

/** A setting that is null when absent. */
export function optional<T>(type: ValueType<T>, words: Words): ConfigRow<T, null> {
  return { type, fallback: { kind: 'value', value: null }, ...words };
}

/** A setting whose default is the value of a key of `[alerts]` or `[health]`. */
export function inherited<T>(
  type: ValueType<T>,
  from: readonly [section: 'alerts' | 'health', key: string],
  words: Words,
): ConfigRow<T, T> {
  return { type, fallback: { kind: 'inherited', section: from[0], key: from[1] }, ...words };
}

/** A setting whose default follows from other settings of its table. */
export function computed<Given, Default>(
  type: ValueType<Given>,
  fallback: { readonly doc: string; readonly compute: (own: Values) => Default },
  words: Words,
): ConfigRow<Given, Default> {
  return { type, fallback: { kind: 'computed', ...fallback }, ...words };
}
