/** `statusd top`: shows all monitors, live. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class TopCommand extends StatusdCommand {
  static override paths = [['top']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Show all monitors, live.',
    details: `
      The state of the page, who checks and when, and the alerts of a day; open incidents by their root cause, with what
      they took along, who was alerted and who has acknowledged; then the monitors, the worst first, what fails because
      of another one below it: for how long, uptime, what is left of the error budget, the last 30 checks, the latency
      of 24 hours on a scale that all share, 90 days, several to a mark where it takes that. What does not fit the width
      is left out. \`NO DAEMON\` means that nobody checks.

      Enter shows everything about a monitor, beside the table from 160 columns on: its latency of 1 hour to 90 days,
      incidents with their updates, channels, why it alerted or did not. \`?\` lists the keys: filter, sort, fold groups,
      silence and end it, acknowledge and withdraw it, update an incident, pin a banner and end it, annotate, check a
      monitor now, copy an id or a curl command. An acknowledgement has the name of who is logged in; another one is
      typed before the reason: \`@ann restarting it\`.

      The wheel moves the cursor, a click puts it on a row, another one opens it; with Shift the terminal selects text
      as ever. Where the table leaves room, what happened lately and what was sent stands below it.

      It reads the database of the configuration and follows its changes. With \`--url\` it reads that server's API
      instead, with the token in \`$STATUSD_TOKEN\` or in the file of \`--token-file\`; without a token it shows what
      everybody sees.

      Without a terminal it prints the table once, as wide as \`$COLUMNS\` says (160). \`--plain\` has a line a monitor and no table, for screen readers;
      on a terminal it then prints what changes. \`--json\` prints the summary as \`GET /api/summary\` gives it.
    `,
    examples: [
      ['Watch the monitors of this configuration.', '$0 top'],
      ['Watch another server.', '$0 top --url https://status.example.com --token-file ~/.statusd-token'],
      ['How is it right now?', '$0 top --once'],
      ['Only what is not up, a line each.', '$0 top --once --plain --quiet'],
    ],
  });

  static override complete = { '--token-file': 'file' } as const;
  static override exits = {
    ok: 'Done, however the monitors are.',
    usage: 'The interval or the address cannot be read.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the server cannot be reached.',
    refused: 'The server does not accept the token.',
  };

  url = Option.String('--url', { description: 'Read the server at `URL` instead of the local database.' });
  tokenFile = Option.String('--token-file', { description: 'Take the access token from `FILE`.' });
  interval = Option.String('--interval', {
    description: 'Read again every `N` seconds (5); less often where that takes over 1 % of a processor.',
  });
  once = Option.Boolean('--once', false, { description: 'Print the table once.' });
  plain = Option.Boolean('--plain', false, { description: 'Print a line a monitor, and no table.' });

  async run(): Promise<ExitCode> {
    const { performTop } = await import('./top/perform.ts');
    const { url = null, tokenFile = null, interval = '5', once: isOnce, plain: isPlain } = this;
    return performTop({ url, tokenFile, interval, isOnce, isPlain, ...runOptions(this) }, this.context);
  }
}
