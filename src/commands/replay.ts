/** `statusd replay`: shows what another configuration would have sent. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class ReplayCommand extends StatusdCommand {
  static override paths = [['replay']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Compare past alerts under two configurations.',
    details: `
      Replays the stored samples under the present configuration and under \`other.toml\`, with the confirmation code of the
      daemon, and lists the alerts that both would have sent, only the present one, and only the
      other. The history is that of the present configuration's database. Nothing is changed and nobody is notified.

      A monitor that has another id in \`other.toml\` is recognised by its target, as after a reload.

      Differences in \`fail_threshold\`, \`recover_threshold\`, \`degraded_over_ms\`, \`depends_on\`, \`notify\`,
      \`[[maintenance]]\`, \`group_window_secs\`, \`alert_on_degraded\`, the filters, \`quiet_hours\` and
      \`repeat_every_secs\` of channels and monitors, \`[[rotations]]\` and \`[[escalations]]\` are replayed; an acknowledgement ends the
      reminders and the steps of the outage it was given for. Settings that
      change the checks themselves are not: intervals, timeouts, retries, expectations, targets. The output names the monitors
      for which such settings differ. Storms, checks out of turn, other nodes and silences that are over are not
      replayed either.

      To test the recommendations of \`statusd tune\`, create the other file from its patch:
      \`statusd tune --write | patch -o other.toml statusd.toml\`.
    `,
    examples: [
      ['What would a change have meant for the last month?', '$0 replay other.toml'],
      ['The last week.', '$0 replay other.toml --since 7d'],
      [
        'Which alerts would be gone?',
        `$0 replay other.toml --json | jq '.monitors[].alerts[] | select(.told == "now")'`,
      ],
    ],
  });

  static override complete = { other: 'file' } as const;
  static override positionals = { other: 'The configuration to compare with the present one.' };
  static override exits = {
    ok: 'Done, also when they differ.',
    usage: 'The time to look back is no duration.',
    config: 'One of the configurations is missing or invalid.',
    store: 'The database cannot be used.',
  };

  other = Option.String();
  since = Option.String('--since', { description: 'Look back `DURATION` (30d).' });

  async run(): Promise<ExitCode> {
    const { performReplay } = await import('./replay/perform.ts');
    const { other, since = '30d' } = this;
    return performReplay({ other, since, ...runOptions(this) }, this.context);
  }
}
