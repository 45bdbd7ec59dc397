/** What a value type is: how one value of a TOML file is read, named and described. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** A place inside the file: table keys and array indexes, outermost first. */
export type Path = readonly (string | number)[];

/** What is wrong with a value. `at` is the place inside the value: `[]` is the value itself. */
export interface ValueFault {
  readonly at: Path;
  /** Whether the key at that place is wrong, or what it was given. */
  readonly spot: 'key' | 'value';
  /** Continues the sentence that begins with the key: `must be an integer, not a string`. Quotes no secret. */
  readonly message: string;
  readonly hint: string | null;
}

export type ValueReading<T> =
  /** `caution`: what is taken for what was written, where that is not what it says. */
  | { readonly isGood: true; readonly value: T; readonly caution?: ValueFault }
  | { readonly isGood: false; readonly faults: readonly ValueFault[] };

export interface ValueType<T> {
  /** The type in words, to follow `must be`: `an integer from 1 to 100`. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isSecret: boolean;
  /** Turns what the TOML parser gave into a value. */
  readonly read: (raw: unknown) => ValueReading<T>;
  /** A check that needs a heavy package, for a text that `read` found good; null when it passes. */
  readonly verify?: (text: string) => Promise<ValueFault | null>;
}

export function good<T>(value: T): ValueReading<T> {
  return { isGood: true, value };
}

/** A value that is taken, with a warning about how. */
export function goodBut<T>(value: T, message: string, hint: string | null = null): ValueReading<T> {
  return { isGood: true, value, caution: fault(message, hint) };
}

export function bad(message: string, hint: string | null = null): ValueReading<never> {
  return { isGood: false, faults: [fault(message, hint)] };
}

export function fault(message: string, hint: string | null = null): ValueFault {
  return { at: [], spot: 'value', message, hint };
}

/** The fault of a value that is of another TOML type. Says what was given by type, never by value. */
export function notA(name: string, raw: unknown): ValueReading<never> {
  return bad(`must be ${name}, not ${kindOf(raw)}`);
}

/** The TOML type of a parsed value in words: `a string`, `an integer`. */
export function kindOf(raw: unknown): string {
  if (raw instanceof Date) return 'a date-time';
  if (Array.isArray(raw)) return 'an array';
  if (typeof raw === 'string') return raw === '' ? 'an empty string' : 'a string';
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'an integer' : 'a float';
  if (typeof raw === 'bigint') return 'an integer too large to hold';
  return typeof raw === 'boolean' ? 'a boolean' : 'a table';
}

/** Whether a parsed value is a table: neither an array nor a date-time. */
export function isTable(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !(raw instanceof Date);
}
