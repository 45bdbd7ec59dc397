/** `statusd check`: probes every monitor once and prints the results. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { expectShortRun } from './run-options.ts';

export class CheckCommand extends StatusdCommand {
  static override paths = [['check']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Check the configuration, then probe every monitor once.',
    details: `
      Probes every monitor of the configuration once, with its retries, and exits with 1 if any is down. With
      ids or \`--group\`, only those are probed. Nothing is stored and
      nobody is notified: it is safe to run beside the daemon, in a pipeline or from cron.

      A monitor that is not up shows what it answered and, where there is one, the curl command that asks the
      same. Push monitors wait for heartbeats instead of being probed: they are reported as skipped. A check
      that this host cannot make (no \`ping\`, no name server) is unknown: it is reported on stderr, and
      fails the run only with \`--fail-on degraded\`.

      \`--format nagios\` prints the one line of a Nagios plugin and exits with its codes, whatever
      \`--fail-on\` says: 0 all up, 1
      degraded, 2 down, 3 unknown, also for an invalid configuration or command line.
    `,
    examples: [
      ['Probe everything.', '$0 check'],
      ['Probe two monitors and one group.', '$0 check api website --group Backend'],
      ['Check the configuration only.', '$0 check --config-only'],
      ['The same in a pipeline, where warnings fail, too.', '$0 check --config-only --strict'],
      ['Annotate the configuration in a pull request.', '$0 check --config-only --format github'],
      ['List what is down.', `$0 check --json | jq -r '.results[] | select(.status == "down").id'`],
    ],
  });

  static override complete = {
    ids: 'monitor',
    '--group': 'group',
    '--format': ['human', 'json', 'ndjson', 'junit', 'tap', 'github', 'nagios'],
    '--fail-on': ['down', 'degraded', 'never'],
  } as const;
  static override positionals = { ids: 'The monitors to probe: ids, names or groups; all by default.' };
  static override exits = {
    ok: 'Nothing that `--fail-on` names was found.',
    wrong: 'A monitor is down, or degraded with `--fail-on degraded`.',
    config: 'The configuration is missing or invalid, or has warnings with `--strict`.',
    notFound: 'There is no such monitor or group.',
    interrupted: 'Interrupted; what was known by then is printed.',
  };

  ids = Option.Rest();
  group = Option.Array('--group', [], { description: 'Probe the monitors of group `G`; may be repeated.' });
  configOnly = Option.Boolean('--config-only', false, {
    description: 'Check the configuration and probe nothing.',
  });
  strict = Option.Boolean('--strict', false, {
    description: 'Treat warnings about the configuration as errors.',
  });
  format = Option.String('--format', {
    description: 'Print `FORMAT`: human, json, ndjson, junit, tap, github or nagios.',
  });
  failOn = Option.String('--fail-on', {
    description: 'End with 1 from `LEVEL` on: down (the default), degraded or never.',
  });
  concurrency = Option.String('--concurrency', { description: 'Probe at most `N` monitors at once (64).' });

  async run(): Promise<ExitCode> {
    const { readOptions } = await import('./check/options.ts');
    const options = readOptions({
      ids: this.ids,
      groups: this.group,
      format: this.format,
      failOn: this.failOn,
      concurrency: this.concurrency,
      configFile: this.configFile,
      isConfigOnly: this.configOnly,
      isStrict: this.strict,
      isJson: this.json,
      isQuiet: this.quiet,
      isColourRefused: this.noColor,
    });
    const { performCheck } = await import('./check/perform.ts');
    expectShortRun();
    return performCheck(options, this.context);
  }
}
