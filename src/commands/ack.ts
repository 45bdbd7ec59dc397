/** `statusd ack`: records that someone is working on an incident. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { offlineOption, runOptions } from './run-options.ts';
import { characters, limits } from '../engine/operations/limits.ts';

export class AckCommand extends StatusdCommand {
  static override paths = [['ack'], ['acknowledge']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Acknowledge an incident: someone is working on it.',
    details: `
      Stops the reminders and the escalation of an open incident, never its recovery. Who did so, when and why is in its
      timeline; the public sees on its page that it is acknowledged, not by whom. The daemon picks it up within a second. A message
      that says what is down has a link that does the same for 24 hours, when \`server.base_url\` is set.
    `,
    examples: [
      ['The last incident is in hand.', '$0 ack last'],
      ['The open incident of a monitor, with what is done about it.', '$0 ack api restarting the database'],
      ['Everything that is open.', '$0 ack all'],
      ['It is not in hand after all.', '$0 ack --clear api'],
    ],
  });

  static override complete = { incident: 'subject' } as const;
  static override words = [
    { name: 'incident', isRequired: false, isRepeatable: false },
    { name: 'reason', isRequired: false, isRepeatable: true },
  ];
  static override positionals = {
    incident:
      'The number of the incident, its uid, the monitor that is down, `last` for the one that `statusd incidents` lists ' +
      'first, or `all` for every open one. May be left out when one alone is open.',
    reason: `What is done about it; at most ${characters(limits.reason)} of it are kept.`,
  };
  static override exits = {
    ok: 'It is acknowledged, or was before; or none is named and none waits to be.',
    wrong: 'The incident is over, or was opened by hand.',
    usage: 'No incident is named, and more than one waits to be acknowledged.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not take it.',
    notFound: 'There is no such incident, and no such monitor with one that is open.',
  };

  typed = Option.Rest();
  by = Option.String('--by', {
    description: 'Who is working on it: `NAME` instead of the user who is logged in.',
  });
  clear = Option.Boolean('--clear', false, {
    description: 'Withdraw it: reminders and escalations go on.',
  });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performAck } = await import('./ack/perform.ts');
    const { typed, by = null, clear: isCleared, offline: isOffline } = this;
    const [incident = null, ...reason] = typed;
    return performAck(
      { incident, reason: reason.join(' '), by, isCleared, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}
