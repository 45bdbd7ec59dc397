/** `statusd completion`: prints a completion script for a shell. */
import { Option } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { nearest } from '../engine/core/nearest.ts';
import { cleanLine } from '../engine/core/text.ts';
import { StatusdCommand } from './base.ts';
import { exitCodes, type ExitCode } from './exit.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export class CompletionCommand extends StatusdCommand {
  static override paths = [['completion']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Print a completion script for bash, zsh or fish.',
    details: `
      The script completes commands, options and the values of options. For monitors and
      groups it offers those of the configuration, which it reads from \`statusd\` each time; without a
      configuration it offers none.

      The script needs nothing but the shell itself: bash 3.2, zsh 5 or fish 3, or later.
    `,
    examples: [
      [
        'Load it into this bash. In `~/.bashrc` the same line loads it for good.',
        'source <($0 completion bash)',
      ],
      ['Load it into this zsh, after `compinit`. It belongs in `~/.zshrc`.', 'source <($0 completion zsh)'],
      [
        'Keep it where fish looks for completions.',
        '$0 completion fish > ~/.config/fish/completions/statusd.fish',
      ],
    ],
  });

  static override complete = { shell: shells };
  static override positionals = { shell: 'The shell: `bash`, `zsh` or `fish`.' };
  static override exits = { ok: 'The script was printed.' };

  shell = Option.String();

  async run(): Promise<ExitCode> {
    const shell = shells.find((name) => name === this.shell);
    if (shell === undefined) throw unknownShell(this.shell);
    const { describe } = await import('./help/describe.ts');
    const { grammarOf } = await import('./completion/grammar.ts');
    const script = await scriptFor(shell);
    this.context.stdout.write(script(grammarOf(describe(this.commands))));
    return exitCodes.ok;
  }
}

async function scriptFor(shell: Shell) {
  switch (shell) {
    case 'bash':
      return (await import('./completion/bash.ts')).bashScript;
    case 'zsh':
      return (await import('./completion/zsh.ts')).zshScript;
    case 'fish':
      return (await import('./completion/fish.ts')).fishScript;
  }
}

function unknownShell(word: string): StatusdError {
  const guess = nearest(word, shells);
  return new StatusdError('usage', `completion does not support the shell '${cleanLine(word)}'`, {
    hint: guess === null ? 'It knows bash, zsh and fish.' : `Did you mean ${guess}?`,
  });
}
