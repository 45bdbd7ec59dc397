/** `statusd peers`: compares what this node and the others see. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class PeersCommand extends StatusdCommand {
  static override paths = [['peers'], ['peers', 'list']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Compare what this node and its peers see.',
    details: `
      Prints one line per monitor: its status on this node, from the database, and its status from every peer, which probes
      it now. A peer that does not monitor the same target reports that; if a peer does not answer, its last verdict is
      shown with its age. Below is one line per peer: its last heartbeat, the offset of its clock, and whether it answers.

      Nothing is recorded and nobody is notified. Peers limit the rate of requests: with many monitors this
      takes a while, unless you name the monitors.

      With \`--json\` it is \`{"node", "checked_at", "monitors", "peers"}\`. A monitor is \`id\`, \`name\`, \`status\`,
      \`latency_ms\`, \`checked_at\`, and in \`nodes\` by id of the peer \`status\`, \`latency_ms\`, \`error\`, \`at\` and
      \`source\`: live, stored, or null where there is no verdict. A peer is \`id\`, \`name\`, \`state\`, \`age\`, \`reachable\`,
      \`error\` and \`clock_skew_ms\`.
    `,
    examples: [
      ['Check that all nodes see the same.', '$0 peers'],
      ['Is it down for all, or just from here?', '$0 peers api web'],
      ['Whose clock is wrong?', "$0 peers --json | jq '.peers[] | {id, clock_skew_ms}'"],
    ],
  });

  static override complete = { ids: 'monitor' } as const;
  static override positionals = { ids: 'Monitors by id, name or group; all of them when there is none.' };
  static override exits = {
    ok: 'Every peer could be asked, or there is none.',
    wrong: 'A peer could not be asked.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used.',
    notFound: 'There is no such monitor.',
  };

  ids = Option.Rest();

  async run(): Promise<ExitCode> {
    const { performPeers } = await import('./peers/perform.ts');
    return performPeers({ ids: this.ids, ...runOptions(this) }, this.context);
  }
}
