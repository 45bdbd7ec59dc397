/** `statusd nodes`: the nodes that share a database. */
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class NodesCommand extends StatusdCommand {
  static override paths = [['nodes'], ['nodes', 'list']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'List the nodes that share one database.',
    details: `
      Prints one line per node: its role (leader or standby), its last sign of life, its version, the URL at which the other
      nodes reach it, whether it has the configuration of the leader, and the checks per second it made in the last
      minute: none without \`node.token\` or with \`probe = false\`. A node with another configuration or version makes no
      checks. A node that has not been seen for a day is left out. Different configurations for three leases are an alert
      (\`nodes_differ\`), and a leader with another configuration than the last leader had ends nothing of it: see
      docs/scaling.md.

      With \`--json\` it is \`{"leader", "nodes"}\`, a node with \`id\`, \`role\` (leader, standby or gone), \`seen_secs\`,
      \`version\`, \`url\`, \`is_config_same\`, null while no node leads, \`is_probing\` and \`probes_per_sec\`.
    `,
    examples: [
      ['Who leads?', '$0 nodes'],
      ['Wait in a script until a node leads.', "until $0 nodes --json | jq -e '.leader'; do sleep 1; done"],
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
