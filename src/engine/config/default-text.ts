/** The default of a setting as text or TOML. */
import type { Fallback } from './row.ts';

/** `90`, `"GET"`, `none`, `required`, `from [alerts].fail_threshold`. */
export function defaultText(fallback: Fallback<unknown>): string {
  switch (fallback.kind) {
    case 'required':
      return 'required';
    case 'inherited':
      return `from [${fallback.section}].${fallback.key}`;
    case 'computed':
      return fallback.doc;
    case 'value':
      return fallback.value === null ? 'none' : tomlText(fallback.value);
  }
}

/** A default as a TOML value. JSON's strings, numbers, booleans and arrays are TOML's, too. */
export function tomlText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(tomlText).join(', ')}]` : JSON.stringify(value);
}
