/** `statusd test-alert`: sends a test message through the channels. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class TestAlertCommand extends StatusdCommand {
  static override paths = [['test-alert']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Send a test down and recovered through the channels.',
    details: `
      Sends two messages that are labelled as a test, a down and a recovered one, through every channel at once; with
      a monitor, through exactly the channels that its alerts go through. It says for each channel whether both were
      taken, and if not, why. A delivery is tried three times, as a real one is.

      It needs no daemon and no database, and nothing is remembered of it. \`statusd doctor --channels\` checks
      credentials without notifying anyone.
    `,
    examples: [
      ['Is everyone notified?', '$0 test-alert'],
      ['Who would hear of the API?', '$0 test-alert api'],
    ],
  });

  static override complete = { monitor: 'monitor' } as const;
  static override positionals = {
    monitor: 'The id or name of a monitor: only through the channels of its alerts.',
  };
  static override exits = {
    ok: 'Every channel took both messages.',
    wrong: 'A channel did not, or there is none to try.',
    config: 'The configuration is missing or invalid.',
    notFound: 'There is no such monitor.',
  };

  monitor = Option.String({ required: false });

  async run(): Promise<ExitCode> {
    const { performTestAlert } = await import('./test-alert/perform.ts');
    return performTestAlert({ monitor: this.monitor ?? null, ...runOptions(this) }, this.context);
  }
}
