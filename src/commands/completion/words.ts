/** `statusd completion words`: the live words that completion scripts ask for. It has no usage, so help leaves it out. */
import { Option } from 'clipanion';
import type { Config } from '../../engine/config/config.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { StatusdCommand } from '../base.ts';
import { exitCodes, type ExitCode } from '../exit.ts';

export class CompletionWordsCommand extends StatusdCommand {
  static override paths = [['completion', 'words']];

  /** `monitor`, `group`, `rotation`, or `subject`: monitors and peers. */
  sort = Option.String();

  /** Prints one word a line. Whatever goes wrong, a shell in the middle of a line is not the place to say so. */
  async run(): Promise<ExitCode> {
    try {
      const { openConfig } = await import('../open-config.ts');
      const { config } = await openConfig(this.configFile ?? null, this.context);
      const words = wordsOf(this.sort, config);
      this.context.stdout.write([...new Set(words)].map((word) => `${cleanLine(word)}\n`).join(''));
    } catch {
      return exitCodes.ok;
    }
    return exitCodes.ok;
  }
}

function wordsOf(sort: string, { monitors, peers, rotations }: Config): readonly string[] {
  const ids = monitors.map(({ id }) => id);
  switch (sort) {
    case 'group':
      return monitors.flatMap(({ group }) => group ?? []);
    case 'rotation':
      return rotations.map(({ name }) => name);
    case 'monitor':
      return ids;
    case 'subject':
      return [...ids, ...peers.map(({ listen_id }) => listen_id)];
    default:
      return [];
  }
}
