/** Gives each imported item a unique name. */
import { cleanLine, cutText } from '../../engine/core/text.ts';

const maxIdLength = 64;
const maxNameLength = 200;

/** Letters and digits of ASCII in lower case, with a hyphen between their groups; empty when there are none. */
export function slug(text: string): string {
  return trimmed(
    transliterate(text)
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '-'),
    maxIdLength,
  );
}

/**
 * Answers a free id for each name: its slug, else with a number. `fallback` is for names without a letter; `others` are
 * taken already.
 */
export function createIds(others: Iterable<string> = []): (name: string, fallback: string) => string {
  const taken = new Set<string>(others);
  return (name, fallback) => {
    const wanted = slug(name) || slug(fallback) || 'monitor';
    const id = firstFree(wanted, (one) => taken.has(one));
    taken.add(id);
    return id;
  };
}

/** Answers a free name of one printable line for each name; those with the same one get a number. */
export function createNames(): (name: string, fallback: string) => string {
  const taken = new Set<string>();
  return (name, fallback) => {
    const wanted = printable(name) || printable(fallback);
    let free = wanted;
    for (let number = 2; taken.has(free); number++) {
      free = `${cutText(wanted, maxNameLength - 8)} (${number})`;
    }
    taken.add(free);
    return free;
  };
}

/** The text as one printable line that fits a name. */
export function printable(text: string): string {
  return cutText(cleanLine(text).replace(/\s+/g, ' ').trim(), maxNameLength);
}

function firstFree(wanted: string, isTaken: (id: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const id = `${trimmed(wanted, maxIdLength - 6)}-${number}`;
    if (!isTaken(id)) return id;
  }
}

function trimmed(text: string, length: number): string {
  return text.replace(/^-+/, '').slice(0, length).replace(/-+$/, '');
}

/** Writes letters of other alphabets as the ASCII letters people write for them. */

/** Letters that Unicode does not decompose, Cyrillic and Greek; the latter two in the order of their alphabets. */
const pairs =
  'ß ss æ ae œ oe ø o ł l đ d ð d þ th ı i ŋ ng ' +
  'а a б b в v г g д d е e ё e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ' +
  'ш sh щ shch ъ - ы y ь - э e ю yu я ya і i ї i є ye ґ g ' +
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o';

const spellings: ReadonlyMap<string, string> = new Map(
  [...pairs.matchAll(/(\S+) (\S+)/g)].map(([, letter = '', spelling = '']) => [
    letter,
    spelling === '-' ? '' : spelling,
  ]),
);

/** Lower case, without marks over or under the letters. What has no spelling stays. */
function transliterate(text: string): string {
  const lower = text.toLowerCase().normalize('NFC');
  return lower.replace(/[^\0-\x7f]/gu, (letter) => {
    const bare = letter.normalize('NFKD').replace(/\p{M}/gu, '');
    return spellings.get(letter) ?? spellings.get(bare) ?? bare;
  });
}
