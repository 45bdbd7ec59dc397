/** Judges what a program wrote by what it would do to a terminal. */
import stringWidth from 'string-width';

export interface Manner {
  /** Whether the few styles of statusd may stand in it. */
  readonly isColoured?: boolean;
  /** No line may be wider. */
  readonly columns?: number | null;
}

/** Bold, dim, their end; red, green, yellow, cyan, the five of 256 that `top` takes, their end; back to plain. */
const styles = /\u001b\[(?:0|1|2|22|31|32|33|36|38;5;(?:71|74|203|220|245)|39)m/g;

/**
 * What does not show as itself: control codes but the line break; the separators that some terminals break
 * lines at; what turns the direction of text; what is invisible by definition (UAX #44), except the variation
 * selectors that ask for an emoji; halves of surrogate pairs.
 */
const unprintable =
  /(?!\n)\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]|\p{Cs}/gu;

/** Emoji that are joined of several, as Unicode lists them; a joiner anywhere else is an offence. */
const joinedEmoji = new RegExp(String.raw`\p{RGI_Emoji_ZWJ_Sequence}`, 'gv');

/** What is wrong with `text`, with its surroundings; empty when a terminal stays as it was. */
export function offencesOf(text: string, { isColoured = false, columns = null }: Manner = {}): string[] {
  const bare = isColoured ? text.replace(styles, '') : text;
  const found = [...bare.replace(joinedEmoji, '👪').matchAll(unprintable)].map(
    ({ 0: character, index }) =>
      `U+${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')} in ${quoted(bare, index)}`,
  );
  if (isColoured) found.push(...stylesLeftOn(text));
  if (columns !== null) {
    const wide = bare.split('\n').filter((line) => widthOf(line) > columns);
    found.push(...wide.map((line) => `${widthOf(line)} cells wide: ${line}`));
  }
  return found;
}

/** Most lines are ASCII, where a character is a cell. */
function widthOf(line: string): number {
  return /^[ -~]*$/.test(line) ? line.length : stringWidth(line);
}

/** A style that is on at the end of the text goes on into the prompt. */
function stylesLeftOn(text: string): string[] {
  const on = new Set<string>();
  for (const [style] of text.matchAll(styles)) {
    const code = style.slice(2, -1);
    if (code === '0') on.clear();
    else if (code === '22') on.delete('weight');
    else if (code === '39') on.delete('colour');
    else on.add(code === '1' || code === '2' ? 'weight' : 'colour');
  }
  return [...on].map((what) => `a ${what} is on at the end`);
}

function quoted(text: string, at: number): string {
  return JSON.stringify(
    text.slice(Math.max(0, at - 30), at + 30).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''),
  );
}
