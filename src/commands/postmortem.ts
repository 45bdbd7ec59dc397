/** `statusd postmortem`: drafts a post-mortem from the record, and stores one. */
import { Option } from 'clipanion';
import { characters, limits } from '../engine/operations/limits.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { offlineOption, runOptions } from './run-options.ts';

export class PostmortemCommand extends StatusdCommand {
  static override paths = [['postmortem']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Draft or store the post-mortem of an incident.',
    details: `
      Without a file it prints a Markdown draft from the record: impact, delays of detection and notification,
      timeline, the failed response. With a file (\`-\`: what is piped in) it keeps that text with the incident,
      where everyone who sees the incident reads it; an empty one removes it. Secrets of the configuration are masked.
    `,
    examples: [
      ['Begin one.', '$0 postmortem last > postmortem.md'],
      ['Publish it.', '$0 postmortem last postmortem.md'],
    ],
  });

  static override complete = { incident: ['last'], file: 'file' } as const;
  static override positionals = {
    incident:
      'The number of the incident, its uid, or `last` for the one that `statusd incidents` lists first.',
    file: `The post-mortem to keep, at most ${characters(limits.postmortem)}; \`-\` for standard input.`,
  };
  static override exits = {
    ok: 'Done.',
    usage: 'The file cannot be read, or is too long.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the text.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();
  file = Option.String({ required: false });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performPostmortem } = await import('./postmortem/perform.ts');
    const { incident, file = null, offline: isOffline } = this;
    return performPostmortem({ incident, file, isOffline, ...runOptions(this) }, this.context);
  }
}
