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
      Replays the stored samples through the code the daemon confirms with, under every \`fail_threshold\` from 1 to
      10, and says for each monitor which one it should have: how many alerts there were and would have been, whether
      every real outage is still notified, and how much later. A real outage is a failure that lasted five minutes or
      more and that two checks in a row saw; any other alert is a flap.

      The recommended threshold loses no real outage and notifies none later than twice as late as now, or five minutes.
      Of those that do, it is the smallest that notifies at most one flap in thirty days, or the fewest. What is set
      stays unless there is a reason to change it. A \`degraded_over_ms\` is recommended where none is set, or where
      the present one is exceeded too often: a quarter above what 99.5 % of the answers of a usual day stay below,
      as long as that means no more than two degraded spells a week.

      Maintenance windows and the silences that are still stored are left out, and so is time in which nobody looked.
      Less than six days of samples are too little to recommend anything. Messages are counted for each monitor on
      its own, without the folding of \`depends_on\`. Nothing is changed.

      With the id of a monitor, the figures behind the recommendation are shown. \`--write\` prints the changes as a
      patch of the configuration file, which \`patch\` and \`git apply\` take.
    `,
    examples: [
      ['What should be set differently?', '$0 tune'],
      ['Why? And what would other thresholds have done?', '$0 tune api'],
      ['Look at the last three months.', '$0 tune --days 90'],
      ['Apply what is recommended.', '$0 tune --write | patch statusd.toml'],
      ['Which monitors flap most?', "$0 tune --json | jq '.monitors | sort_by(-.alerts.now.flaps)[0].id'"],
    ],
  });

  static override complete = { monitor: 'monitor' } as const;
  static override positionals = {
    monitor: 'The monitor to look at closely; all of them when none is named.',
  };
  static override exits = {
    ok: 'Done, whether anything is recommended or not.',
    usage: 'The days are no number from 1 to 3650.',
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
