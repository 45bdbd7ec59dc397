/** `statusd explain`: prints why a monitor alerted, or did not. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class ExplainCommand extends StatusdCommand {
  static override paths = [['explain']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Explain why a monitor alerted, or did not.',
    details: `
      Every decision is recorded when it is taken: a message was queued, held back for a reason, sent, suppressed or
      not delivered. This prints those of a monitor or of one incident in order of time, with what happened, which
      messages there are, and what will happen next.

      Without \`--at\` a monitor is explained as of now, with its last incident. With it, as of that time: the
      incident that was open then, or how near the monitor came to one. An incident is always explained as a whole.
    `,
    examples: [
      ['Why does it say nothing about the API?', '$0 explain api'],
      ['Why was I woken?', '$0 explain last'],
      ['Why was I not woken at three?', '$0 explain api --at 2026-11-21T03:00:00Z'],
      ['What was it two hours ago?', '$0 explain api --at 2h'],
    ],
  });

  static override complete = { subject: 'subject' } as const;
  static override positionals = {
    subject:
      'The id or name of a monitor or a peer, the number of an incident, or `last` for the cause of the newest trouble.',
  };
  static override exits = {
    ok: 'Done, whatever there was to say.',
    usage: 'The time is none, lies in the future, or is given with an incident.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such monitor or incident.',
  };

  subject = Option.String();
  at = Option.String('--at', { description: 'Explain the time `T`: RFC 3339, or how long ago, as in `2h`.' });

  async run(): Promise<ExitCode> {
    const { performExplain } = await import('./explain/perform.ts');
    const { subject, at = null } = this;
    return performExplain({ subject, at, ...runOptions(this) }, this.context);
  }
}
