/** Draws the help of one command. */
import { columns, type HelpStyle, prose, section, wrapProse, wrapWords } from './layout.ts';
import {
  argumentHeading,
  type CommandPage,
  type Manual,
  type OptionDoc,
  optionHeading,
  synopsisOf,
} from './page.ts';

/** The help of a command as text, a line break at its end. */
export function commandHelp(page: CommandPage, { globalOptions }: Manual, style: HelpStyle): string {
  return [
    ...wrapProse(page.summary, { width: style.width, indent: 0 }),
    ...section('Usage', usageLines(page, style), style),
    ...section('Examples', exampleLines(page, style), style),
    ...section('Description', prose(page.details, style), style),
    ...section(
      'Arguments',
      columns(
        page.arguments.map((argument) => [argumentHeading(argument), argument.text]),
        style,
      ),
      style,
    ),
    ...section('Options', columns(page.options.map(optionRow), style), style),
    ...section('Options of every command', columns(globalOptions.map(optionRow), style), style),
    ...section(
      'Exit codes',
      columns(
        page.exits.map(({ code, meaning }) => [String(code), meaning]),
        style,
      ),
      style,
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
function usageLines(page: CommandPage, { width }: HelpStyle): string[] {
  const parts = synopsisOf(page);
  const name = parts.slice(0, 1 + page.words.length).join(' ');
  const indent = 2 + name.length + 1;
  const rest = wrapWords(parts.slice(1 + page.words.length), {
    width,
    indent,
    bullet: `${name} `,
  });
  return rest.length === 0 ? [`  ${name}`] : rest;
}

function exampleLines({ examples }: CommandPage, style: HelpStyle): string[] {
  return examples.flatMap(({ text, line }, index) => [
    ...(index === 0 ? [] : ['']),
    ...prose(text, style),
    `    ${style.paint.cyan(line)}`,
  ]);
}
