/** `statusd completion words`: the live words that completion scripts ask for. It has no usage, so help leaves it out. */
import { Option } from 'clipanion';
import { cleanLine } from '../../engine/core/text.ts';
import { StatusdCommand } from '../base.ts';
import { exitCodes, type ExitCode } from '../exit.ts';

export class CompletionWordsCommand extends StatusdCommand {
  static override paths = [['completion', 'words']];

  /** `monitor` or `group`. */
  sort = Option.String();

  /** Prints one word a line. Whatever goes wrong, a shell in the middle of a line is not the place to say so. */
  async run(): Promise<ExitCode> {
    try {
      const { openConfig } = await import('../open-config.ts');
      const { config } = await openConfig(this.configFile ?? null, this.context);
      const words = config.monitors.flatMap(({ id, group }) => {
        if (this.sort === 'group') return group === null ? [] : [group];
        return this.sort === 'monitor' ? [id] : [];
      });
      this.context.stdout.write([...new Set(words)].map((word) => `${cleanLine(word)}\n`).join(''));
    } catch {
      return exitCodes.ok;
    }
    return exitCodes.ok;
  }
}
