/** Writes the completion script for fish 3. */
import type { Completion } from '../base.ts';
import { commandNames, type GrammarNode, type GrammarOption, quoteFish, valuedNames } from './grammar.ts';

export function fishScript(nodes: readonly GrammarNode[]): string {
  const commands = commandNames(nodes);
  return `${[
    '# fish completion for statusd. Load it with: statusd completion fish | source',
    '',
    ...placeFunction(nodes),
    '',
    ...wordsFunction,
    '',
    'complete -c statusd -f',
    ...nodes.flatMap((node) => [
      ...node.children.map(({ word, text }) => {
        return `complete -c statusd -n ${at(node.command, '0')} -a ${quoteFish(word)} -d ${quoteFish(text)}`;
      }),
      ...node.arguments.flatMap(({ values, text, isRepeatable }, index) => {
        const offers = offer(values, commands);
        if (offers === null) return [];
        const place = at(node.command, isRepeatable ? '*' : String(index));
        return [`complete -c statusd -n ${place} ${offers} -d ${quoteFish(text)}`];
      }),
      ...node.options.map((option) => optionLine(node.command, option, commands)),
    ]),
  ].join('\n')}\n`;
}

/** Prints the command typed so far and, after a tab, the number of its arguments. */
function placeFunction(nodes: readonly GrammarNode[]): string[] {
  return [
    'function __statusd_place',
    '    set -l command ""',
    '    set -l position 0',
    '    set -l is_value 0',
    '    for word in (commandline -opc)[2..-1]',
    '        if test $is_value = 1',
    '            set is_value 0',
    '            continue',
    '        end',
    '        switch $word',
    `            case ${valuedNames(nodes).join(' ')}`,
    '                set is_value 1',
    "            case '-*'",
    "            case '*'",
    '                switch "$position:$command:$word"',
    ...nodes.flatMap(({ command, children }) =>
      children.flatMap(({ word }) => [
        `                    case ${quoteFish(`0:${command}:${word}`)}`,
        `                        set command ${quoteFish(command === '' ? word : `${command} ${word}`)}`,
      ]),
    ),
    "                    case '*'",
    '                        set position (math $position + 1)',
    '                end',
    '        end',
    '    end',
    '    printf "%s\\t%s\\n" "$command" $position',
    'end',
    '',
    '# Whether the command is $argv[1] and, unless $argv[2] is a star, it has that many arguments so far.',
    'function __statusd_at',
    '    set -l place (__statusd_place | string split \\t)',
    '    test "$place[1]" = "$argv[1]"; or return 1',
    '    test "$argv[2]" = \'*\'; or test "$place[2]" = "$argv[2]"',
    'end',
  ];
}

const wordsFunction = [
  '# Live words, from the configuration that the line names.',
  'function __statusd_words',
  '    set -l config',
  '    set -l words (commandline -opc)',
  '    for i in (seq (count $words))',
  '        switch $words[$i]',
  '            case -c --config',
  "                set config --config (string replace -r '^~(?=/)' $HOME $words[(math $i + 1)] '')[1]",
  "            case '--config=*'",
  '                set config $words[$i]',
  '        end',
  '    end',
  '    statusd completion words $argv[1] $config 2>/dev/null',
  'end',
];

/** Files are offered although `complete -c statusd -f` says that they are not. */
const files = '-F';

function optionLine(command: string, option: GrammarOption, commands: readonly string[]): string {
  const { names, text, values } = option;
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const offers = values === null ? null : (offer(values, commands) ?? '');
  return [
    'complete -c statusd',
    `-n ${at(command, '*')}`,
    ...flags,
    ...(offers === null ? [] : [offers === files ? `-r ${files}` : `-x ${offers}`.trim()]),
    `-d ${quoteFish(text)}`,
  ].join(' ');
}

function at(command: string, position: string): string {
  return quoteFish(`__statusd_at ${quoteFish(command)} ${quoteFish(position)}`);
}

function offer(values: Completion, commands: readonly string[]): string | null {
  switch (values) {
    case 'monitor':
    case 'subject':
    case 'group':
    case 'rotation':
      return `-a ${quoteFish(`(__statusd_words ${values})`)}`;
    case 'file':
      return files;
    case 'command':
      return `-a ${quoteFish(commands.join(' '))}`;
    default:
      return values.length === 0 ? null : `-a ${quoteFish(values.join(' '))}`;
  }
}
