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
      Stops the reminders and the escalation of an open incident, never its recovery. The timeline records who
      acknowledged it, when and why; the public page shows that it is acknowledged, but not by whom. The daemon picks it up
      within a second. With \`server.base_url\` set, down alerts have a link that acknowledges the incident, valid for 24
      hours.

      An acknowledgement outlasts a recovery of less than 10 minutes: the next outage of the monitor carries it on. That is
      sent once to the channels that were sent the outage before, without reminders and escalation; \`--clear\` withdraws it
      like any other. When an acknowledged monitor fails for a reason of another category, those channels get one message
      that says so.

      An incident that is folded into another one is acknowledged together with that one, the root, whose alert it is that
      rings; \`--clear\` withdraws both. The answer names every incident that was acknowledged, and the reason.

      Further words that are the id or the exact name of a monitor that is down are acknowledged, too; the reason begins
      with the first other word. With \`--reason\` every word names something.
    `,
    examples: [
      ['Acknowledge the newest trouble at its root.', '$0 ack last'],
      ['Acknowledge the open incident of a monitor, with a reason.', '$0 ack api restarting the database'],
      ['Acknowledge two, with a reason that begins with a name.', "$0 ack vpn docs --reason 'api is next'"],
      ['Acknowledge all open incidents.', '$0 ack all'],
      ['Withdraw an acknowledgement.', '$0 ack --clear api'],
    ],
  });

  static override complete = { incident: 'subject' } as const;
  static override words = [
    { name: 'incident', isRequired: false, isRepeatable: true },
    { name: 'reason', isRequired: false, isRepeatable: true },
  ];
  static override positionals = {
    incident:
      'The number of the incident, its uid, the monitor that is down (id or name), a group, `last` for the root of the ' +
      'newest trouble, which `statusd incidents` lists first, or `all` for every open one. May be left out when one ' +
      'trouble alone is open.',
    reason: `What is done about it; at most ${characters(limits.reason)} of it are kept.`,
  };
  static override exits = {
    ok: 'The incident is acknowledged, or was before; or none is named and none is open.',
    wrong: 'The incident is over, or was opened by hand.',
    usage: 'No incident is named, and several are not acknowledged.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept it.',
    notFound: 'There is no such incident, and no such monitor with an open incident.',
  };

  typed = Option.Rest();
  by = Option.String('--by', {
    description: 'Who is working on it: `NAME` instead of the user who is logged in.',
  });
  reason = Option.String('--reason', {
    description: 'What is done about it: `TEXT`. All other words then name incidents or monitors.',
  });
  clear = Option.Boolean('--clear', false, {
    description: 'Withdraw the acknowledgement: reminders and escalations continue.',
  });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performAck } = await import('./ack/perform.ts');
    const { typed: words, reason = null, by = null, clear: isCleared, offline: isOffline } = this;
    return performAck({ words, reason, by, isCleared, isOffline, ...runOptions(this) }, this.context);
  }
}
