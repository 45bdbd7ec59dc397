/** `statusd import`: converts the monitors of another program. */
import { Option } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

/** What both imports have in common: where the configuration goes. */
abstract class ImportCommand extends StatusdCommand {
  out = Option.String('--out', {
    description: 'Write to `FILE`; - is standard output. Without it: statusd.toml.',
  });
  force = Option.Boolean('--force', false, { description: 'Replace an existing file.' });
  secrets = Option.String('--secrets', 'env', {
    description: 'Write secrets to `PLACE`: env (statusd.env beside the file, without it) or inline.',
  });

  protected importRun(file: string) {
    const { out = 'statusd.toml', force: isForced, secrets } = this;
    if (secrets !== 'env' && secrets !== 'inline') {
      throw new StatusdError('usage', '--secrets is env or inline', {
        hint: 'env writes ${NAME}, and the values to statusd.env beside the file; inline writes the values into the file.',
      });
    }
    return { file, out, isForced, isInline: secrets === 'inline', ...runOptions(this) };
  }

  protected refuseConfig(): void {
    if (this.configFile === undefined) return;
    throw new StatusdError('usage', 'import reads no configuration', {
      hint: 'Name the file to write with --out.',
    });
  }
}

const exits = {
  ok: 'The configuration was written, even if not everything could be converted.',
  wrong: 'The file contains nothing that statusd can monitor; no file was written.',
  usage:
    'The file is not one of the other program, is damaged or cannot be read, or the output file exists already.',
} as const;

export class ImportKumaCommand extends ImportCommand {
  static override paths = [['import', 'kuma']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Write a configuration from the database of Uptime Kuma.',
    details: `
      Reads \`kuma.db\` of Uptime Kuma 1 or 2, or the JSON that version 1 exported as a backup, and writes a
      configuration that loads. Settings that could not be converted exactly have a comment, and the report lists
      everything as exact, approximated or dropped, with the reasons. Stop Uptime Kuma first, or copy its database
      with \`sqlite3 kuma.db ".backup copy.db"\`. An installation with MariaDB cannot be read.

      Monitors of the types http, keyword, json-query, port, ping, dns and push come over, with groups, tags (as
      comments), retries, intervals, headers and logins; pinned notices; notifications by Telegram, Discord, Slack, Matrix, ntfy,
      Gotify, Pushover, email, Free Mobile, Teams, PagerDuty, Mattermost, Rocket.Chat, Google Chat, Signal, Twilio, Home
      Assistant and webhook, with which monitor notifies which, and how often they are reminded; maintenance, single or
      on a schedule. Paused monitors are in the file as comments.

      Secrets go to \`statusd.env\` beside the file (mode 0600), which statusd reads; the file has \`\${STATUSD_...}\` in
      their place, and the report lists the variables and where in Uptime Kuma each value was found. \`--secrets inline\`
      writes the values into the file itself.

      With \`--history\` no configuration is written: the history of the last year is imported into the database of the
      existing configuration. Daily uptime is imported for days that statusd has not measured itself; outages that ended
      before statusd began to monitor become incidents, the last 1000 of each monitor; nobody is notified about them. The
      import can be repeated and may run while the daemon runs. A missing database is created, so the history can be
      imported before the first start. Monitors are matched by the id that the import gives them, else by name.
    `,
    examples: [
      ['Write `statusd.toml`.', '$0 import kuma /opt/uptime-kuma/data/kuma.db'],
      ['Print the result without writing it.', '$0 import kuma --out - kuma.db'],
      [
        'What was dropped?',
        '$0 import kuma --json kuma.db | jq \'.items[] | select(.outcome == "dropped")\'',
      ],
      ['Then import the history, too.', '$0 import kuma --history kuma.db'],
    ],
  });

  static override complete = { '--out': 'file', '--secrets': ['env', 'inline'], file: 'file' } as const;
  static override positionals = { file: 'The `kuma.db`, or the backup.' };
  static override exits = {
    ...exits,
    config: 'With `--history`: the configuration is missing or invalid.',
    store: 'With `--history`: the database cannot be used, or the disk does not accept the history.',
  };

  history = Option.Boolean('--history', false, {
    description: 'Import a year of daily uptime and incidents into the database instead.',
  });
  file = Option.String();

  async run(): Promise<ExitCode> {
    if (this.history) {
      if (this.out !== undefined || this.force) {
        throw new StatusdError('usage', '--history writes no configuration', {
          hint: 'Import the configuration first, then run it again with --history alone.',
        });
      }
      const { performKumaHistory } = await import('./import/kuma/perform-history.ts');
      return performKumaHistory({ file: this.file, ...runOptions(this) }, this.context);
    }
    this.refuseConfig();
    const { performKumaImport } = await import('./import/kuma/perform.ts');
    return performKumaImport(this.importRun(this.file), this.context);
  }
}

