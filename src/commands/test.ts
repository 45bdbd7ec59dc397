/** `statusd test`: runs alert tests in virtual time. */
import { Option } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { StatusdCommand } from './base.ts';
import { exitCodes, type ExitCode } from './exit.ts';

export class TestCommand extends StatusdCommand {
  static override paths = [['test']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Test alerting rules in virtual time.',
    details: `
      A test says what monitors are like and which messages people should get. It is played through the code that the
      daemon runs, in virtual time: an hour takes a few milliseconds, nothing is probed and nothing is sent. A
      message that is missing, one that nobody expected and one at another time fail the test; what happened and why
      is printed then.

      A file is TOML. It holds a configuration, or names one with \`config = "statusd.toml"\` at its top, and tests.
      \`--config\` takes another in its place.

          [[tests]]
          name = "an outage is sent once its window is over"
          series.api = "up, down x5, up"

          [[tests.expect]]
          at = "3m30s"
          channel = "ops"
          event = "down"
          monitor = "api"

          [[tests.expect]]
          at = "6m"
          event = "recovered"
          monitor = "api"

      A series has one word a check, the first at the start and then one an interval: \`up\`, \`slow\`, \`degraded\`,
      \`down\`, \`timeout\` (its host cannot be reached), \`unknown\` (this node could not ask), and \`-\` for no
      check or no heartbeat. \`unknown(resolver)\` names a cause that is reported when it lasts: resolver,
      descriptors, ping, plugin and others. \`up(120)\` and \`slow(900)\` give a latency in ms, \`x3\` repeats a word,
      \`for 10m\` repeats it for so long, and the last word lasts on. A monitor without a series is up.

      Keys of a test:
      - \`name\`; \`series.ID\`, one for each monitor
      - \`settings\`: settings that differ from the configuration, as in \`settings.alerts.fail_threshold = 1\`
      - \`start\`: the time of the clock when it begins (2026-01-01T00:00:00Z)
      - \`until\`: how long it lasts; otherwise until ten minutes after the last thing in it

      An event of \`[[tests.events]]\` has \`at\` and one of these:
      - \`silence\`, a monitor, several or "all", with \`for\`; \`clear_silences = true\`
      - \`acknowledge\`, a monitor that is down: its reminders and its escalation stop
      - \`restart = true\`; with \`for\`, it is away that long
      - \`reload\`, settings that change: \`reload = { alerts = { group_window_secs = 0 } }\`
      - \`channel_fails\`, a channel that takes no message, with \`for\`

      A \`[[tests.expect]]\` is one of these:
      - a message: \`event\`, \`at\` or \`between = ["2m", "3m"]\`, and \`channel\`, \`monitor\`,
        \`impacted\` (the others it names), \`cause\` (the upstream it names), \`late = true\`
      - \`nothing = true\`, within a time, of a monitor, through a channel, where these are given
      - what is shown at a time: \`monitor\` with \`status\` or \`incident\` (whether one is open)

      Of what falls on one instant, a message that is due comes first, then events, then checks. What comes from no
      check is not played: digests, certificates, domains, peers.
    `,
    examples: [
      ['Begin with a file that has everything in it.', '$0 test --example > alerts.test.toml'],
      ['Run it.', '$0 test alerts.test.toml'],
      ['Would a new configuration still pass?', '$0 test -c next.toml alerts.test.toml'],
      ['Run all of them for a build server.', '$0 test --format junit tests/*.toml > report.xml'],
    ],
  });

  static override complete = { files: 'file', '--format': ['human', 'json', 'junit', 'tap'] } as const;
  static override positionals = { files: 'The files with tests.' };
  static override exits = {
    ok: 'Every test passed.',
    wrong: 'A test failed.',
    config: 'A file, or the configuration it names, is missing or invalid.',
    interrupted: 'Interrupted; nothing is printed.',
  };

  files = Option.Rest();
  format = Option.String('--format', { description: 'Print `FORMAT`: human, json, junit or tap.' });
  example = Option.Boolean('--example', false, {
    description: 'Print a file with tests to begin with, and run nothing.',
  });

  async run(): Promise<ExitCode> {
    const { files, quiet: isQuiet, noColor: isColourRefused } = this;
    if (this.example) {
      const { exampleFile } = await import('./test/example.ts');
      this.context.stdout.write(exampleFile);
      return exitCodes.ok;
    }
    if (files.length === 0) {
      throw new StatusdError('usage', 'test needs the name of a file', {
        hint: '`statusd test --example` prints one to begin with.',
      });
    }
    const { readFormat } = await import('./test/render/formats.ts');
    const format = readFormat(this.format, { isJson: this.json });
    const { performTest } = await import('./test/perform.ts');
    const configFile = this.configFile ?? null;
    return performTest({ files, configFile, format, isQuiet, isColourRefused }, this.context);
  }
}
