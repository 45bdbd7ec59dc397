/** Spells the values of an imported setting in TOML. */
import { tomlString } from '../document/toml.ts';

/** An environment variable in a text. */
export interface Variable {
  readonly variable: string;
}

/** Text with environment variables in it. */
export interface ComposedText {
  readonly parts: readonly (string | Variable)[];
}

/** Text, numbers and arrays are themselves; a map is an inline table. Plain text holds no variables. */
export type TomlValue =
  | string
  | number
  | boolean
  | ComposedText
  | readonly TomlValue[]
  | ReadonlyMap<string, TomlValue>;

export function tomlValue(value: TomlValue): string {
  if (typeof value === 'string') return tomlString(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Map) {
    const pairs = [...(value as ReadonlyMap<string, TomlValue>)];
    return `{ ${pairs.map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`).join(', ')} }`;
  }
  if (isComposed(value)) {
    const spelled = value.parts.map((part) =>
      typeof part === 'string' ? tomlString(part).slice(1, -1) : `\${${part.variable}}`,
    );
    return `"${spelled.join('')}"`;
  }
  return `[${[...(value as readonly TomlValue[])].map(tomlValue).join(', ')}]`;
}

/** The text as one value: plain where no variable is in it. */
export function composed(...parts: readonly (string | Variable | ComposedText)[]): string | ComposedText {
  const flat = parts.flatMap((part) => (typeof part === 'object' && 'parts' in part ? part.parts : [part]));
  return flat.some((part) => typeof part === 'object')
    ? { parts: flat }
    : flat.filter((part) => typeof part === 'string').join('');
}

export function isComposed(value: TomlValue): value is ComposedText {
  return typeof value === 'object' && 'parts' in value;
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key).replaceAll('$$', '$');
}
