/** `statusd outbox`: lists, retries and drops pending, late and failed notifications. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { offlineOption, runOptions } from './run-options.ts';

export class OutboxCommand extends StatusdCommand {
  static override paths = [['outbox'], ['outbox', 'list']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'List pending, late and failed notifications.',
    details: `
      Every message to a channel is written to the outbox in the same transaction as its event, and stays there
      until the channel has accepted it. This lists messages that are pending (in their group window, or for a
      retry), that took more than one attempt, and that were given up, with the answer of the channel; the
      newest first.

      \`statusd outbox retry\` retries failed messages, \`statusd outbox drop\` drops one.
    `,
    examples: [
      ['Show stuck messages.', '$0 outbox'],
      [
        'List messages that were given up.',
        '$0 outbox --json | jq \'.deliveries[] | select(.state == "given_up")\'',
      ],
    ],
  });

  static override exits = {
    ok: 'Done, whatever is listed.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performOutbox } = await import('./outbox/perform.ts');
    return performOutbox(runOptions(this), this.context);
  }
}

export class OutboxRetryCommand extends StatusdCommand {
  static override paths = [['outbox', 'retry']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Retry messages at once.',
    details: `
      Makes the message of that number due now. Without a number it retries all failed messages: those that were given up
      and those that wait for a retry. Messages in their group window are not changed. The daemon sends the messages
      within a second, after the current attempts of their channels, or at its next start; a message about an outage that
      is over states that.
    `,
    examples: [
      ['The chat works again: try everything that failed.', '$0 outbox retry'],
      ['Try one; `statusd outbox` shows the numbers.', '$0 outbox retry 41'],
    ],
  });

  static override positionals = { id: 'The number of the message. Default: all failed messages.' };
  static override exits = {
    ok: 'Done, even if there was nothing to retry.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is no such message, or it was sent or dropped.',
  };

  id = Option.String({ required: false });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performRetry } = await import('./outbox/perform.ts');
    return performRetry({ id: this.id ?? null, isOffline: this.offline, ...runOptions(this) }, this.context);
  }
}

export class OutboxDropCommand extends StatusdCommand {
  static override paths = [['outbox', 'drop']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Drop a pending message.',
    details: `
      The message is never sent. The event it is about stays in the record, marked as dropped.
    `,
    examples: [['Do not send it after all; `statusd outbox` shows the numbers.', '$0 outbox drop 41']],
  });

  static override positionals = { id: 'The number of the message.' };
  static override exits = {
    ok: 'It was dropped.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is no such message, or it is not pending.',
  };

  id = Option.String();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performDrop } = await import('./outbox/perform.ts');
    return performDrop({ id: this.id, isOffline: this.offline, ...runOptions(this) }, this.context);
  }
}
