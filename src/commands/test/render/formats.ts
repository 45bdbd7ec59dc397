/** The output formats of a test report. */
import { StatusdError } from '../../../engine/core/errors.ts';
import { nearest } from '../../../engine/core/nearest.ts';
import { cleanLine, cutText } from '../../../engine/core/text.ts';

const formats = ['human', 'json', 'junit', 'tap'] as const;
export type TestFormat = (typeof formats)[number];

/** Throws StatusdError `usage` for a word that is none of them. */
export function readFormat(word: string | undefined, { isJson }: { readonly isJson: boolean }): TestFormat {
  if (word === undefined) return isJson ? 'json' : 'human';
  const format = formats.find((known) => known === word);
  if (format === undefined) {
    const guess = nearest(word, formats);
    const shown = cutText(cleanLine(word), 80);
    throw new StatusdError('usage', `--format must be one of ${formats.join(', ')}, not '${shown}'`, {
      ...(guess === null ? {} : { hint: `Did you mean ${guess}?` }),
    });
  }
  if (isJson && format !== 'json')
    throw new StatusdError('usage', `--json and --format ${format} do not go together`);
  return format;
}
