/** `statusd digest`: prints the digest without sending it. */
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class DigestCommand extends StatusdCommand {
  static override paths = [['digest']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Print the digest as it would be sent now.',
    details: `
      The text of the last seven days, exactly as a channel would get it: a summary line, then one line per
      monitor with its uptime, its incidents in these days and its remaining error budget. Nothing is sent or
      recorded. Uptime is never rounded up.

      The daemon sends it on the schedule of \`[digest]\`. \`statusd test-alert\` checks that the channels work.
    `,
    examples: [
      ['Preview the next digest.', '$0 digest'],
      ['Show when and where it is sent.', "$0 digest --json | jq '.next_at, .channels'"],
    ],
  });

  static override exits = {
    ok: 'Done, also when no digest is configured.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performDigest } = await import('./digest/perform.ts');
    return performDigest(runOptions(this), this.context);
  }
}
