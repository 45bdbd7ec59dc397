/** Answers a request for help. */
import type { StatusdCommandClass } from '../base.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { isColourWanted, paintWith } from '../terminal/colour.ts';
import { commandHelp } from './command-help.ts';
import { type HelpStyle, helpWidth } from './layout.ts';
import { describe } from './describe.ts';
import { familyHelp, rootHelp } from './root-help.ts';
import { commandWords, findCommand, unknownCommand } from './find.ts';
import type { Manual } from './page.ts';

/** Prints the help that `args` ask for: `help`, `help check`, `check --help`. */
export function printHelp(
  commands: readonly StatusdCommandClass[],
  args: readonly string[],
  context: Context,
): ExitCode {
  const { isTTY: isTty = false, columns } = context.stdout as { isTTY?: boolean; columns?: number };
  const paint = paintWith(
    isColourWanted({ isRefused: args.includes('--no-color'), isTty, env: context.env }),
  );
  const style = { paint, width: helpWidth(isTty ? (columns ?? null) : null) };
  const manual = describe(commands);
  const words = commandWords(manual, args);
  context.stdout.write(helpFor(words[0] === 'help' ? words.slice(1) : words, manual, style));
  return exitCodes.ok;
}

function helpFor(words: readonly string[], manual: Manual, style: HelpStyle): string {
  if (words.length === 0 || words[0] === 'help') return rootHelp(manual, style);
  const found = findCommand(manual, words);
  switch (found.kind) {
    case 'page':
      return commandHelp(found.page, manual, style);
    case 'family':
      return familyHelp(found, style);
    case 'none':
      throw unknownCommand(manual, words);
  }
}
