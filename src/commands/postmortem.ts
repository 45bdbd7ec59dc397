/** `statusd postmortem`: drafts a post-mortem from the record, and stores one. */
import { Option } from 'clipanion';
import { characters, limits } from '../engine/operations/limits.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { forceOption, offlineOption, runOptions } from './run-options.ts';

export class PostmortemCommand extends StatusdCommand {
  static override paths = [['postmortem']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Draft or store the post-mortem of an incident.',
    details: `
      Without a file it prints a Markdown draft from the record, with the eyes of a reader without a token: impact, delay of
      detection, timeline. With \`--internal\` it is for your own people, and has everything on record: reasons, channels,
      notifications, private monitors, the failed response. With a file (\`-\`: what is piped in) it keeps that text with the incident,
      where everyone who sees the incident reads it; an empty one removes it. Secrets of the configuration are masked.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      ['Begin one.', '$0 postmortem last > postmortem.md'],
      ['Look at everything on record.', '$0 postmortem last --internal'],
      ['Publish it.', '$0 postmortem last postmortem.md'],
    ],
  });

  static override complete = { incident: ['last'], file: 'file' } as const;
  static override positionals = {
    incident:
      'The number of the incident, its uid, a monitor for its newest one, or `last` for the root of the newest trouble, ' +
      'which `statusd incidents` lists first.',
    file: `The post-mortem to keep, at most ${characters(limits.postmortem)}; \`-\` for standard input.`,
  };
  static override exits = {
    ok: 'Done.',
    usage: 'The file cannot be read, is too long, or names what strangers are not shown.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the text.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();
  file = Option.String({ required: false });
  internal = Option.Boolean('--internal', false, {
    description: 'Draft from everything on record, for readers who may see everything.',
  });
  force = forceOption();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performPostmortem } = await import('./postmortem/perform.ts');
    const { incident, file = null, offline: isOffline, internal: isInternal, force: isForced } = this;
    return performPostmortem(
      { incident, file, isInternal, isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}
