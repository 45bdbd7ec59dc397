/** `statusd tune`: recommends thresholds from the stored history. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class TuneCommand extends StatusdCommand {
  static override paths = [['tune']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Recommend thresholds from the history of the monitors.',
    details: `
      Replays the stored samples with the confirmation code of the daemon, for every \`fail_threshold\` from 1 to
      10, and recommends one for each monitor: with the number of alerts now and then, whether every real outage
      is still notified, and how much later. A real outage is a failure that lasted at least five minutes
      and was seen by two checks in a row; any other alert is a flap.

      The recommended threshold misses no real outage and notifies none later than twice as late as now, or five minutes.
      Of these thresholds it is the smallest with at most one flap in thirty days, or else the one with the fewest. The
      current value is kept unless there is a reason to change it. A \`degraded_over_ms\` is recommended if none is set or
      the current one is exceeded too often: 25 % above the latency of 99.5 % of the responses of a usual day,
      provided that this gives at most two degraded periods a week.

      Maintenance windows and the silences that are still stored are left out, and so is time without checks.
      Less than six days of samples are too little to recommend anything. Messages are counted for each monitor on
      its own, without the folding of \`depends_on\`. Nothing is changed.

      With the id of a monitor, the figures behind the recommendation are shown. \`--write\` prints the changes as a
      patch of the configuration file, which \`patch\` and \`git apply\` take.
    `,
    examples: [
      ['Show recommended changes.', '$0 tune'],
      ['Show the reasons and the results of other thresholds.', '$0 tune api'],
      ['Use the last three months.', '$0 tune --days 90'],
      ['Apply the recommendations.', '$0 tune --write | patch statusd.toml'],
      [
        'Show the monitor with the most flaps.',
        "$0 tune --json | jq '.monitors | sort_by(-.alerts.now.flaps)[0].id'",
      ],
    ],
  });

  static override complete = { monitor: 'monitor' } as const;
  static override positionals = {
    monitor: 'The id or name of the monitor to show in detail. Default: a summary of all.',
  };
  static override exits = {
    ok: 'Done, whether anything is recommended or not.',
    usage: 'The days are not a number from 1 to 3650.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such monitor.',
  };

  monitor = Option.String({ required: false });
  days = Option.String('--days', { description: 'Look back `N` days (30).' });
  write = Option.Boolean('--write', false, {
    description: 'Print the changes as a patch of the configuration.',
  });

  async run(): Promise<ExitCode> {
    const { performTune } = await import('./tune/perform.ts');
    const { monitor = null, days = '30', write: isPatchWanted } = this;
    return performTune({ monitor, days, isPatchWanted, ...runOptions(this) }, this.context);
  }
}
