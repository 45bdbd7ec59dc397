/** Makes text from outside fit to be shown: no control code, no hidden character, no more than asked for. */

/**
 * Escape sequences of ECMA-48 in their 7-bit and 8-bit forms: CSI, then the strings (OSC, DCS, SOS, PM, APC)
 * that were ended, then every two-character escape. A string that was never ended loses only its start.
 */
const escapeSequences =
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-~]/g;

const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * Characters that show nothing yet change what is read: bidirectional marks, overrides and isolates
 * (UAX #9), zero-width spaces and joiners, fillers, interlinear annotations, language tags.
 */
const hidden =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * The emoji that are made of several characters by joiners or tags: families, flags of countries that are part of one.
 * Exactly those that Unicode lists (UTS #51), so that no joiner is left in a word, and no chain is wider than it counts.
 * Made when there may be one: it takes V8 5 ms to look them all up.
 */
let joinedEmoji: RegExp | undefined;
const mayBeJoined = /[\u200d\u{e007f}]/u;

const controls = /\p{Cc}/gu;
const loneSurrogates = /\p{Cs}/gu;

/** Replaces every character that shows nothing, line and paragraph separators included, but none inside of an emoji. */
export function replaceHidden(text: string, replacement: (character: string) => string): string {
  if (!mayBeJoined.test(text)) return text.replace(hidden, replacement);
  joinedEmoji ??= new RegExp(String.raw`[\p{RGI_Emoji_ZWJ_Sequence}\p{RGI_Emoji_Tag_Sequence}]`, 'gv');
  let whole = '';
  let end = 0;
  for (const { 0: emoji, index } of text.matchAll(joinedEmoji)) {
    whole += text.slice(end, index).replace(hidden, replacement) + emoji;
    end = index + emoji.length;
  }
  return whole + text.slice(end).replace(hidden, replacement);
}

/**
 * `text` as one printable line: escape sequences and hidden characters are gone, a line break is a space,
 * any other control character is spelled out (`\x07`), half a surrogate pair is U+FFFD.
 */
export function cleanLine(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  const line = text
    .replace(escapeSequences, '')
    .split(lineBreaks)
    .join(' ')
    .replaceAll('\t', '  ')
    .replace(controls, (character) => `\\x${hexadecimal(character).padStart(2, '0')}`)
    .replace(loneSurrogates, '\ufffd');
  return replaceHidden(line, () => '');
}

/** `text` as printable lines, each one what `cleanLine` makes of it; spaces at their ends are dropped. */
export function cleanLines(text: string): string[] {
  const lines = text
    .replace(escapeSequences, '')
    .split(lineBreaks)
    .map((line) => cleanLine(line).trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * At most `maxLength` UTF-16 units of `text`, cut between characters as a reader sees them (grapheme
 * clusters); what is cut off leaves `ending` in its place.
 */
export function cutText(text: string, maxLength: number, ending = '…'): string {
  if (text.length <= maxLength) return text;
  const end = new Intl.Segmenter().segment(text).containing(maxLength - ending.length)?.index ?? 0;
  return text.slice(0, end) + ending;
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

/** Text without control characters, of at most `max` characters, cut between two of them. */
export function boundedText(written: string, max: number, lineBreak: ' ' | '\n'): string {
  const bare = written
    .replace(escapeSequences, '')
    .replaceAll('\t', ' ')
    .replace(lineBreaks, '\n')
    .replace(/(?!\n)\p{Cc}/gu, '');
  return cutText(bare.replaceAll('\n', lineBreak).trim(), max, '');
}

/**
 * `text` for comparisons that ignore letter case and compatible spellings: `STRASSE` and `Straße` are equal, `Σ` is `σ` at
 * the end of a word, too.
 */
export function foldCase(text: string): string {
  // The capital ẞ has its lower case alone in common with ß, which is SS in upper case.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return folded.normalize('NFKC');
}
