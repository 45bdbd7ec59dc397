/** Writes the values of settings, before and after. */
import type { Json } from '../../db/store/operation.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { SettingChange } from './difference.ts';
import { isHidden } from './fingerprint.ts';

/** `"a" -> "b"`, `none -> 3`, `changed` for a secret. The arrow is that of the terminal. */
export function changeText({ before, after }: SettingChange, arrow: string): string {
  const [old, next] = [valueText(before), valueText(after)];
  // What both show is the same: the difference is in the secret part.
  if (old === next)
    return isHidden(after) && after.shown !== null ? `${next}, the secret in it changed` : 'changed';
  return `${old} ${arrow} ${next}`;
}

function valueText(value: Json): string {
  if (value === null) return 'none';
  if (isHidden(value)) return value.shown === null ? 'a secret' : cleanLine(JSON.stringify(value.shown));
  return cleanLine(JSON.stringify(plain(value)));
}

/** The same value for a program: a secret is `[secret]`. */
export function plain(value: Json): Json {
  if (isHidden(value)) return value.shown ?? '[secret]';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { from, to, ...rest } = value as Readonly<Record<string, Json>>;
  if (typeof from === 'number' && typeof to === 'number' && Object.keys(rest).length === 0) {
    return from === to ? from : `${from}-${to}`;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
