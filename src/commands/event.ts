/** `statusd event`: records a change (a deployment, a migration). */
import { Option } from 'clipanion';
import { characters, limits } from '../engine/operations/limits.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { forceOption, offlineMakes, offlineOption, runOptions } from './run-options.ts';

export class EventCommand extends StatusdCommand {
  static override paths = [['event']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Mark a change, such as a deployment.',
    details: `
      A deployment, a migration, a rotated certificate: the marker appears in the timeline of incidents, and in
      alerts about monitors that began to fail within half an hour after it: \`recent change: deploy v2.3, 3m before\`.
      It is kept for a year.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      ['The last step of a deployment.', "$0 event 'deploy v2.3' --monitor api"],
      ['What was changed a while ago.', "$0 event 'new firewall rules' --at 20m"],
    ],
  });

  static override complete = { '--monitor': 'monitor' } as const;
  static override positionals = {
    title: `What was changed; at most ${characters(limits.title)} of it are kept.`,
  };
  static override exits = {
    ok: 'The event is stored.',
    usage:
      'The title is empty or names what strangers are not shown, or the time is invalid or in the future.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the event.',
    notFound: 'There is no such monitor.',
  };

  title = Option.String();
  monitor = Option.Array('--monitor', [], {
    description: 'Concern the monitor `ID` (or its name); may be repeated. Default: all monitors.',
  });
  at = Option.String('--at', {
    description: 'Time `T` of the change: RFC 3339, or how long ago, as in `10m`. Default: now.',
  });
  force = forceOption();
  offline = offlineOption(offlineMakes);

  async run(): Promise<ExitCode> {
    const { performEvent } = await import('./event/perform.ts');
    const { title, monitor: monitors, at = null, offline: isOffline, force: isForced } = this;
    return performEvent({ title, monitors, at, isForced, isOffline, ...runOptions(this) }, this.context);
  }
}
