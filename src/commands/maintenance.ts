/** `statusd maintenance`: plans windows in which alerts are muted. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { forceOption, offlineMakes, offlineOption, runOptions } from './run-options.ts';
import { characters, limits } from '../engine/operations/limits.ts';

export class MaintenanceAddCommand extends StatusdCommand {
  static override paths = [['maintenance', 'add']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Plan maintenance.',
    details: `
      During maintenance the monitors are still checked and recorded, but nobody is notified, the status page shows them as
      under maintenance, and the time does not count towards uptime or SLOs. An outage that outlasts the
      maintenance alerts when it ends. The status page announces it 7 days ahead, \`/maintenance.ics\` as soon as it is planned.
      Monitors that depend on a monitor under maintenance are muted with it.

      What it covers has to be named: ids after the title, \`--group\`, or \`all\` for everything. A time without an offset is
      that of \`--timezone\`, else of \`[page] timezone\`, else UTC; one that a daylight-saving change skips is the moment of
      the change, one that comes twice the first. Recurring maintenance belongs in the configuration: \`[[maintenance]]\`
      with a \`schedule\`. The daemon picks a change up within a second.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      ['From now on, for an hour.', "$0 maintenance add 'Database upgrade' db --for 1h"],
      ['Tonight, for a group.', "$0 maintenance add 'New switches' --group Core --at 22:00 --for 2h"],
      [
        'On a day, for everything.',
        "$0 maintenance add 'The data centre moves' all --at 2026-12-01T03:00:00Z --for 90m",
      ],
      [
        'In local time.',
        "$0 maintenance add Upgrade api web --at '2026-12-01 22:00' --timezone Europe/Berlin --for 1h",
      ],
    ],
  });

  static override complete = { ids: 'subject', '--monitor': 'subject', '--group': 'group' } as const;
  static override words = [
    { name: 'title', isRequired: false, isRepeatable: false },
    { name: 'ids', isRequired: false, isRepeatable: true },
  ];
  static override positionals = {
    title: `What readers see; at most ${characters(limits.title)} of it are kept. Without one, and with \`--monitor\` or \`--group\`: Maintenance.`,
    ids: 'The monitors to cover (ids, names or groups; peers by their `listen_id`), separated by spaces or commas, or `all`.',
  };
  static override exits = {
    ok: 'It is planned.',
    usage: `No monitor is named, a time is invalid or over, it lasts longer than ${limits.maintenance}, or the title names what strangers are not shown.`,
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept it.',
    notFound: 'There is no such monitor, peer or group.',
  };

  typed = Option.Rest();
  monitor = Option.Array('--monitor', [], {
    description: 'Cover the monitor `ID` (or its name), or a peer by its `listen_id`; may be repeated.',
  });
  groups = Option.Array('--group', [], {
    description: 'Cover the monitors of group `G`; may be repeated.',
  });
  at = Option.String('--at', {
    description:
      'Start at `T`: RFC 3339, a time (22:00, "2026-12-01 22:00"), or a duration from now. Default: now.',
  });
  timezone = Option.String('--timezone', {
    description: 'Take times for those of the zone `Z`, such as Europe/Berlin.',
  });
  span = Option.String('--for', {
    required: true,
    description: 'Length `D`: numbers with a unit (`m`, `h`, `d`), joined, as in `1h30m`.',
  });
  force = forceOption();
  offline = offlineOption(offlineMakes);

  async run(): Promise<ExitCode> {
    const { performMaintenanceAdd } = await import('./maintenance/perform.ts');
    const { typed, groups, at: start = null, span: duration, timezone = null } = this;
    const [title = '', ...ids] = typed;
    const monitors = [...ids, ...this.monitor];
    const request = { title, monitors, groups, start, duration, end: null, timezone };
    return performMaintenanceAdd(
      { ...request, isForced: this.force, isOffline: this.offline, ...runOptions(this) },
      this.context,
    );
  }
}

export class MaintenanceListCommand extends StatusdCommand {
  static override paths = [['maintenance', 'list'], ['maintenance']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'List maintenance that is planned or under way.',
    details: `
      Shows current and future maintenance: planned by an operator, with its number, and from the configuration, each
      schedule with its next window (\`--json\` has the following ones, too). With \`--json\` it is
      \`{"maintenances":[{id, title, monitors, start, end, state, source}]}\`, each with \`uid\` and \`created_at\` too:
      \`state\` is active or planned, \`source\` operator, config or schedule, and \`["*"]\` stands
      for all monitors.
    `,
    examples: [
      ['What comes?', '$0 maintenance list'],
      [
        'What is under way, for a program.',
        '$0 maintenance list --json | jq \'.maintenances[] | select(.state == "active")\'',
      ],
    ],
  });

  static override exits = {
    ok: 'Done, also when there is none.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performMaintenanceList } = await import('./maintenance/perform.ts');
    return performMaintenanceList(runOptions(this), this.context);
  }
}

export class MaintenanceCancelCommand extends StatusdCommand {
  static override paths = [['maintenance', 'cancel']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Cancel planned maintenance, or end it while it is under way.',
    details: `
      Planned maintenance is removed. Maintenance that is under way ends now and stays in the history; alerts for outages that
      still last are then sent. Without a number it is the only one planned by hand; where there are several, it asks on a
      terminal, and needs numbers or \`--all\` elsewhere. To end a window of the configuration, change the configuration.
    `,
    examples: [
      ['End one; `statusd maintenance list` shows the numbers.', '$0 maintenance cancel 3'],
      ['End all that were planned by hand.', '$0 maintenance cancel --all'],
    ],
  });

  static override positionals = { ids: 'The numbers, separated by spaces or commas. Default: the only one.' };
  static override exits = {
    ok: 'Done, also when there was none.',
    usage: 'No number is given and there are several, or both a number and `--all`.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is none of this number, or it is over.',
  };

  ids = Option.Rest();
  all = Option.Boolean('--all', false, {
    description: 'Cancel all maintenance planned by operators, without asking.',
  });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performMaintenanceCancel } = await import('./maintenance/perform.ts');
    return performMaintenanceCancel(
      { ids: this.ids, isAll: this.all, isOffline: this.offline, ...runOptions(this) },
      this.context,
    );
  }
}
