/** Draws the help of one command. */
import type { Paint } from '../terminal/colour.ts';
import { columns, helpWidth, prose, section, wrapProse, wrapWords } from './layout.ts';
import {
  argumentHeading,
  type CommandPage,
  type Manual,
  type OptionDoc,
  optionHeading,
  synopsisOf,
} from './page.ts';

/** The help of a command as text, a line break at its end. */
export function commandHelp(page: CommandPage, { globalOptions }: Manual, paint: Paint): string {
  return [
    ...wrapProse(page.summary, { width: helpWidth, indent: 0 }),
    ...section('Usage', usageLines(page), paint),
    ...section('Description', prose(page.details, paint), paint),
    ...section(
      'Arguments',
      columns(
        page.arguments.map((argument) => [argumentHeading(argument), argument.text]),
        paint,
      ),
      paint,
    ),
    ...section('Options', columns(page.options.map(optionRow), paint), paint),
    ...section('Options of every command', columns(globalOptions.map(optionRow), paint), paint),
    ...section('Examples', exampleLines(page, paint), paint),
    ...section(
      'Exit codes',
      columns(
        page.exits.map(({ code, meaning }) => [String(code), meaning]),
        paint,
      ),
      paint,
    ),
    '',
  ].join('\n');
}

/** What commands have in common is shown once, so a row says no more than the option itself. */
export function optionRow(option: OptionDoc): [string, string] {
  const { valueName, text } = option;
  const plain = valueName === null ? text : text.replace(`\`${valueName}\``, valueName);
  return [optionHeading(option), option.isRequired ? `${plain} Required.` : plain];
}

/** Continued lines stand under the first part after the command's name. */
function usageLines(page: CommandPage): string[] {
  const parts = synopsisOf(page);
  const name = parts.slice(0, 1 + page.words.length).join(' ');
  const indent = 2 + name.length + 1;
  const rest = wrapWords(parts.slice(1 + page.words.length), {
    width: helpWidth,
    indent,
    bullet: `${name} `,
  });
  return rest.length === 0 ? [`  ${name}`] : rest;
}

function exampleLines({ examples }: CommandPage, paint: Paint): string[] {
  return examples.flatMap(({ text, line }, index) => [
    ...(index === 0 ? [] : ['']),
    ...prose(text, paint),
    `    ${paint.cyan(line)}`,
  ]);
}
