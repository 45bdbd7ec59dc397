/** Answers a request for help. */
import type { StatusdCommandClass } from '../base.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { isColourWanted, paintWith } from '../terminal/colour.ts';
import { commandHelp } from './command-help.ts';
import { type HelpStyle, helpWidth } from './layout.ts';
import { describe } from './describe.ts';
import { familyHelp, rootHelp } from './root-help.ts';
import { commandWords, findCommand, subcommandsOf, unknownCommand } from './find.ts';
import type { Manual } from './page.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import { unknownSubcommand } from '../subcommand-slip.ts';
import { subcommandError } from '../usage-error.ts';

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
  const isAsked = words[0] === 'help';
  const named = isAsked ? words.slice(1) : words;
  const slip = slipIn(named, manual, isAsked);
  if (slip !== null) throw slip;
  context.stdout.write(helpFor(named, manual, style));
  return exitCodes.ok;
}

/**
 * The usage error for a word that was meant for a subcommand; null: there is none. After `help` a word can be nothing else;
 * before `--help` it may be an argument.
 */
function slipIn(words: readonly string[], manual: Manual, isAsked: boolean): StatusdError | null {
  const found = findCommand(manual, words);
  const [command = '', word] = words;
  if (found.kind === 'none' || word === undefined || (found.kind === 'page' && found.name.length > 1))
    return null;
  const known = subcommandsOf(manual, command);
  if (isAsked && known.length > 0 && word !== 'help') return unknownSubcommand(command, word, known);
  return found.kind === 'page' ? subcommandError(manual, found) : null;
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
