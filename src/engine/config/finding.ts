/** What the loader has to say about a place of the file, before it is looked up in the text. */
import { cleanLine, cutText } from '../core/text.ts';
import type { ValueFault, Path } from './types/value.ts';

export interface ConfigFinding {
  readonly severity: 'error' | 'warning';
  readonly path: Path;
  /** Whether the key itself is meant, or what is written after it. */
  readonly spot: 'key' | 'value';
  readonly message: string;
  readonly hint: string | null;
}

export function failure(path: Path, message: string, hint: string | null = null): ConfigFinding {
  return { severity: 'error', path, spot: 'value', message, hint };
}

export function warning(path: Path, message: string, hint: string | null = null): ConfigFinding {
  return { severity: 'warning', path, spot: 'value', message, hint };
}

/** The fault of a value, as a finding about the place where the value stands. */
export function faulty(path: Path, { at, ...fault }: ValueFault): ConfigFinding {
  return { severity: 'error', path: [...path, ...at], ...fault };
}

/** A path in the notation of the file: `monitors[2].headers."X Y"`; indexes count from 0. */
export function pathText(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : dotted(step, index))).join('');
}

function dotted(key: string, index: number): string {
  const shown = /^[A-Za-z0-9_-]+$/.test(key) ? cutText(key, 60) : quote(key);
  return index === 0 ? shown : `.${shown}`;
}

/** A word of the file in quotation marks, short and printable. Never hand it a secret. */
export function quote(word: string): string {
  return `"${cutText(cleanLine(word), 60)}"`;
}
