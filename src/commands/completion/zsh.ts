/** Writes the completion script for zsh: to be sourced, or kept as `_statusd` in a folder of `fpath`. */
import type { Completion } from '../base.ts';
import { commandNames, type GrammarNode, quotePosix, valuedNames } from './grammar.ts';

export function zshScript(nodes: readonly GrammarNode[]): string {
  return `${[
    '#compdef statusd',
    '# zsh completion for statusd. Load it with: source <(statusd completion zsh)',
    '',
    ...valuesFunction(commandNames(nodes)),
    '',
    ...mainFunction(nodes),
    '',
    "# Autoloaded from fpath, the file is the function's body; sourced, it has to register itself.",
    'if [[ $funcstack[1] == _statusd ]]; then',
    '  _statusd "$@"',
    'else',
    '  compdef _statusd statusd',
    'fi',
  ].join('\n')}\n`;
}

function valuesFunction(commands: readonly string[]): string[] {
  return [
    '# $1: what to complete to; $2: the configuration file, if one was named',
    '_statusd_values() {',
    '  local -a found config',
    '  if [[ -n $2 ]]; then config=(--config "$2"); fi',
    '  case $1 in',
    '    monitor | subject | group | rotation)',
    '      found=(${(f)"$(statusd completion words $1 $config 2>/dev/null)"})',
    '      compadd -a -- found',
    '      ;;',
    '    file) _files ;;',
    `    command) compadd -- ${commands.map(quotePosix).join(' ')} ;;`,
    '  esac',
    '}',
  ];
}

function mainFunction(nodes: readonly GrammarNode[]): string[] {
  return [
    '_statusd() {',
    "  local command='' config='' option='' word",
    '  local -i position=0 i',
    '  local -a offers',
    '  for (( i = 2; i < CURRENT; i++ )); do',
    '    word=${(Q)words[i]}',
    '    if [[ -n $option ]]; then',
    '      case $option in -c | --config) config=${word/#\\~\\//$HOME/} ;; esac',
    "      option=''",
    '      continue',
    '    fi',
    '    case $word in',
    '      --config=*) config=${word#*=} ;;',
    `      ${valuedNames(nodes).join(' | ')}) option=$word ;;`,
    '      -*) ;;',
    '      *)',
    '        case $position:$command:$word in',
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
    '  if [[ -z $option && $PREFIX == --*=* ]]; then',
    '    option=${PREFIX%%=*}',
    "    compset -P '*='",
    '  fi',
    '  if [[ -n $option ]]; then',
    '    case $command:$option in',
    ...nodes.flatMap(optionValues),
    '    esac',
    '    return',
    '  fi',
    '  if [[ $PREFIX == -* ]]; then',
    '    case $command in',
    ...nodes.flatMap(({ command, options }) => [
      `      ${quotePosix(command)})`,
      '        offers=(',
      ...options.flatMap(({ names, text }) => names.map((name) => `          ${described(name, text)}`)),
      '        )',
      '        ;;',
    ]),
    '    esac',
    "    _describe -o 'option' offers",
    '    return',
    '  fi',
    '  case $command:$position in',
    ...nodes.flatMap(positionals),
    '  esac',
    '}',
  ];
}

function optionValues({ command, options }: GrammarNode): string[] {
  return options.flatMap(({ names, values }) => {
    const offers = values === null ? null : offer(values);
    if (offers === null) return [];
    return [`      ${names.map((name) => `'${command}:${name}'`).join(' | ')}) ${offers} ;;`];
  });
}

function positionals(node: GrammarNode): string[] {
  const { command, children } = node;
  const count = Math.max(node.arguments.length, children.length > 0 ? 1 : 0);
  return Array.from({ length: count }, (_, index) => {
    const argument = node.arguments[index];
    const offers = argument === undefined ? null : offer(argument.values);
    const place = argument?.isRepeatable === true ? `'${command}:'*` : `'${command}:${index}'`;
    const commands =
      index > 0 || children.length === 0
        ? []
        : [
            '      offers=(',
            ...children.map(({ word, text }) => `        ${described(word, text)}`),
            '      )',
            "      _describe 'command' offers",
          ];
    if (commands.length === 0 && offers === null) return [];
    return [`    ${place})`, ...commands, ...(offers === null ? [] : [`      ${offers}`]), '      ;;'];
  }).flat();
}

/** An entry of `_describe`: a colon in the name would end it. */
function described(name: string, text: string): string {
  return quotePosix(`${name.replaceAll(':', '\\:')}:${text}`);
}

function offer(values: Completion): string | null {
  if (typeof values === 'string') return `_statusd_values ${values} "$config"`;
  if (values.length === 0) return null;
  return `compadd -- ${values.map(quotePosix).join(' ')}`;
}
