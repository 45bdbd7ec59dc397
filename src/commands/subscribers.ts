/** `statusd subscribers`: manages the readers who get mails. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { offlineOption, runOptions } from './run-options.ts';

const exits = {
  ok: 'Done, also when there is none.',
  config: 'The configuration is missing or invalid.',
  store: 'The database cannot be used.',
} as const;

export class SubscribersListCommand extends StatusdCommand {
  static override paths = [['subscribers', 'list'], ['subscribers']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'List subscribers.',
    details: `
      Lists everyone who subscribed on \`/subscribe\`: the address, when it was confirmed, and the groups. An unconfirmed
      address gets only the mail with the link and is deleted a day after the request.

      At most 30 mails with a link go out an hour that nobody confirms, 10 of them to one domain; the others wait, up to
      a day. A client (an IPv4 address or an IPv6 /64) may ask for 5 at once and one more every 12 minutes; beyond that
      \`/subscribe\` answers 429. When the mail server speaks of a quota, all mails to readers stop for 15 minutes, then for an hour at a time, so
      that alerts have what is left; \`/subscribe\` answers 503 meanwhile. The list says both.

      With \`--json\` it has \`subscribers\`, a list of
      \`{address, confirmed_at, requested_at, groups, mail_waiting_since}\`, and \`mails_stopped_until\`. No groups
      means everything, \`""\` the services that are in no group.
    `,
    examples: [
      ['Who gets mails?', '$0 subscribers list'],
      ['The same for a program.', "$0 subscribers list --json | jq -r '.subscribers[].address'"],
    ],
  });

  static override exits = exits;

  async run(): Promise<ExitCode> {
    const { performSubscribersList } = await import('./subscribers/perform.ts');
    return performSubscribersList(runOptions(this), this.context);
  }
}

export class SubscribersRemoveCommand extends StatusdCommand {
  static override paths = [['subscribers', 'remove']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Erase subscribers.',
    details: `
      Erases these addresses; nothing more is sent to them, and their links stop working. An address is removed
      from the database at once, and from its files at the next compaction: from the log and the current snapshot, and from
      the previous snapshot one compaction later. The daemon compacts when it stops and as the log grows. Older backups
      still contain the address.
    `,
    examples: [['Erase an address on request.', '$0 subscribers remove reader@example.com']],
  });

  static override positionals = { addresses: 'The addresses, separated by spaces.' };
  static override exits = {
    ok: 'The addresses are erased.',
    usage: 'No address is given.',
    config: exits.config,
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'One of the addresses does not exist. The others have been erased.',
  };

  addresses = Option.Rest();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performSubscribersRemove } = await import('./subscribers/perform.ts');
    return performSubscribersRemove(
      { addresses: this.addresses, isOffline: this.offline, ...runOptions(this) },
      this.context,
    );
  }
}

export class SubscribersExportCommand extends StatusdCommand {
  static override paths = [['subscribers', 'export']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Print the confirmed subscribers as CSV.',
    details: `
      Prints the confirmed addresses, one per line after a header: \`address,confirmed_at,groups\`, the groups
      separated by semicolons: no groups means everything, a semicolon alone the services that are in no group.
      With \`--json\` the format is that of \`statusd subscribers list --json\`.
    `,
    examples: [['Keep a copy.', '$0 subscribers export > subscribers.csv']],
  });

  static override exits = exits;

  async run(): Promise<ExitCode> {
    const { performSubscribersExport } = await import('./subscribers/perform.ts');
    return performSubscribersExport(runOptions(this), this.context);
  }
}
