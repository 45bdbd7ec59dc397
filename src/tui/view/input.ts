/** What was typed or pasted, key after key. */
import type { Key as InkKey } from 'ink';
import type { Key } from '../keys.ts';

/** Each key with what it writes, which is empty for a key that writes nothing. */
export function keysOf(input: string, key: InkKey): (readonly [Key, string])[] {
  const named = nameOf(key);
  if (named !== null) return [[named, '']];
  if (key.ctrl) return [[`ctrl-${input}`, '']];
  if (key.meta) return [];
  // Fast typing and pasting come in one piece.
  return [...new Intl.Segmenter().segment(input)].map(({ segment }) =>
    segment === '\r' || segment === '\n' ? ['enter', ''] : [segment, segment],
  );
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
