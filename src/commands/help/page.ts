/** The documentation of a command as values, and its synopsis: the source of help, man pages and completion. */
import type { Completion } from '../base.ts';
import type { ExitCode } from '../exit.ts';

export interface OptionDoc {
  /** The names in the order of their declaration: `-c`, `--config`. */
  readonly names: readonly string[];
  /** The word that stands for the option's value; null when it takes none. */
  readonly valueName: string | null;
  /** A sentence about its effect, in the markup of markup.ts. */
  readonly text: string;
  readonly isRequired: boolean;
  readonly values: Completion | null;
}

export interface ArgumentDoc {
  readonly name: string;
  readonly text: string;
  readonly isRequired: boolean;
  readonly isRepeatable: boolean;
  readonly values: Completion | null;
}

interface ExampleDoc {
  readonly text: string;
  /** The whole line to type, `statusd` included. */
  readonly line: string;
}

export interface ExitDoc {
  readonly code: ExitCode;
  readonly meaning: string;
}

export interface CommandPage {
  /** The words that name the command, without `statusd`. */
  readonly words: readonly string[];
  /** Other words that name the command. The beginning of `words` is none: it names the family. */
  readonly aliases: readonly (readonly string[])[];
  readonly category: string;
  /** One sentence. */
  readonly summary: string;
  /** Paragraphs, lists and literal blocks in the markup of markup.ts. */
  readonly details: string;
  readonly arguments: readonly ArgumentDoc[];
  /** The options of this command alone; those of every command are in the manual. */
  readonly options: readonly OptionDoc[];
  readonly examples: readonly ExampleDoc[];
  readonly exits: readonly ExitDoc[];
}

/** Everything the command line understands. */
export interface Manual {
  readonly pages: readonly CommandPage[];
  /** The options that every command takes. */
  readonly globalOptions: readonly OptionDoc[];
}

/** `-c, --config PATH`: the names of an option as a reader looks them up. */
export function optionHeading({ names, valueName }: OptionDoc): string {
  return valueName === null ? names.join(', ') : `${names.join(', ')} ${valueName}`;
}

/** `<shell>`, `[ids...]`: an argument as a synopsis shows it. */
export function argumentHeading({ name, isRequired, isRepeatable }: ArgumentDoc): string {
  const text = isRepeatable ? `${name}...` : name;
  return isRequired ? `<${text}>` : `[${text}]`;
}

/** The parts of a synopsis that should not be broken over two lines, `statusd` first. */
export function synopsisOf(page: CommandPage): string[] {
  const options = page.options.map((option) => {
    const text = [longestName(option), option.valueName].filter((part) => part !== null).join(' ');
    return option.isRequired ? text : `[${text}]`;
  });
  return ['statusd', ...page.words, ...options, ...page.arguments.map(argumentHeading)];
}

export function longestName({ names }: OptionDoc): string {
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest), '');
}
