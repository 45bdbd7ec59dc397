/** Reads the documentation of commands from their classes. */
import { type Completion, type Positional, StatusdCommand, type StatusdCommandClass } from '../base.ts';
import { type ExitCode, exitCodes, type ExitName } from '../exit.ts';
import type { ArgumentDoc, CommandPage, ExitDoc, Manual, OptionDoc } from './page.ts';

/** The manual of these commands, in their order. A command without a usage is for machines and left out. */
export function describe(commands: readonly StatusdCommandClass[]): Manual {
  const shared = declarationsOf(CommandWithoutOptions).options;
  return {
    pages: commands.filter(({ usage }) => usage !== undefined).map((command) => pageOf(command, shared)),
    globalOptions: [...shared.map((option) => optionDoc(option, { '--config': 'file' })), helpOption],
  };
}

interface DeclaredOption {
  readonly names: readonly string[];
  readonly description?: string | undefined;
  readonly arity?: number | undefined;
  readonly hidden?: boolean | undefined;
  readonly required?: boolean | undefined;
}

interface Declarations {
  readonly options: readonly DeclaredOption[];
  readonly positionals: readonly Positional[];
}

/** The value that Clipanion's Option functions leave in a command's fields until the command is run. */
interface Declaration {
  readonly definition: (builder: object, key: string) => void;
}

class CommandWithoutOptions extends StatusdCommand {
  run(): Promise<ExitCode> {
    return Promise.resolve(exitCodes.ok);
  }
}

/** Help is asked for before a command is looked for, so no class declares it. */
const helpOption: OptionDoc = {
  names: ['-h', '--help'],
  valueName: null,
  text: 'Show help and do nothing else.',
  isRequired: false,
  values: null,
};

/** Clipanion hands a builder every option and positional of a command; this one writes them down. */
function declarationsOf(command: new () => StatusdCommand): Declarations {
  const options: DeclaredOption[] = [];
  const positionals: Positional[] = [];
  const builder = {
    addOption: (option: DeclaredOption) => {
      options.push(option);
    },
    addPositional: ({ name, required = true }: { name: string; required?: boolean | undefined }) => {
      positionals.push({ name, isRequired: required, isRepeatable: false });
    },
    addRest: ({ name, required = 0 }: { name: string; required?: number | undefined }) => {
      positionals.push({ name, isRequired: required > 0, isRepeatable: true });
    },
  };
  for (const [key, value] of Object.entries(new command())) {
    if (isDeclaration(value)) value.definition(builder, key);
  }
  return { options: options.filter(({ hidden }) => hidden !== true), positionals };
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'definition' in value;
}

function pageOf(command: StatusdCommandClass, shared: readonly DeclaredOption[]): CommandPage {
  const { options, positionals } = declarationsOf(command);
  const { category = 'Other', description = '', details = '', examples = [] } = command.usage ?? {};
  const isShared = (option: DeclaredOption) =>
    shared.some((one) => one.names.join() === option.names.join() && one.description === option.description);
  const [words = [], ...others] = command.paths ?? [];
  return {
    words,
    aliases: others.filter((other) => !isBeginningOf(words, other)),
    category,
    summary: description,
    details: [details, ...others.map((other) => `${indentOf(details)}${alsoTyped(words, other)}`)].join(
      '\n\n',
    ),
    arguments: (command.words ?? positionals).map((positional): ArgumentDoc => {
      const { name } = positional;
      return { ...positional, text: command.positionals[name] ?? '', values: command.complete[name] ?? null };
    }),
    options: options.filter((option) => !isShared(option)).map((one) => optionDoc(one, command.complete)),
    examples: examples.map(([text, line]) => ({ text, line: line.replaceAll('$0', 'statusd') })),
    exits: exitsOf(command),
  };
}

function isBeginningOf(words: readonly string[], other: readonly string[]): boolean {
  return other.every((word, index) => words[index] === word);
}

/** The spaces before the first line: markup is read from its least indented line. */
function indentOf(text: string): string {
  return /^ +/m.exec(text)?.[0] ?? '';
}

/** A paragraph that names other words for the command, for its help and its manual page. */
function alsoTyped(words: readonly string[], other: readonly string[]): string {
  const alone = isBeginningOf(words, other) ? ' without more words' : '';
  return `\`statusd ${other.join(' ')}\`${alone} does the same.`;
}

/** The value's name is the first back-quoted word of the description, as in Go's flag package. */
function optionDoc(option: DeclaredOption, complete: Readonly<Record<string, Completion>>): OptionDoc {
  const text = option.description ?? '';
  const takesValue = (option.arity ?? 0) > 0;
  return {
    names: option.names,
    valueName: takesValue ? (/`([^`]+)`/.exec(text)?.[1] ?? 'VALUE') : null,
    text,
    isRequired: option.required === true,
    values: option.names.map((name) => complete[name]).find((values) => values !== undefined) ?? null,
  };
}

/** A command that names no exit codes of its own may end with any of them. */
function exitsOf(command: StatusdCommandClass): ExitDoc[] {
  const named = Object.keys(command.exits).length > 0;
  const always: readonly ExitName[] = command.isYesOrNo ? ['ok', 'wrong'] : ['ok', 'usage', 'interrupted'];
  return (Object.keys(exitCodes) as ExitName[])
    .filter((name) => !named || name in command.exits || always.includes(name))
    .map((name) => ({ code: exitCodes[name], meaning: command.exits[name] ?? exitMeanings[name] }));
}

/** The meaning of each exit code, where a command does not say it more exactly. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  ok: 'Success.',
  wrong: 'It ran, and something is wrong: a monitor is down, a channel failed.',
  usage: 'The command line is wrong: an unknown command or option, a bad argument.',
  config: 'The configuration is missing or invalid.',
  store: 'The database or the daemon cannot be reached or used.',
  notFound: 'There is no such monitor, incident, silence or channel.',
  refused: 'Refused: the credential is missing or wrong.',
  interrupted: 'Interrupted.',
};
