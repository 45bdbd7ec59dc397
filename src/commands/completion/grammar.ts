/** Which words are valid at each place of a command line, for the scripts of all shells. */
import type { Completion } from '../base.ts';
import { namesOf } from '../help/find.ts';
import {
  type ArgumentDoc,
  argumentHeading,
  type CommandPage,
  type Manual,
  type OptionDoc,
} from '../help/page.ts';

export interface GrammarOption {
  readonly names: readonly string[];
  /** One sentence without markup. */
  readonly text: string;
  /** The values that it takes; null when it takes none, no words when anything goes. */
  readonly values: Completion | null;
}

interface GrammarArgument {
  readonly text: string;
  readonly values: Completion;
  readonly isRepeatable: boolean;
}

/** The words typed so far, and what may follow them. */
export interface GrammarNode {
  /** `''` for `statusd` alone, `silence list` for two words. */
  readonly command: string;
  readonly children: readonly { readonly word: string; readonly text: string }[];
  readonly options: readonly GrammarOption[];
  readonly arguments: readonly GrammarArgument[];
}

/** One node for every command and for every word that begins one; the root is first. */
export function grammarOf({ pages, globalOptions }: Manual): GrammarNode[] {
  const globals = globalOptions.map(grammarOption);
  const commands = new Set(
    pages.flatMap(namesOf).flatMap((name) => name.map((_, n) => name.slice(0, n + 1).join(' '))),
  );
  const nodes = [...commands].map((command): GrammarNode => {
    const page = pages.find((one) => namesOf(one).some((name) => name.join(' ') === command));
    return {
      command,
      children: childrenOf(command, pages),
      options: [...(page?.options ?? []).map(grammarOption), ...globals],
      arguments: (page?.arguments ?? []).map(grammarArgument),
    };
  });
  const help: GrammarNode = {
    command: 'help',
    children: [],
    options: globals,
    arguments: [{ text: 'the command', values: 'command', isRepeatable: false }],
  };
  const version: GrammarOption = { names: ['--version'], text: 'Print the version', values: null };
  const root: GrammarNode = {
    command: '',
    children: [...childrenOf('', pages), { word: 'help', text: 'Show help' }],
    options: [...globals, version],
    arguments: [],
  };
  return [root, ...nodes, help];
}

/** The first words of all commands. */
export function commandNames(nodes: readonly GrammarNode[]): string[] {
  return (nodes[0]?.children ?? []).map(({ word }) => word).filter((word) => word !== 'help');
}

/** The names of all options that take a value. */
export function valuedNames(nodes: readonly GrammarNode[]): string[] {
  const options = nodes.flatMap((node) => node.options).filter(({ values }) => values !== null);
  return [...new Set(options.flatMap(({ names }) => names))].sort();
}

function childrenOf(command: string, pages: readonly CommandPage[]): GrammarNode['children'] {
  const depth = command === '' ? 0 : command.split(' ').length;
  // A first word that is an alias (`acknowledge`) is not offered, so that its shorter form completes at once.
  const below = pages
    .flatMap((page) => (depth === 0 ? [page.words] : namesOf(page)).map((name) => ({ page, name })))
    .filter(({ name }) => name.length > depth && name.slice(0, depth).join(' ') === command);
  return [...new Set(below.map(({ name }) => name[depth] ?? ''))].map((word) => {
    const page = below.find(({ name }) => name.length === depth + 1 && name[depth] === word)?.page;
    return { word, text: page === undefined ? `Commands that begin with ${word}.` : plain(page.summary) };
  });
}

function grammarOption({ names, text, valueName, values }: OptionDoc): GrammarOption {
  return { names, text: plain(text), values: valueName === null ? null : (values ?? []) };
}

function grammarArgument(argument: ArgumentDoc): GrammarArgument {
  const { text, values, isRepeatable } = argument;
  return { text: plain(text) || argumentHeading(argument), values: values ?? [], isRepeatable };
}

/** The first sentence, without markup. */
function plain(text: string): string {
  const line = text.replaceAll('`', '').replace(/\s+/g, ' ').trim();
  return /^(.*?)\.(?: [A-Z].*)?$/.exec(line)?.[1] ?? line;
}

/** `text` as one word of bash or zsh, in single quotes. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `text` as one word of fish, in single quotes: there only `\` and `'` mean something. */
export function quoteFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
