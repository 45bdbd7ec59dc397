/** Draws the help of the whole program, and that of a family of commands. */
import { optionRow } from './command-help.ts';
import { columns, type HelpStyle, prose, section, wrapProse } from './layout.ts';
import type { CommandPage, Manual } from './page.ts';
import type { FoundCommand } from './find.ts';

const tagline = 'A self-hosted uptime monitor and public status page for the terminal.';

/** The help of the program as text, a line break at its end. */
export function rootHelp(manual: Manual, style: HelpStyle): string {
  const isThere = (words: string) => manual.pages.some((page) => page.words.join(' ') === words);
  const steps = firstSteps.filter(({ command }) => isThere(command));
  return [
    ...wrapProse(tagline, { width: style.width, indent: 0 }),
    ...section('Usage', ['  statusd <command> [options]'], style),
    ...section(
      'Begin here',
      columns(
        steps.map(({ line, text }) => [line, text]),
        style,
      ),
      style,
    ),
    ...categoriesOf(manual.pages).flatMap(([category, pages]) =>
      section(
        category,
        columns(
          pages.map((page) => [page.words.join(' '), page.summary]),
          style,
        ),
        style,
      ),
    ),
    ...section(
      'Options of every command',
      columns(
        [
          ...manual.globalOptions.map(optionRow),
          ['--version', 'Print the version; alone, without a command.'],
        ],
        style,
      ),
      style,
    ),
    ...section('More', prose(more, style), style),
    '',
  ].join('\n');
}

/** Commands by category, both in the order in which they were registered. */
export function categoriesOf(pages: readonly CommandPage[]): [category: string, pages: CommandPage[]][] {
  const categories = new Map<string, CommandPage[]>();
  for (const page of pages) categories.set(page.category, [...(categories.get(page.category) ?? []), page]);
  return [...categories];
}

const firstSteps = [
  {
    command: 'init',
    line: 'statusd init https://example.com',
    text: 'Probe a site and write a configuration for it.',
  },
  { command: 'check', line: 'statusd check', text: 'Probe every monitor of the configuration once.' },
];

const more = `
  \`statusd help COMMAND\` shows the options and examples of a command.

  The manual pages are statusd(1), a page for every command such as statusd-check(1), and statusd.toml(5)
  for the configuration.
`;

/** The commands of the family as text, a line break at its end. */
export function familyHelp(
  { words, pages }: Extract<FoundCommand, { kind: 'family' }>,
  style: HelpStyle,
): string {
  return [
    ...wrapProse(`There are ${pages.length} commands that begin with 'statusd ${words.join(' ')}'.`, {
      width: style.width,
      indent: 0,
    }),
    ...section(
      'Commands',
      columns(
        pages.map((page) => [page.words.join(' '), page.summary]),
        style,
      ),
      style,
    ),
    '',
  ].join('\n');
}
