/** `statusd announce`: pins a banner to the status page. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { forceOption, offlineMakes, offlineOption, runOptions } from './run-options.ts';
import { characters, limits } from '../engine/operations/limits.ts';

export class AnnounceCommand extends StatusdCommand {
  static override paths = [['announce']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Pin a banner to the status page.',
    details: `
      The banner is shown on the status page and on the pages of the groups, for everyone who may see them, within a
      second. It is not tied to a monitor and notifies nobody. Several banners can be shown side by side.

      Several words without quotes are one title: \`statusd announce Fibre incident\`. A quoted title may be followed
      by the words of the body, a title of one word by a quoted body.

      \`--until\` takes how long it is shown, or a time of day in UTC: its next occurrence. Without it the
      banner is shown until \`statusd announce clear\`. \`statusd announce list\` lists the banners.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      [
        'Announce planned work.',
        "$0 announce 'Maintenance tonight' 'Logins pause at 22:00 UTC.' --until '22:30 UTC'",
      ],
      ['Announce an outage.', "$0 announce 'Payments fail' --severity critical"],
      [
        'Announce the end, for the rest of the day.',
        "$0 announce 'Payments work again' --severity resolved --until 8h",
      ],
    ],
  });

  static override complete = { '--severity': ['info', 'warning', 'critical', 'resolved'] } as const;
  static override positionals = {
    title: `The headline; at most ${characters(limits.title)} of it are kept.`,
    body: `What there is to say; at most ${characters(limits.body)} of it are kept.`,
  };
  static override exits = {
    ok: 'The banner is stored.',
    usage:
      'The title is empty, the severity is unknown, the end is neither a duration nor a time, or the text names what strangers are not shown.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the banner.',
  };

  title = Option.String();
  body = Option.Rest();
  severity = Option.String('--severity', {
    description: 'Show it as `SEVERITY`: info (the default), warning, critical or resolved.',
  });
  until = Option.String('--until', {
    description: 'Remove it after a duration, or at a time in UTC: `END`.',
  });
  force = forceOption();
  offline = offlineOption(offlineMakes);

  async run(): Promise<ExitCode> {
    const { performAnnounce } = await import('./announce/perform.ts');
    const { severity = 'info', until = null, offline: isOffline, force: isForced } = this;
    const { refuseSlip } = await import('./subcommand-slip.ts');
    refuseSlip('announce', [this.title, ...this.body]);
    const { title, body } = titleAndBody(this.title, this.body);
    return performAnnounce(
      { title, body, severity, until, isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}

/** A quoted word has a space in it: it is a title, or a body that follows a title of one word. All else is one title. */
function titleAndBody(first: string, others: readonly string[]): { title: string; body: string } {
  const isBodyGiven = first.includes(' ') || (others.length === 1 && others[0]?.includes(' ') === true);
  return isBodyGiven
    ? { title: first, body: others.join(' ') }
    : { title: [first, ...others].join(' '), body: '' };
}

export class AnnounceListCommand extends StatusdCommand {
  static override paths = [['announce', 'list'], ['announce']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'List the active banners.',
    details: `
      Shows every active banner: its number, severity, end and text. With \`--json\` it is
      \`{"announcements":[{id, title, body, severity, until, created_at}]}\`. The notices of the configuration
      (\`[[incidents]]\`) are not among them.
    `,
    examples: [
      ['List the banners on the page.', '$0 announce list'],
      ['The same for a program.', "$0 announce list --json | jq -r '.announcements[].title'"],
    ],
  });

  static override exits = {
    ok: 'Done, also when there is none.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performAnnounceList } = await import('./announce/perform.ts');
    return performAnnounceList(runOptions(this), this.context);
  }
}

export class AnnounceClearCommand extends StatusdCommand {
  static override paths = [['announce', 'clear']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Remove banners.',
    details: `
      Removes the banners of these numbers, or every banner where none is named; on a terminal it asks first where there are
      several, unless \`--all\` says so. The page follows within a second.
    `,
    examples: [
      ['Remove a banner; `statusd announce list` shows the numbers.', '$0 announce clear 3'],
      ['Take all down.', '$0 announce clear'],
    ],
  });

  static override positionals = {
    ids: 'The numbers of the banners, separated by spaces or commas. Default: all.',
  };
  static override exits = {
    ok: 'Done, also when there was no banner or the answer was no.',
    usage: 'Both a number and `--all` are given, or a number is empty.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is no such banner.',
  };

  ids = Option.Rest();
  all = Option.Boolean('--all', false, { description: 'Remove every banner without asking.' });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performAnnounceClear } = await import('./announce/perform.ts');
    return performAnnounceClear(
      { ids: this.ids, isAll: this.all, isOffline: this.offline, ...runOptions(this) },
      this.context,
    );
  }
}
