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
      Runs in the foreground until SIGTERM or SIGINT stops it: within five seconds, losing nothing that was
      acknowledged. A second signal stops it at once. It creates the database on its first start; a second
      daemon on the same database exits with 4. It also starts on a full or read-only disk: then it checks and
      alerts from memory, reports that in the log and in \`/healthz\`, and writes everything once the disk
      recovers. When that lasts as long as \`alerts.group_window_secs\` (at least 5 s, and
      \`storage.lease_secs\`), \`storage_failing\` is sent.

      The configuration is reloaded on SIGHUP and when the file, or a file with a secret that it names, changes.
      It is applied as a whole: unchanged monitors are not disturbed, and a file with an error changes nothing
      and is reported in the log. \`server.bind\`, \`server.database_path\`, \`[storage]\`, \`[node]\` and the
      rate limit need a restart, and the log says so; a new user, password or parameter of \`storage.url\` does not.

      With \`[storage]\` several daemons share a database: one leads, and the others stand by, serve its pages,
      and take over when it fails. If the database cannot be reached at the start, the daemon waits for it.

      The log goes to standard output: lines for people on a terminal, and elsewhere one JSON object a line with
      \`time\`, \`level\` (info, warning, error), \`event\`, \`message\` and fields of the event.

      With \`server.auth_token\`, \`/metrics\` counts alerting: \`statusd_notifications_total\` (channel, outcome),
      \`statusd_alert_decisions_total\` (decision: queued, held, sent, suppressed or failed; reason),
      \`statusd_alerts_suppressed_total\` (reason), \`statusd_alerts_escalated_total\` (reason: escalated,
      handed_over or
      last_resort: what a step of an escalation or a turn of a rotation added to an outage that was open) and
      \`statusd_incidents_open\` (acknowledged). \`statusd explain\` describes the reasons.

      Where nodes share the checks, it also counts \`statusd_node_checks_total\` (node; outcome: result,
      no_reply, busy, stalled
      or unknown_monitor) and \`statusd_node_fallback_checks_total\`, which the leader made because no other
      node could; \`statusd_node_left_out\` (node) is 1 for a node that is present but makes no checks.

      Under systemd with \`Type=notify\` it reports when it is ready, reloads and stops, and feeds the watchdog
      while its schedule makes progress. It does so through \`systemd-notify\`, so the unit needs
      \`NotifyAccess=all\`.
    `,
    examples: [
      ['Run it with the configuration in this folder.', '$0 serve'],
      ['Write a log for machines.', '$0 serve --log-format json > statusd.log'],
      ['Listen on every address.', 'STATUSD_BIND=0.0.0.0:8787 $0 serve'],
    ],
  });

  static override isDaemon = true;
  static override isEndless = true;
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
