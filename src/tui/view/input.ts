/** Splits typed or pasted input into keys. */
import type { Key as InkKey } from 'ink';
import type { Key } from '../keys.ts';

/** A key with what it writes, which is empty for a key that writes nothing. */
export type Stroke = readonly [key: Key, text: string];

/** What terminals send around what is pasted (mode 2004), without its escape character. */
const pasteBegins = '[200~';
const pasteEnds = '[201~';

/** Reads what comes from a keyboard. What is pasted is text, whatever its characters do as keys. */
export function createStrokeReader(): (input: string, key: InkKey) => readonly Stroke[] {
  let isPasting = false;
  return (input, key) => {
    if (input === pasteBegins || input === pasteEnds) {
      isPasting = input === pasteBegins;
      return [];
    }
    // Nobody is locked in by a paste that never ends.
    if (key.ctrl && input === 'c') isPasting = false;
    return isPasting ? pastedText(input, key) : keysOf(input, key);
  };
}

/** One line of it: there is one line to type into. */
function pastedText(input: string, key: InkKey): readonly Stroke[] {
  if (key.return || key.tab) return [['paste', ' ']];
  return key.ctrl || key.escape || nameOf(key) !== null ? [] : [['paste', input.replace(/\p{Cc}+/gu, ' ')]];
}

function keysOf(input: string, key: InkKey): readonly Stroke[] {
  const named = nameOf(key);
  if (named !== null) return [[named, '']];
  if (key.ctrl) return [[`ctrl-${input}`, '']];
  if (key.meta) return [];
  // Fast typing comes in one piece, and so does what is pasted into a terminal that does not say so.
  return [...new Intl.Segmenter().segment(input)].map(({ segment }) => strokeOf(segment));
}

/** Behind other characters a control code is the key that it is alone: over a slow line Backspace comes late. */
function strokeOf(segment: string): Stroke {
  const code = segment.charCodeAt(0);
  if (/^[\r\n]/.test(segment)) return ['enter', ''];
  if (segment === '\t') return ['tab', ''];
  if (segment === '\b' || segment === '\u007f') return ['backspace', ''];
  if (code > 0 && code <= 26) return [`ctrl-${String.fromCharCode(code + 96)}`, ''];
  return [segment, segment];
}

const names = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const;

/** Most terminals send for Backspace what Ink takes for Delete. */
function nameOf(key: InkKey): Key | null {
  return names.find(([flag]) => key[flag])?.[1] ?? null;
}
