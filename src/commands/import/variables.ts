/** Replaces secrets by environment variables, unless they are to be in the file. */
import { createHash } from 'node:crypto';
import { slug } from './names.ts';
import type { ComposedText } from './toml-value.ts';

export type SecretsMode = 'env' | 'inline';

/** An environment variable that the written configuration uses. */
export interface WantedVariable {
  readonly name: string;
  /** Where its value is found: `telegramBotToken of the notification "Ops"`. */
  readonly origin: string;
  /** Null: it was a variable in the other program too, which did not say its value. */
  readonly value: string | null;
  /** What it may be like, to try the configuration where nobody knows its value. */
  readonly standIn: string;
}

export interface Secrets {
  /** The value to write for a secret. `label` names the variable: `ops telegram token`. */
  readonly keep: (
    value: string,
    about: { readonly label: string; readonly origin: string },
  ) => string | ComposedText;
  /** Notes a variable that the other program used already. */
  readonly note: (name: string, standIn: string) => void;
  readonly wanted: () => readonly WantedVariable[];
}

const prefix = 'STATUSD';
const maxLength = 64;

export function createSecrets(wish: SecretsMode): Secrets {
  const byName = new Map<string, WantedVariable>();
  const names = new Map<string, string>();
  const nameFor = (label: string, value: string): string => {
    const words = slug(label)
      .toUpperCase()
      .replaceAll('-', '_')
      .slice(0, maxLength - prefix.length - 8);
    const plain = `${prefix}_${words === '' ? 'SECRET' : words}`;
    if (!byName.has(plain)) return plain;
    for (let number = 2; ; number++) {
      const numbered = `${plain}_${number}`;
      if (!byName.has(numbered) || byName.get(numbered)?.value === value) return numbered;
    }
  };
  return {
    keep: (value, { label, origin }) => {
      if (wish === 'inline') return value;
      const digest = createHash('sha256').update(value).digest('hex');
      const name = names.get(digest) ?? nameFor(label, value);
      names.set(digest, name);
      if (!byName.has(name)) byName.set(name, { name, origin, value, standIn: value });
      return { parts: [{ variable: name }] };
    },
    note: (name, standIn) => {
      const origin = 'a variable of the imported file too';
      if (!byName.has(name)) byName.set(name, { name, origin, value: null, standIn });
    },
    wanted: () => [...byName.values()],
  };
}
