/** `statusd report`: the service report of a month. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class ReportCommand extends StatusdCommand {
  static override paths = [['report']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Show the service report of a month.',
    details: `
      For every monitor, by group: the uptime, how much of the month is known (coverage), the incidents that began in
      it, how long incidents lasted within it, the mean of those times (recovery), and for a monitor with
      \`slo_uptime\` whether the SLO was met and how much of its error budget was used. The uptime is that of the time
      that is known, and decides about the SLO; the budget is the downtime that the SLO allows of the whole month. Both
      leave planned maintenance out and count each failed check, also where too few failed for an incident; downtime
      is that of incidents. Of several monitors together the downtime is the time with at least one outage, beside the mean over the monitors.
      Without a month it is the last one that is over; the month that still runs is shown up to now. Months are those
      of \`[page] timezone\`, UTC by default. The figures are those of the page \`/report/{month}\`, private monitors
      included; uptime is never rounded up. A month before the record is a report without data that says when the record begins.

      Two days after its end a month is closed, by a daemon that has run for a day: its figures are stored and stay as
      they are, whatever happens to the record or the configuration afterwards. Until then \`closed_at\` is null. \`--recompute\` computes them anew, too. A monitor that was removed stays in
      the months it was watched in.

      A narrow terminal gets fewer columns, a pipe all of them. With \`--json\` it is \`{month, timezone, from, to,
      running, closed_at, total, groups}\` with \`record_begins\`, and a group \`{name, total, monitors}\`;
      \`definitions\` is the version of what the figures mean, and \`--recompute\` adds \`recomputed\`: null, or
      \`{total, groups}\`. All have \`uptime_percent\` (null without data), \`coverage_percent\`, \`incidents\`, \`downtime_secs\` and \`mttr_secs\`; a total also \`mean_downtime_secs\`,
      \`slos_met\` and \`slos_missed\`, a monitor its \`id\`, \`name\`, \`removed_at\` and \`slo\`: null, or \`{target_percent, met,
      budget_minutes, spent_minutes, used_percent}\`.
    `,
    examples: [
      ['The month that is over.', '$0 report'],
      ['This month so far, of one group.', '$0 report 2026-11 --group Production'],
      [
        'Which SLOs were missed?',
        "$0 report --json | jq -r '.groups[].monitors[] | select(.slo.met == false) | .id'",
      ],
    ],
  });

  static override complete = { '--group': 'group' } as const;
  static override positionals = {
    month: 'The month, as in 2026-11. Default: last month, or this month if nothing older is on record.',
  };
  static override exits = {
    ok: 'Done, also when SLOs were missed.',
    usage: 'The month is none.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'The month has not begun, or there is no such group.',
  };

  recompute = Option.Boolean('--recompute', false, {
    description: 'Compute the figures of a closed month anew and show them beside the stored ones.',
  });
  group = Option.String('--group', { description: 'Only the monitors of the group `NAME`.' });
  month = Option.String({ required: false });

  async run(): Promise<ExitCode> {
    const { performReport } = await import('./report/perform.ts');
    const { month = null, group = null, recompute } = this;
    return performReport({ month, group, isCompared: recompute, ...runOptions(this) }, this.context);
  }
}
