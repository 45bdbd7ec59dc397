/** Draws the help of a word that begins several commands: `import`. */
import type { Paint } from '../terminal/colour.ts';
import type { FoundCommand } from './find.ts';
import { columns, section } from './layout.ts';

/** The commands of the family as text, a line break at its end. */
export function familyHelp(
  { words, pages }: Extract<FoundCommand, { kind: 'family' }>,
  paint: Paint,
): string {
  return [
    `There are ${pages.length} commands that begin with 'statusd ${words.join(' ')}'.`,
    ...section(
      'Commands',
      columns(
        pages.map((page) => [page.words.join(' '), page.summary]),
        paint,
      ),
      paint,
    ),
    '',
  ].join('\n');
}
