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
    description: 'List the readers who get mails.',
    details: `
      Shows everyone who asked for mails on \`/subscribe\`: the address, since when it is confirmed, and the groups. One
      that is not confirmed gets nothing but the mail with the link, and is forgotten a day after it was asked for.
      With \`--json\` it is \`{"subscribers":[{address, confirmed_at, requested_at, groups}]}\`; no groups means
      everything, \`""\` the services that are in no group.
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
    description: 'Erase readers who get mails.',
    details: `
      Erases these addresses; nothing more is sent to them, and their links work no more. An address leaves the database
      at once, and its files when they are next compacted: the log and the snapshot with it, and the snapshot before
      that a compaction later. The daemon compacts them when it stops, and as the log grows. Backups that were made
      before still hold it.
    `,
    examples: [['Erase one, as asked for.', '$0 subscribers remove reader@example.com']],
  });

  static override positionals = { addresses: 'The addresses, separated by spaces.' };
  static override exits = {
    ok: 'They are erased.',
    usage: 'No address is given.',
    config: exits.config,
    store: 'The database cannot be used, or the disk does not take the change.',
    notFound: 'There is no such address. Those that there are have been erased.',
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
    description: 'Print the confirmed readers as CSV.',
    details: `
      Prints the addresses that are confirmed, one a line after a heading: \`address,confirmed_at,groups\`, the groups
      separated by semicolons. With \`--json\` it is what \`statusd subscribers list --json\` says of them.
    `,
    examples: [['Keep a copy.', '$0 subscribers export > subscribers.csv']],
  });

  static override exits = exits;

  async run(): Promise<ExitCode> {
    const { performSubscribersExport } = await import('./subscribers/perform.ts');
    return performSubscribersExport(runOptions(this), this.context);
  }
}
