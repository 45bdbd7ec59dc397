/** `statusd incidents`: lists and shows incidents, and opens, updates and resolves those of the operator. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { incidentImpacts, incidentStates } from '../engine/core/record.ts';
import { incidentDefaults } from '../engine/operations/incident.ts';
import { characters, limits } from '../engine/operations/limits.ts';
import { expectShortRun, forceOption, offlineMakes, offlineOption, runOptions } from './run-options.ts';

export class IncidentsCommand extends StatusdCommand {
  static override paths = [['incidents'], ['incidents', 'list']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'List the last incidents.',
    details: `
      Lists incidents, newest first: number, monitor, start and end, duration, reason, the status line of the response,
      and the operator's note. Times are UTC. On a wide terminal and in a pipe each incident is one line. Incidents
      opened by an operator are included, with their title.

      With \`--json\` it is \`{"incidents":[...]}\`, each as \`GET /api/incidents\` gives it to an authenticated
      viewer.
    `,
    examples: [
      ['What happened lately?', '$0 incidents'],
      ['What is down right now?', '$0 incidents --open'],
      ['The last five of one monitor.', '$0 incidents 5 --monitor api'],
      ['Add up the seconds.', "$0 incidents --json --limit 200 | jq '[.incidents[].duration_secs] | add'"],
    ],
  });

  static override complete = { '--monitor': 'monitor' } as const;
  static override positionals = { count: 'The same as `--limit`.' };
  static override exits = {
    ok: 'Done, also when there is none, and when one is open.',
    usage: 'The limit is not a number from 1 to 1000.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such monitor, now or in the record.',
  };

  count = Option.String({ required: false });
  limit = Option.String('--limit', { description: 'Show at most `N` incidents (20).' });
  monitor = Option.String('--monitor', { description: 'Only incidents of the monitor `ID` (or its name).' });
  open = Option.Boolean('--open', false, { description: 'Only open incidents.' });

  async run(): Promise<ExitCode> {
    const { performIncidents } = await import('./incidents/perform.ts');
    expectShortRun();
    const { count = '20', limit = count, monitor = null, open: isOpen } = this;
    return performIncidents({ limit, monitor, isOpen, ...runOptions(this) }, this.context);
  }
}

const incidentName =
  'The number of the incident, its uid, a monitor for its newest one, or `last` for the root of the newest trouble, ' +
  'which `statusd incidents` lists first.';

export class IncidentsOpenCommand extends StatusdCommand {
  static override paths = [['incidents', 'open']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Open an incident by hand.',
    details: `
      For problems that no monitor detects. The incident appears on the status page, in the history and in the feed within a
      second, and stays until \`statusd incidents resolve\`. It concerns the named monitors, or everything; readers who
      may see none of these monitors do not see it. It does not affect uptime and sends no alert; an incident opened
      over HTTP with \`notify\` sends its updates to the channels that received the first message.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      ['Say what customers report.', "$0 incidents open 'Checkout is slow' 'We are looking into it.'"],
      [
        'Say what it is about, and how bad it is.',
        "$0 incidents open 'Payments fail' --monitor api --monitor web --impact major",
      ],
    ],
  });

  static override complete = {
    '--monitor': 'monitor',
    '--impact': incidentImpacts,
    '--state': incidentStates,
  } as const;
  static override positionals = {
    title: `The headline; at most ${characters(limits.title)} of it are kept.`,
    message: `What is known so far; at most ${characters(limits.message)} of it are kept.`,
  };
  static override exits = {
    ok: 'The incident is stored.',
    usage:
      'The title is empty, there is no such impact or state, or a text names what strangers are not shown.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the incident.',
    notFound: 'There is no such monitor.',
  };

  title = Option.String();
  message = Option.String({ required: false });
  monitor = Option.Array('--monitor', [], {
    description: 'Concern the monitor `ID` (or its name); may be repeated.',
  });
  impact = Option.String('--impact', {
    description:
      'Impact of the incident: `IMPACT` is degraded (the default), partial, major, maintenance or none.',
  });
  state = Option.String('--state', {
    description:
      'State of the incident: `STATE` is investigating (the default), identified, monitoring or resolved.',
  });
  noMail = Option.Boolean('--no-mail', false, {
    description: 'Send no mail about it to subscribers.',
  });
  force = forceOption();
  offline = offlineOption(offlineMakes);

  async run(): Promise<ExitCode> {
    const { performOpen } = await import('./incidents/operate.ts');
    const {
      title,
      message = '',
      monitor: monitors,
      offline: isOffline,
      noMail: isUnmailed,
      force: isForced,
    } = this;
    const { impact = incidentDefaults.impact, state = incidentDefaults.state } = this;
    return performOpen(
      { title, message, monitors, impact, state, isUnmailed, isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}

export class IncidentsUpdateCommand extends StatusdCommand {
  static override paths = [['incidents', 'update']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Post an update to an incident.',
    details: `
      Adds an update to an incident, of a monitor or opened by hand. The update appears below the incident on the status
      page, in the history and in the feed, for everyone who may see the incident.

      A text that strangers read and that names a private monitor, a channel or the host of a target is refused;
      \`--force\` publishes it as it is.
    `,
    examples: [
      [
        'Say what was found.',
        "$0 incidents update last 'A full disk; space is being made.' --state identified",
      ],
      ['Add to another one; `statusd incidents` shows the numbers.', "$0 incidents update 12 'Nearly done.'"],
    ],
  });

  static override complete = { incident: ['last'], '--state': incidentStates } as const;
  static override positionals = {
    incident: incidentName,
    message: `What is known; at most ${characters(limits.message)} of it are kept.`,
  };
  static override exits = {
    ok: 'The update is stored.',
    wrong: 'The state does not fit: the incident is over, or its monitor is still down.',
    usage: 'The message is empty or names what strangers are not shown, or there is no such state.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the update.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();
  message = Option.String();
  state = Option.String('--state', {
    description: 'State of the incident: `STATE` is investigating, identified, monitoring or resolved.',
  });
  force = forceOption();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performUpdate } = await import('./incidents/operate.ts');
    const { incident, message, state = null, offline: isOffline, force: isForced } = this;
    return performUpdate(
      { incident, message, state, isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}

export class IncidentsResolveCommand extends StatusdCommand {
  static override paths = [['incidents', 'resolve']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'End an incident that was opened by hand.',
    details: `
      The incident of a monitor is resolved automatically when the monitor recovers.
    `,
    examples: [['It is over.', "$0 incidents resolve last 'The disk has space again.'"]],
  });

  static override complete = { incident: ['last'] } as const;
  static override positionals = {
    incident: incidentName,
    message: `What to say of its end; at most ${characters(limits.message)} of it are kept.`,
  };
  static override exits = {
    ok: 'The incident is over.',
    wrong: 'It was over before, or its monitor is still down.',
    usage: 'The message names what strangers are not shown.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not accept the change.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();
  message = Option.String({ required: false });
  force = forceOption();
  offline = offlineOption();

  async run(): Promise<ExitCode> {
    const { performUpdate } = await import('./incidents/operate.ts');
    const { incident, message = '', offline: isOffline, force: isForced } = this;
    return performUpdate(
      { incident, message, state: 'resolved', isForced, isOffline, ...runOptions(this) },
      this.context,
    );
  }
}

export class IncidentsShowCommand extends StatusdCommand {
  static override paths = [['incidents', 'show']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'Show one incident in full.',
    details: `
      Shows its timeline and updates, changes in the half hour before it and while it lasted, alerting decisions with
      their reasons, the messages, the failed response, and the post-mortem. With \`--json\` it is the incident
      as in \`statusd incidents --json\`, with \`summary\`, \`timeline\`, \`messages\`, \`next\` and \`postmortem\`.
    `,
    examples: [
      ['The last one.', '$0 incidents show last'],
      ['What was said about another one.', "$0 incidents show 12 --json | jq '.updates[].message'"],
    ],
  });

  static override complete = { incident: ['last'] } as const;
  static override positionals = { incident: incidentName };
  static override exits = {
    ok: 'Done.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such incident.',
  };

  incident = Option.String();

  async run(): Promise<ExitCode> {
    const { performShow } = await import('./incidents/operate.ts');
    return performShow({ incident: this.incident, ...runOptions(this) }, this.context);
  }
}
