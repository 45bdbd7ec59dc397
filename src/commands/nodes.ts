/** `statusd nodes`: the nodes that share a database. */
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class NodesCommand extends StatusdCommand {
  static override paths = [['nodes']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'List the nodes that share one database.',
    details: `
      A line a node: whether it leads or stands by, when it last said that it is there, its version, where the others
      reach it, whether it has the same configuration as the one that leads, and how many checks a second it made in the
      last minute: none when it has no \`node.token\`, or \`probe = false\`. A node on another configuration or version is
      asked for no checks. A node that was not there for a day is left out.

      With \`--json\` it is \`{"leader", "nodes"}\`, a node with \`id\`, \`role\` (leader, standby or gone), \`seen_secs\`,
      \`version\`, \`url\`, \`is_config_same\`, null while nobody leads, \`is_probing\` and \`probes_per_sec\`.
    `,
    examples: [
      ['Who leads?', '$0 nodes'],
      ['Wait in a script until somebody leads.', "until $0 nodes --json | jq -e '.leader'; do sleep 1; done"],
    ],
  });

  static override exits = {
    ok: 'A node leads.',
    wrong: 'No node leads.',
    usage: 'The configuration has no [storage].',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
  };

  async run(): Promise<ExitCode> {
    const { performNodes } = await import('./nodes/perform.ts');
    return performNodes(runOptions(this), this.context);
  }
}
