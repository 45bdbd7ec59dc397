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
export function transliterate(text: string): string {
  const lower = text.toLowerCase().normalize('NFC');
  return lower.replace(/[^\0-\x7f]/gu, (letter) => {
    const bare = letter.normalize('NFKD').replace(/\p{M}/gu, '');
    return spellings.get(letter) ?? spellings.get(bare) ?? bare;
  });
}
