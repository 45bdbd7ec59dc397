/** Writes values as TOML. */
import { cleanLine, cutText } from '../../engine/core/text.ts';

/**
 * A basic string. Control and hidden characters are spelled out. A `$` is doubled where it could be taken for the
 * start of an environment variable, so also at the end, where one may follow.
 */
export function tomlString(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\$(?=[${]|$)/g, '$$$$')
    .replace(/[\n\r\t]/g, (character) => blanks[character] ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code >= 0xd800 && code <= 0xdfff) return '\\uFFFD';
      return `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`;
    });
  return `"${escaped}"`;
}

const blanks: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text as the words of a comment: one printable line of bounded length. */
export function commentText(text: string): string {
  return cutText(cleanLine(text).replace(/\s+/g, ' ').trim(), 200, '...');
}

/** Comment lines of at most `width` characters; words are not broken. */
export function commentLines(text: string, width = 78): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
