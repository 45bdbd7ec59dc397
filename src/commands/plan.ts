/** `statusd plan`: prints what a reload would change. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class PlanCommand extends StatusdCommand {
  static override paths = [['plan']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Show what a reload would start, stop and restart.',
    details: `
      With a file, compares it with the configuration it would replace, as if it replaced it. Without one,
      compares the current configuration file with what the daemon of its
      database runs: the daemon records that when it starts and reloads, secrets only as short digests. Nothing
      is changed either way.

      - \`+\` is started or added, and \`-\` stopped or removed. The history of a monitor that is stopped is kept for 40
        days; its open incident ends, with one message to the channels that were alerted.
      - \`~\` gets other settings: each is shown before and after, a secret only as changed.
      - \`!\` needs a restart of the daemon: \`server.bind\`, \`server.database_path\`, the rate limits, \`[node]\` and
        \`[storage]\`, of which a reload takes another user, password and parameters of \`url\`.

      Variables in the file are expanded from the environment of this command, which should be that of the daemon.

      With \`--json\` it is one object: \`config\`, \`compared_with\`, \`start\`, \`stop\`, \`restart\`,
      \`unchanged\` (a number),
      \`channels\`, \`peers\`, \`settings\` and \`needs_restart\`. A change is \`{key, before, after, secret}\`.
      A stopped
      monitor has its \`open_incident\`, its \`undelivered\` messages and \`history_kept_days\`.
    `,
    examples: [
      ['What would this file change?', '$0 plan new.toml'],
      ['Does the daemon run what the file says?', '$0 plan'],
      ['Fail a deployment that would remove a monitor.', "$0 plan new.toml --json | jq -e '.stop == []'"],
    ],
  });

  static override complete = { other: 'file' } as const;
  static override positionals = { other: 'The file that would replace the configuration.' };
  static override exits = {
    ok: 'Both can be used, whether or not they differ.',
    config: 'One of the two is missing or invalid; all its problems are named.',
    store: 'The database cannot be read, and there is no file to compare with.',
  };

  other = Option.String({ required: false });

  async run(): Promise<ExitCode> {
    const { performPlan } = await import('./plan/perform.ts');
    return performPlan({ other: this.other ?? null, ...runOptions(this) }, this.context);
  }
}
