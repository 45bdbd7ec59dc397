/** Every manual page there is, as file name and text. */
import { allCommands } from '../src/commands/all.ts';
import { describe } from '../src/commands/help/describe.ts';
import { commandManual } from './command-page.ts';
import { configPage } from './config-page.ts';
import { overview } from './overview.ts';

export function manualPages(): Map<string, string> {
  const manual = describe(allCommands);
  const words = new Set(manual.pages.map(({ words: [first = ''] }) => first));
  return new Map([
    ['statusd.1', overview(manual)],
    ...[...words].map((word): [string, string] => [`statusd-${word}.1`, commandManual(word, manual)]),
    ['statusd.toml.5', configPage()],
  ]);
}
