/** `statusd incidents`: lists the outages on record. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { expectShortRun, runOptions } from './run-options.ts';

export class IncidentsCommand extends StatusdCommand {
  static override paths = [['incidents']];

  static override usage = StatusdCommand.Usage({
    category: 'Look back',
    description: 'List the last incidents.',
    details: `
      Shows the incident that started last first: its number, the monitor, when it started and ended, how long it
      lasted, why, the status line that was answered, and the operator's note. Times are UTC. A wide terminal and a
      pipe get one line an incident.

      With \`--json\` it is \`{"incidents":[...]}\`, each as \`GET /api/incidents\` gives it to an authenticated
      viewer.
    `,
    examples: [
      ['What happened lately?', '$0 incidents'],
      ['What is down right now?', '$0 incidents --open'],
      ['The last five of one monitor.', '$0 incidents --monitor api --limit 5'],
      ['Add up the seconds.', "$0 incidents --json --limit 200 | jq '[.incidents[].duration_secs] | add'"],
    ],
  });

  static override complete = { '--monitor': 'monitor' } as const;
  static override exits = {
    ok: 'Done, also when there is none, and when one is open.',
    usage: 'The limit is no number from 1 to 1000.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such monitor, now or in the record.',
  };

  limit = Option.String('--limit', { description: 'Show at most `N` of them (20).' });
  monitor = Option.String('--monitor', { description: 'Only those of the monitor `ID`.' });
  open = Option.Boolean('--open', false, { description: 'Only those that are not over.' });

  async run(): Promise<ExitCode> {
    expectShortRun();
    const { performIncidents } = await import('./incidents/perform.ts');
    const { limit = '20', monitor = null, open: isOpen } = this;
    return performIncidents({ limit, monitor, isOpen, ...runOptions(this) }, this.context);
  }
}
