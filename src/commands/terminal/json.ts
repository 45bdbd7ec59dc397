/** Writes a value as JSON that is safe to print on a terminal. */
import { replaceHidden } from '../../engine/core/text.ts';

/**
 * JSON text of `value` without a final line break. JSON.stringify escapes U+0000 to U+001F; this also
 * escapes DEL, C1, line separators, bidirectional controls and zero-width characters as `\uXXXX`, so that
 * the value stays what it was while no byte of the text can act on the terminal that shows it.
 */
export function toJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return replaceHidden(text.replace(/[\u007f-\u009f]/g, escapeUnits), escapeUnits);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
