/** Writes the completion script for bash 3.2 and later, which needs nothing but bash. */
import type { Completion } from '../base.ts';
import { commandNames, type GrammarNode, quotePosix, valuedNames } from './grammar.ts';

/** The script as text. It never lets bash expand a word it completes to (`compgen -W` would). */
export function bashScript(nodes: readonly GrammarNode[]): string {
  return `${[
    '# bash completion for statusd. Load it with: source <(statusd completion bash)',
    '',
    ...offerFunction,
    '',
    ...valuesFunction(commandNames(nodes)),
    '',
    ...mainFunction(nodes),
    '',
    'complete -F _statusd statusd',
  ].join('\n')}\n`;
}

/** Reads words from stdin, one a line, and keeps those that begin with what is typed. */
const offerFunction = [
  '_statusd_offer() {',
  '  local word',
  '  while IFS= read -r word; do',
  '    if [[ $word == "$1"* ]]; then',
  '      COMPREPLY+=("$(printf \'%q\' "$word")")',
  '    fi',
  '  done',
  '}',
];

function valuesFunction(commands: readonly string[]): string[] {
  return [
    '# $1: what to complete to; $2: what is typed; $3: the configuration file, if one was named',
    '_statusd_values() {',
    '  local word',
    '  local -a config=()',
    '  if [[ -n $3 ]]; then config=(--config "$3"); fi',
    '  case "$1" in',
    '    monitor | subject | group | rotation)',
    '      _statusd_offer "$2" < <(statusd completion words "$1" "${config[@]+"${config[@]}"}" 2>/dev/null)',
    '      ;;',
    '    file)',
    '      compopt -o filenames 2>/dev/null',
    '      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$2")',
    '      ;;',
    '    command)',
    `      _statusd_offer "$2" < <(printf '%s\\n' ${listed(commands)})`,
    '      ;;',
    '  esac',
    '}',
  ];
}

function mainFunction(nodes: readonly GrammarNode[]): string[] {
  return [
    '_statusd() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" command="" config="" option="" word',
    '  local -i position=0 i',
    '  COMPREPLY=()',
    '  for (( i = 1; i < COMP_CWORD; i++ )); do',
    '    word="${COMP_WORDS[i]}"',
    '    if [[ -n $option ]]; then',
    "      # bash takes '=' for a word of its own",
    "      if [[ $word == '=' ]]; then continue; fi",
    '      case "$option" in -c | --config) config=${word/#\\~\\//$HOME/} ;; esac',
    '      option=""',
    '      continue',
    '    fi',
    '    case "$word" in',
    `      ${valuedNames(nodes).join(' | ')}) option=$word ;;`,
    '      -*) ;;',
    '      *)',
    '        case "$position:$command:$word" in',
    ...nodes.flatMap(({ command, children }) =>
      children.map(({ word }) => {
        const longer = command === '' ? word : `${command} ${word}`;
        return `          '0:${command}:${word}') command='${longer}' ;;`;
      }),
    ),
    '          *) position+=1 ;;',
    '        esac',
    '        ;;',
    '    esac',
    '  done',
    "  if [[ $current == '=' ]]; then current=''; fi",
    '  case "$command:$option" in',
    ...nodes.flatMap(optionValues),
    '  esac',
    '  if [[ -n $option ]]; then return; fi',
    '  if [[ $current == -* ]]; then',
    '    case "$command" in',
    ...nodes.map(({ command, options }) => {
      const names = options.flatMap((option) => option.names);
      return `      '${command}') _statusd_offer "$current" < <(printf '%s\\n' ${listed(names)}) ;;`;
    }),
    '    esac',
    '    return',
    '  fi',
    '  case "$command:$position" in',
    ...nodes.flatMap(positionals),
    '  esac',
    '}',
  ];
}

function optionValues({ command, options }: GrammarNode): string[] {
  return options.flatMap(({ names, values }) => {
    const offers = values === null ? null : offer(values);
    if (offers === null) return [];
    return [`    ${names.map((name) => `'${command}:${name}'`).join(' | ')}) ${offers} ;;`];
  });
}

function positionals(node: GrammarNode): string[] {
  const { command, children } = node;
  const words = children.map(({ word }) => word);
  const count = Math.max(node.arguments.length, words.length > 0 ? 1 : 0);
  return Array.from({ length: count }, (_, index) => {
    const argument = node.arguments[index];
    const offers = [
      index === 0 && words.length > 0 ? offer(words) : null,
      argument === undefined ? null : offer(argument.values),
    ].filter((one) => one !== null);
    const place = argument?.isRepeatable === true ? `'${command}:'*` : `'${command}:${index}'`;
    return offers.length === 0 ? [] : [`    ${place}) ${offers.join('; ')} ;;`];
  }).flat();
}

function offer(values: Completion): string | null {
  if (typeof values === 'string') return `_statusd_values ${values} "$current" "$config"`;
  if (values.length === 0) return null;
  return `_statusd_offer "$current" < <(printf '%s\\n' ${listed(values)})`;
}

function listed(words: readonly string[]): string {
  return words.map(quotePosix).join(' ');
}
