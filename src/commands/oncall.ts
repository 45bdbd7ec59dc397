/** `statusd oncall`: prints who is on call now and next. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class OncallCommand extends StatusdCommand {
  static override paths = [['oncall'], ['oncall', 'list']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Show who is on call now and next.',
    details: `
      Prints one line per rotation (\`[[rotations]]\`): the channel that receives its alerts, until when, and who is next.
      With the name of a rotation: its current turn and the following ones. Only the configuration is read.

      A member whose channel is disabled is skipped; \`passed_over\` in the JSON names the skipped member.

      With \`--json\` it is \`{"at", "rotations"}\`. A rotation is \`name\`, \`timezone\`, \`on_call\`, \`since\`, \`until\`,
      \`next\` and \`turns\`: the current one and the following ones, each \`on_call\`, \`passed_over\`, \`from\` and \`until\`.
      \`on_call\` is null where no member can be reached.
    `,
    examples: [
      ['Who gets the alerts now?', '$0 oncall'],
      ['Who has the night of the 24th?', '$0 oncall --at 2026-12-24T22:00:00Z'],
      ['The turns that follow.', '$0 oncall primary'],
      ['For a script.', "$0 oncall --json | jq -r '.rotations[] | .on_call'"],
    ],
  });

  static override complete = { rotation: 'rotation' } as const;
  static override positionals = { rotation: 'The name of a rotation; all of them without it.' };
  static override exits = {
    ok: 'Everyone on call can be reached, or there is no rotation.',
    wrong: 'No member of a rotation can be reached: the channels of all are disabled.',
    usage: 'The time is none.',
    config: 'The configuration is missing or invalid.',
    notFound: 'There is no such rotation.',
  };

  rotation = Option.String({ required: false });
  at = Option.String('--at', {
    description: 'As of `T`: RFC 3339, a time of day in UTC, or in how long, as in `2d`. Without it: now.',
  });

  async run(): Promise<ExitCode> {
    const { performOncall } = await import('./oncall/perform.ts');
    const { rotation = null, at = null } = this;
    return performOncall({ rotation, at, ...runOptions(this) }, this.context);
  }
}
