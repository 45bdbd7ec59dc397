/** Keeps the environment variables that a configuration of Gatus uses. */
import { composed, type ComposedText, type Variable } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';

/** What a value is, for a variable nobody knows here to be tried with something alike. */
export type Shape = 'text' | 'address' | 'mailbox';

/** Gatus replaces `$NAME` and `${NAME}`; `$$` is a dollar. A name it cannot have is an empty text. */
const reference = /\$\$|\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

function partsOf(text: string): readonly (string | Variable)[] {
  const parts: (string | Variable)[] = [];
  let end = 0;
  for (const match of text.matchAll(reference)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name === undefined) parts.push('$');
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) parts.push({ variable: name });
  }
  return joined([...parts, text.slice(end)]);
}

/** What the text says with its variables left out. */
export function plainText(text: string): string {
  return partsOf(text)
    .filter((part) => typeof part === 'string')
    .join('');
}

export function hasVariables(text: string): boolean {
  return partsOf(text).some((part) => typeof part === 'object');
}

/** The text with its variables, which are noted as wanted. */
export function withVariables(text: string, secrets: Secrets, shape: Shape = 'text'): string | ComposedText {
  const parts = partsOf(text);
  parts.forEach((part, index) => {
    if (typeof part === 'object') secrets.note(part.variable, standIn(parts, index, shape));
  });
  return composed(...parts);
}

/** A secret of the file itself becomes a variable; one that has variables in it keeps them. */
export function secretValue(
  text: string,
  secrets: Secrets,
  about: { readonly label: string; readonly origin: string; readonly shape?: Shape },
): string | ComposedText {
  if (text === '') return '';
  if (hasVariables(text)) return withVariables(text, secrets, about.shape ?? 'text');
  return secrets.keep(plainText(text), about);
}

const standIns: Readonly<Record<Shape, string>> = {
  text: 'value',
  address: 'https://example.com/value',
  mailbox: 'someone@example.com',
};

function standIn(parts: readonly (string | Variable)[], index: number, shape: Shape): string {
  if (parts.length === 1) return standIns[shape];
  const before = parts[index - 1];
  if (typeof before === 'string' && before.endsWith(':')) return '8080';
  return shape === 'text' ? 'value' : 'example.com';
}

function joined(parts: readonly (string | Variable)[]): (string | Variable)[] {
  const whole: (string | Variable)[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
    else if (part !== '') whole.push(part);
  }
  return whole;
}
