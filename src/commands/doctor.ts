/** `statusd doctor`: checks whether this host can do what the configuration needs. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class DoctorCommand extends StatusdCommand {
  static override paths = [['doctor']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Check that this host can do what the configuration needs.',
    details: `
      Checks the database, the address to listen on, the routes over IPv4 and IPv6, \`ping\`, the name servers, the
      plugins of exec monitors and channels, the clock, systemd if it started this process, the peers (whether they answer, accept the
      token, have the same time and monitor the same targets), the nodes that share \`[storage]\` (whether each answers at
      its address, accepts \`node.token\`, has the same configuration, version and time), and the channels. Each line
      begins with ok, warn or FAIL; every problem comes with its remedy.

      When a start of the daemon finds that changes are lost, because a log is missing or damaged, or because the shared
      database went back to an earlier state, that stays in the database: this command fails, and \`top\` and, with
      the access token, \`/healthz\` show it. With \`--seen\` it is shown once more, then forgotten.

      Nothing else is changed, and nobody is notified. Run it as the user and in the environment of the daemon: the
      results depend on both. With \`--channels\` it also checks credentials, for channels that can verify them without
      sending a message; \`statusd test-alert\` sends a test message through all channels.
    `,
    examples: [
      ['Is everything ready?', '$0 doctor'],
      ['Forget the lost changes that it reports.', '$0 doctor --seen'],
      ['Are the credentials good, too?', '$0 doctor --channels'],
      [
        'Only what is missing.',
        '$0 doctor --json | jq -r \'.checks[] | select(.verdict == "fail") | .message\'',
      ],
    ],
  });

  static override exits = {
    ok: 'Nothing is missing; there may be warnings.',
    wrong: 'Something that the configuration needs is missing, or changes are lost that nobody has seen.',
    config: 'The configuration is missing or invalid.',
  };

  channels = Option.Boolean('--channels', false, {
    description: 'Check the credentials of the channels too.',
  });

  seen = Option.Boolean('--seen', false, {
    description: 'Forget the lost changes that it shows.',
  });

  async run(): Promise<ExitCode> {
    const { performDoctor } = await import('./doctor/perform.ts');
    return performDoctor(
      { isAskingChannels: this.channels, isSeen: this.seen, ...runOptions(this) },
      this.context,
    );
  }
}
