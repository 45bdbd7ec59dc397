/** `statusd remove`: takes monitors out of the configuration. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class RemoveCommand extends StatusdCommand {
  static override paths = [['remove']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Remove monitors from the configuration.',
    details: `
      Removes the \`[[monitors]]\` tables of these monitors, with the comments right above them; everything else in the
      file stays byte for byte. The file is read without the tables before it is replaced, so it never becomes one that
      does not load: a monitor that another one names in \`depends_on\` is removed after that other one was changed.

      A running daemon notices the change within seconds. It ends an open incident of the monitor with a message, and
      keeps the history of the monitor for 40 days.
    `,
    examples: [
      ['Stop watching one monitor.', '$0 remove old-shop'],
      ['Show what would be removed.', '$0 remove --dry-run old-shop'],
    ],
  });

  static override complete = { ids: 'monitor' } as const;
  static override positionals = { ids: 'The monitors, separated by spaces.' };
  static override exits = {
    ok: 'The monitors were removed.',
    usage: 'The file would not load without them, or cannot be written.',
    config: 'The configuration is missing or invalid.',
    notFound: 'There is no such monitor.',
  };

  dryRun = Option.Boolean('--dry-run', false, {
    description: 'Print what would be removed, and write nothing.',
  });
  ids = Option.Rest({ required: 1 });

  async run(): Promise<ExitCode> {
    const { performRemove } = await import('./remove/perform.ts');
    return performRemove({ ids: this.ids, isDryRun: this.dryRun, ...runOptions(this) }, this.context);
  }
}
