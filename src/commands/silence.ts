/** `statusd silence`: mutes alerts for a while. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { offlineMakes, offlineOption, runOptions } from './run-options.ts';
import { characters, limits } from '../engine/operations/limits.ts';

export class SilenceCommand extends StatusdCommand {
  static override paths = [['silence']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Silence the alerts of some monitors for a while.',
    details: `
      The monitors are still checked and recorded; only messages are held back: about outages and recoveries,
      expiring certificates, error budgets. Monitors that depend on a silenced one are silenced with it. The
      daemon picks up a silence within a second; without a running daemon it takes effect at the next start, and
      the command says so. A missing database is created only with \`--offline\`.

      When the silence ends, a monitor that is still down and was not alerted on is alerted on then, and one that was
      alerted on before and recovered meanwhile gets its recovery. An outage that began and ended inside
      notifies nobody;
      it is in the record.

      Several silences may overlap. A silence lasts ${limits.silence} at most: what is known to take longer is a
      \`[[maintenance]]\` window. \`statusd silence list\` lists silences, \`statusd silence clear\` ends them.
    `,
    examples: [
      ['Deploy the API in peace.', "$0 silence api 30m 'deploying 2.4'"],
      ['Silence two monitors for an hour and a half.', '$0 silence api website 1h30m'],
      ['Silence the monitors of a group.', '$0 silence --group Backend 1h'],
      ['Silence everything.', "$0 silence all 2h 'the data centre moves'"],
    ],
  });

  static override complete = { ids: 'subject', '--group': 'group' } as const;
  static override words = [
    { name: 'ids', isRequired: false, isRepeatable: true },
    { name: 'duration', isRequired: true, isRepeatable: false },
    { name: 'reason', isRequired: false, isRepeatable: true },
  ];
  static override positionals = {
    ids:
      'The monitors to silence (ids, names or groups; peers by their `listen_id`), separated by spaces or commas, or the ' +
      'word `all`. ' +
      'None is needed with `--group`. A monitor that is called `all` is named by `all,all`.',
    duration: 'How long: numbers with a unit (`s`, `m`, `h`, `d`), joined, as in `90s` or `1h30m`.',
    reason: `Why, for the list; at most ${characters(limits.reason)} of it are kept.`,
  };
  static override exits = {
    ok: 'The silence is stored.',
    usage: `The duration is invalid, or longer than ${limits.silence}.`,
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the silence.',
    notFound: 'There is no such monitor or peer.',
  };

  typed = Option.Rest({ required: 1 });
  groups = Option.Array('--group', [], {
    description: 'Silence the monitors of group `G`; may be repeated.',
  });
  offline = offlineOption(offlineMakes);

  async run(): Promise<ExitCode> {
    const { performSilence, typedSilence } = await import('./silence/perform.ts');
    const { typed, groups, offline: isOffline } = this;
    return performSilence({ ...typedSilence(typed), groups, isOffline, ...runOptions(this) }, this.context);
  }
}

export class SilenceListCommand extends StatusdCommand {
  static override paths = [['silence', 'list'], ['silence']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'List the active silences.',
    details: `
      Shows every silence that is not over: its number, what it mutes, until when, and why. With \`--json\` it is
      \`{"silences":[{id, monitors, until, reason, created_at}]}\`, where \`["*"]\` stands for all monitors.
    `,
    examples: [
      ['What is muted right now?', '$0 silence list'],
      ['The same for a program.', "$0 silence list --json | jq '.silences[].until'"],
    ],
  });

  static override exits = {
    ok: 'Done, also when there is none.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performSilenceList } = await import('./silence/perform.ts');
    return performSilenceList(runOptions(this), this.context);
  }
}

export class SilenceClearCommand extends StatusdCommand {
  static override paths = [['silence', 'clear']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'End silences.',
    details: `
      Ends the silences of these numbers, or every silence where none is named; on a terminal it asks first where there are
      several, unless \`--all\` says so. The daemon notices within a second, and sends what was held back and is still true.
    `,
    examples: [
      ['End one; `statusd silence list` shows the numbers.', '$0 silence clear 3'],
      ['End all.', '$0 silence clear'],
    ],
  });

  static override positionals = {
    ids: 'The numbers of the silences, separated by spaces or commas. Default: all.',
  };
  static override exits = {
    ok: 'Done, also when there was none to end or the answer was no.',
    usage: 'Both a number and `--all` are given, or a number is empty.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is no such silence.',
  };

  ids = Option.Rest();
  all = Option.Boolean('--all', false, { description: 'End every silence without asking.' });
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performSilenceClear } = await import('./silence/perform.ts');
    return performSilenceClear(
      { ids: this.ids, isAll: this.all, isOffline: this.offline, ...runOptions(this) },
      this.context,
    );
  }
}
