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
      Shows the overall status, the state of the daemon and the alerts of the last day; open incidents by root cause, with
      the impacted monitors, the channels alerted and who acknowledged; then the monitors, worst first, each impacted one
      below its cause: duration, uptime, remaining error budget, the last 30 checks, the latency of 24 hours on a common
      scale, and 90 days, several per mark if necessary. Columns that do not fit are left out. \`NO DAEMON\` means that no
      daemon is running and nothing is checked.

      Enter shows everything about a monitor, beside the table from 160 columns on: its latency of 1 hour to 90 days,
      incidents with their updates, channels, why it alerted or did not. \`?\` lists the keys: filter, sort, fold groups,
      silence and end it, acknowledge and withdraw it, update an incident, pin a banner and end it, annotate, check a
      monitor now, copy an id or a curl command. An acknowledgement carries the name of the logged-in user; type
      another name before the reason: \`@ann restarting it\`.

      The wheel moves the cursor, a click selects a row, a second click opens it; with Shift the terminal selects text
      as usual. If there is room below the table, recent events and messages are shown there.

      It reads the database of the configuration and follows its changes. With \`--url\` it reads that server's API
      instead, with the token in \`$STATUSD_TOKEN\` or in the file of \`--token-file\`; without a token it shows the
      public view.

      Without a terminal it prints the table once, \`$COLUMNS\` wide (default 160). \`--plain\` prints one line per monitor instead of a table, for screen
      readers; on a terminal it then prints changes. \`--json\` prints the summary as \`GET /api/summary\` gives it.
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
  tokenFile = Option.String('--token-file', { description: 'Read the access token from `FILE`.' });
  interval = Option.String('--interval', {
    description: 'Read again every `N` seconds (5); less often if that takes over 1 % of a processor.',
  });
  once = Option.Boolean('--once', false, { description: 'Print the table once.' });
  plain = Option.Boolean('--plain', false, { description: 'Print one line per monitor instead of a table.' });

  async run(): Promise<ExitCode> {
    const { performTop } = await import('./top/perform.ts');
    const { url = null, tokenFile = null, interval = '5', once: isOnce, plain: isPlain } = this;
    return performTop({ url, tokenFile, interval, isOnce, isPlain, ...runOptions(this) }, this.context);
  }
}
