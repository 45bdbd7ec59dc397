/** `statusd add`: probes targets and appends monitors for them to the configuration. */
import { Option } from 'clipanion';
import { targetKinds } from '../engine/core/probe.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

/** The kinds that a target alone makes a monitor of, and push, which has none. */
const addedKinds = [...targetKinds, 'push'] as const;

export class AddCommand extends StatusdCommand {
  static override paths = [['add']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Probe targets and append monitors for them to the configuration.',
    details: `
      Each target is probed four times and written down as \`statusd init\` does, which also says what a target can
      be. The tables go to the end of the file; what it holds stays byte for byte, its mode and its owner too. The
      file is read with the new tables before it is replaced, so it never becomes one that does not load.

      A running daemon notices the change and begins to check within seconds.

      Nothing is added when a target is watched already, or an id is taken.

      \`--kind push\` adds a monitor that waits for heartbeats. Its argument is a name; nothing is probed. The token is
      made up, goes to \`statusd.env\` beside the file (mode 0600), and the command that sends a heartbeat is printed.
    `,
    examples: [
      ['Watch one more site.', '$0 add https://example.com'],
      ['Call it something else.', "$0 add example.com --name 'Our shop' --id shop"],
      ['Wait for the heartbeats of a job.', "$0 add --kind push 'Nightly backup' --group Jobs"],
      ['Say what it depends on.', '$0 add https://shop.example.com --depends-on database'],
      ['Look at what would be appended.', '$0 add --dry-run db.example.com:5432'],
    ],
  });

  static override complete = {
    '--group': 'group',
    '--depends-on': 'monitor',
    '--kind': addedKinds,
  } as const;
  static override positionals = {
    targets:
      'What to watch: a URL, a host, host:port, icmp://host or dns://name; with `--kind push`, the names of the monitors.',
  };
  static override exits = {
    ok: 'The monitors were added, whether or not every target answered.',
    usage:
      'A target cannot be understood or is watched already, an id is taken, or the file cannot be written.',
    config: 'The configuration is missing or invalid.',
  };

  name = Option.String('--name', { description: 'Show it as `NAME`; for one target.' });
  id = Option.String('--id', { description: 'Give it the id `ID`; for one target.' });
  group = Option.String('--group', { description: 'Put it into the group `NAME` of the page.' });
  dependsOn = Option.Array('--depends-on', [], {
    description: 'It depends on the monitor `ID`; may be repeated.',
  });
  kind = Option.String('--kind', {
    description: `Add monitors of the kind \`KIND\`: ${addedKinds.join(', ')}. Default: as the target looks.`,
  });
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'Print what would be appended, and write nothing.',
  });
  targets = Option.Rest({ required: 1 });

  async run(): Promise<ExitCode> {
    const { performAdd } = await import('./add/perform.ts');
    const { targets, name = null, id = null, group = null, dependsOn, kind = null, dryRun: isDryRun } = this;
    return performAdd(
      { targets, name, id, group, dependsOn, kind, isDryRun, ...runOptions(this) },
      this.context,
    );
  }
}