export class ImportGatusCommand extends ImportCommand {
  static override paths = [['import', 'gatus']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Write a configuration from the YAML of Gatus.',
    details: `
      Reads a configuration file of Gatus and writes one that loads. Settings that could not be converted exactly have a comment, and the report lists everything as exact, approximated or dropped, with the reasons. Of a folder,
      the files that end in .yaml or .yml are read and merged as Gatus merges those of \`GATUS_CONFIG_PATH\`; the
      report then names the file.

      Endpoints over http, tcp, icmp, dns, starttls and tls come over; conditions on the status, the body and the
      connection exactly where statusd has a setting for them, those on the response time and on expiry as warnings;
      external endpoints become push monitors; alerts by Slack, Discord, Telegram, ntfy, Gotify, Pushover, email,
      Matrix, Teams, PagerDuty, Mattermost, Rocket.Chat, Google Chat, Zulip, Signal, Twilio and Alertmanager become channels,
      a custom one a webhook; the interval of reminders of an endpoint becomes that of its monitor; maintenance becomes
      schedules. References to environment variables stay references.

      Secrets in the YAML go to \`statusd.env\` beside the file (mode 0600), which statusd reads; the file has
      \`\${STATUSD_...}\` in their place, and the report lists the variables and where each value was found.
      \`--secrets inline\` writes the values into the file itself.
    `,
    examples: [
      ['Write `statusd.toml`.', '$0 import gatus config.yaml'],
      ['Print the result without writing it.', '$0 import gatus --out - config.yaml'],
      ['Convert a folder of files.', '$0 import gatus /etc/gatus/'],
    ],
  });

  static override complete = { '--out': 'file', '--secrets': ['env', 'inline'], file: 'file' } as const;
  static override positionals = { file: 'The configuration of Gatus, or the folder it is in.' };
  static override exits = exits;

  file = Option.String();

  async run(): Promise<ExitCode> {
    this.refuseConfig();
    const { performGatusImport } = await import('./import/gatus/perform.ts');
    return performGatusImport(this.importRun(this.file), this.context);
  }
}

export class ImportHoraCommand extends StatusdCommand {
  static override paths = [['import', 'hora']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Import the history that Hora recorded.',
    details: `
      Reads the SQLite database of Hora 0.1 to 0.11 and brings the past of the last year into the database of the
      configuration that is there. The configuration of Hora itself needs no import: statusd loads it as it is, and warns
      of the settings it does not have (\`release\` and \`notify_unconfirmed\`). It names the database of Hora, so give
      statusd one of its own with \`$STATUSD_DATABASE\`; what was \`$HORA_EXEC_DIR\` is \`$STATUSD_EXEC_DIR\`.

      Daily uptime comes over for the days that statusd has not measured itself, and outages that ended before it began to
      watch as incidents, with their reason, note, cause and what they impacted, of each monitor the last 1000; nobody is
      notified about them. Monitors are found by their id. It can be repeated and may run beside the daemon. A database
      that is not there yet is made, so that the past can come before the first start.

      Latencies, snapshots, announcements, silences, event markers, producer alerts and the heartbeats of peers stay
      behind; the report counts what there is of them. Stop Hora first, or make a copy with \`hora backup copy.db\`.
    `,
    examples: [
      [
        'Run with the configuration of Hora, and its past.',
        'STATUSD_DATABASE=statusd.db $0 import hora -c config.toml hora.db',
      ],
      ['What came over of each monitor?', "$0 import hora --json hora.db | jq '.monitors[]'"],
    ],
  });

  static override complete = { file: 'file' } as const;
  static override positionals = { file: 'The `hora.db`, or a copy of it.' };
  static override exits = {
    ok: 'What could be taken over is in the database.',
    wrong: 'No monitor of the file is in the configuration.',
    usage: 'The file is none of Hora, is damaged or cannot be read.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the history.',
  } as const;

  file = Option.String();

  async run(): Promise<ExitCode> {
    const { performHoraImport } = await import('./import/hora/perform.ts');
    return performHoraImport({ file: this.file, ...runOptions(this) }, this.context);
  }
}
