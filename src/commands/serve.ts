/** `statusd serve`: checks, alerts and serves the page until it is stopped. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { logFormats, readLogFormat } from './serve/log-format.ts';

export class ServeCommand extends StatusdCommand {
  static override paths = [['serve']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Run the monitors, send alerts and serve the status page.',
    details: `
      Runs in the foreground until SIGTERM or SIGINT ends it: within five seconds, with nothing lost that was
      acknowledged. A second signal ends it at once. It makes the database on its first start; of two daemons on
      one database the second ends with 4. On a disk that is full or read-only it starts all the same: it checks and
      alerts from memory, says so in the log and in \`/healthz\`, and writes everything once the disk takes it. When it
      lasts as long as \`alerts.group_window_secs\` (at least 5 s, and \`storage.lease_secs\`), \`storage_failing\` is sent.

      The configuration is read again on SIGHUP and when the file, or a file with a secret that it names,
      changes. It is swapped whole: monitors that did not change run on undisturbed, and a file with an error
      changes nothing and is reported in the log. \`server.bind\`, \`server.database_path\`, \`[storage]\`, \`[node]\` and
      the rate limit need a restart, and a reload says so.

      With \`[storage]\` several daemons share a database: one leads, and the others stand by, serve its pages, and take
      over when it is gone. A database that cannot be reached at the start is waited for.

      The log goes to standard output: lines for people on a terminal, and elsewhere one JSON object a line with
      \`time\`, \`level\` (info, warning, error), \`event\`, \`message\` and what belongs to the event.

      Of alerting \`/metrics\` counts, with \`server.auth_token\`: \`statusd_notifications_total\` (channel, outcome),
      \`statusd_alert_decisions_total\` (decision: queued, held, sent, suppressed or failed; reason),
      \`statusd_alerts_suppressed_total\` (reason), \`statusd_alerts_escalated_total\` (reason: escalated, handed_over or
      last_resort: what a step of an escalation or a turn of a rotation added to an outage that was open) and
      \`statusd_incidents_open\` (acknowledged). \`statusd explain\` says the reasons in words.

      Where nodes share the checks, it counts \`statusd_node_checks_total\` (node; outcome: result, no_reply, busy, stalled
      or unknown_monitor) and \`statusd_node_fallback_checks_total\`, which the node that leads made because no other one
      could; \`statusd_node_left_out\` (node) is 1 for one that is there and makes no checks.

      Started by systemd with \`Type=notify\` it says when it is ready, reloads and stops, and feeds the watchdog
      while its schedule makes progress. It does so through \`systemd-notify\`, so the unit needs
      \`NotifyAccess=all\`.
    `,
    examples: [
      ['Run it on the configuration of this folder.', '$0 serve'],
      ['Keep a log for machines.', '$0 serve --log-format json > statusd.log'],
      ['Listen on every address.', 'STATUSD_BIND=0.0.0.0:8787 $0 serve'],
    ],
  });

  static override complete = { '--log-format': logFormats } as const;
  static override exits = {
    ok: 'It was stopped by a signal.',
    wrong: 'Something unexpected went wrong; the log says what.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or another daemon uses it; the address cannot be listened on.',
  };

  logFormat = Option.String('--log-format', {
    description: 'Write the log as `FORMAT`: auto, text or json.',
  });

  async run(): Promise<ExitCode> {
    const { performServe } = await import('./serve/perform.ts');
    const { loadSqliteAhead } = await import('../db/store/sql.ts');
    // After what it loads: under flags of V8 that were set, Node compiles its own modules instead of taking them compiled.
    loadSqliteAhead();
    const options = {
      format: readLogFormat(this.logFormat, { isJson: this.json }),
      configFile: this.configFile ?? null,
      isQuiet: this.quiet,
      isColourRefused: this.noColor,
      isDebug: this.debug,
    };
    return performServe(options, this.context);
  }
}
