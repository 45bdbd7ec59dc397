/** Writes the manual page of a command, with those that begin with the same word. */
import {
  argumentHeading,
  type CommandPage,
  longestName,
  type Manual,
  type OptionDoc,
} from '../src/commands/help/page.ts';
import { head, phraseOf, sectionOf, seeAlso } from './frame.ts';
import { mdocArgument, mdocFlag, mdocLiteral, mdocParagraph, mdocProse } from './mdoc.ts';

/** The page of the commands that begin with `word`, as mdoc text. */
export function commandManual(word: string, manual: Manual): string {
  const pages = manual.pages.filter(({ words }) => words[0] === word);
  const [first] = pages;
  if (first === undefined) throw new Error(`no command begins with ${word}`);
  return `${[
    ...head({
      name: `statusd-${word}`,
      section: 1,
      phrase: pages.map(({ summary }) => phraseOf(summary)).join('; '),
    }),
    ...sectionOf('SYNOPSIS', pages.flatMap(synopsis)),
    ...sectionOf(
      'DESCRIPTION',
      pages.flatMap((page) => description(page, pages.length > 1)),
    ),
    ...sectionOf('EXIT STATUS', pages.length === 1 ? exitList(first) : pages.flatMap(namedExitList)),
    ...sectionOf('EXAMPLES', pages.flatMap(exampleLines)),
    ...seeAlso([
      ['statusd', 1],
      ['statusd.toml', 5],
    ]),
  ].join('\n')}\n`;
}

/** A list of options with what they do. */
export function optionList(options: readonly OptionDoc[]): string[] {
  if (options.length === 0) return [];
  return [
    '.Bl -tag -width Ds',
    ...options.flatMap(({ names, valueName, text, isRequired }) => {
      const value = valueName === null ? '' : ` Ar ${mdocArgument(valueName)}`;
      const tag = names.map((name) => `${mdocFlag(name)}${value}`).join(' , ');
      return [`.It ${tag}`, ...mdocParagraph(isRequired ? `${text} Required.` : text, valueName)];
    }),
    '.El',
  ];
}

function synopsis(page: CommandPage): string[] {
  return [
    '.Nm statusd',
    `.Cm ${page.words.map(mdocArgument).join(' ')}`,
    ...page.options.map((option) => {
      const value = option.valueName === null ? '' : ` Ar ${mdocArgument(option.valueName)}`;
      return `${option.isRequired ? '.' : '.Op '}${mdocFlag(longestName(option))}${value}`;
    }),
    ...page.arguments.map(({ name, isRequired, isRepeatable }) => {
      return `${isRequired ? '.' : '.Op '}Ar ${mdocArgument(name)}${isRepeatable ? ' ...' : ''}`;
    }),
  ];
}

function description(page: CommandPage, isOneOfMany: boolean): string[] {
  const heading = isOneOfMany ? [`.Ss statusd ${page.words.map(mdocArgument).join(' ')}`] : [];
  const details = mdocProse(page.details);
  return [
    ...heading,
    ...mdocParagraph(page.summary),
    ...(details.length > 0 ? ['.Pp', ...details] : []),
    ...argumentList(page),
    ...(page.options.length > 0 ? ['.Pp', 'The options are:', ...optionList(page.options)] : []),
    '.Pp',
    'The options of every command, such as',
    '.Fl \\-config ,',
    'are described in',
    '.Xr statusd 1 .',
  ];
}

function argumentList(page: CommandPage): string[] {
  if (page.arguments.length === 0) return [];
  return [
    '.Pp',
    'The arguments are:',
    '.Bl -tag -width Ds',
    ...page.arguments.flatMap((argument) => {
      const { name, isRepeatable } = argument;
      const text = argument.text === '' ? argumentHeading(argument) : argument.text;
      return [`.It Ar ${mdocArgument(name)}${isRepeatable ? ' ...' : ''}`, ...mdocParagraph(text)];
    }),
    '.El',
  ];
}

/** What each exit code means. */
export function exitList({ exits }: Pick<CommandPage, 'exits'>): string[] {
  return [
    '.Bl -tag -width 4n',
    ...exits.flatMap(({ code, meaning }) => [`.It ${code}`, ...mdocParagraph(meaning)]),
    '.El',
  ];
}

function namedExitList(page: CommandPage): string[] {
  return [`.Ss statusd ${page.words.map(mdocArgument).join(' ')}`, ...exitList(page)];
}

function exampleLines(page: CommandPage, index: number): string[] {
  return page.examples.flatMap(({ text, line }, position) => [
    ...(index + position === 0 ? [] : ['.Pp']),
    ...mdocProse(text),
    ...mdocLiteral([line]),
  ]);
}
