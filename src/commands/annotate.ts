/** `statusd annotate`: puts the operator's note on an incident. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { forceOption, offlineOption, runOptions } from './run-options.ts';
import { characters, limits } from '../engine/operations/limits.ts';

export class AnnotateCommand extends StatusdCommand {
  static override paths = [['annotate']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Put a note on an incident.',
    details: `
      The note explains the cause and the remedy. It replaces the previous note; an empty note clears it. Notes of
      public monitors are public: they are in the history and in the feed, visible without a token; the command warns
      about that.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      ['Explain the last incident.', "$0 annotate last 'the provider lost a rack'"],
      [
        'Explain another one; `statusd incidents` shows the numbers.',
        "$0 annotate 12 'expired certificate, renewed'",
      ],
      ['Clear a note.', "$0 annotate 12 ''"],
    ],
  });

  static override complete = { incident: ['last'] } as const;
  static override positionals = {
    incident:
      'The number of the incident, its uid, a monitor for its newest one, or `last` for the root of the newest trouble, ' +
      'which `statusd incidents` lists first.',
    note: `What to say; at most ${characters(limits.note)} of it are kept. Empty: no note.`,
  };
  static override exits = {
    ok: 'The note is stored.',
    usage: 'The note names what strangers are not shown.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the note.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();
  note = Option.Rest({ required: 1 });
  force = forceOption();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performAnnotate } = await import('./annotate/perform.ts');
    const { incident, note, offline: isOffline, force: isForced } = this;
    return performAnnotate(
      { incident, note: note.join(' '), isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}
