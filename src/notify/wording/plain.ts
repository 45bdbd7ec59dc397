/** Makes text from outside printable: one line, bounded, without combining characters piled up. */
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import { charactersOf, fit, hasCharacterOver, isSimple, unitsOf } from './fit.ts';

/** Emoji and letters with marks need a few units; a pile of marks on one letter can be as long as it likes. */
const longestCharacter = 32;

/** `text` as one printable line of at most `maxLength` UTF-16 units. */
export function plainLine(text: string, maxLength = 200): string {
  // The first cut keeps a hostile megabyte cheap.
  return cut(cleanLine(text.slice(0, 8 * maxLength)).trim(), maxLength);
}

/** `text` as printable lines that are not empty, at most `most` of them, each of at most `maxLength` units. */
export function plainLines(
  text: string,
  { most, maxLength }: { readonly most: number; readonly maxLength: number },
): string[] {
  return cleanLines(text.slice(0, 8 * most * maxLength))
    .filter((line) => line.trim() !== '')
    .slice(0, most)
    .map((line) => cut(line, maxLength));
}

const cut = (text: string, limit: number) =>
  fit(shorten(wholeCodePoints(text, 2 * limit)), { limit, lengthOf: unitsOf });

/** Where two units meet, no character ends: only a cut between code points is left for one that is too long. */
function shorten(text: string): string {
  if (text.length <= longestCharacter || isSimple(text)) return text;
  if (!hasCharacterOver(text, longestCharacter)) return text;
  let short = '';
  for (const character of charactersOf(text)) {
    short += wholeCodePoints(character, longestCharacter);
  }
  return short;
}

function wholeCodePoints(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}
