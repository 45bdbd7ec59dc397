/** `statusd probe`: probes one target and prints every detail. */
import { Option } from 'clipanion';
import { targetKinds } from '../engine/core/probe.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { expectShortRun, runOptions } from './run-options.ts';

export class ProbeCommand extends StatusdCommand {
  static override paths = [['probe']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Probe one monitor or target once and show every detail.',
    details: `
      Shows the time of each phase (name lookup, connecting, TLS, first byte, body), the addresses
      and the one used, every redirect, the answer, the certificates with the line that pins their key, the
      result of each expectation of the monitor, the status that this check alone would give, and the equivalent curl
      command.

      Words of letters, digits, \`-\` and \`_\` name a monitor, which is probed with its own settings. Anything
      else is a target, as for \`statusd init\`, and needs no configuration:

      - \`https://example.com/health\` or \`example.com\`: a page, over https where nothing else is said
      - \`example.com:5432\` or \`tcp://example.com:5432\`: a port
      - \`icmp://example.com\`: a host that answers a ping
      - \`dns://example.com\`: a name

      There is one attempt, without retries, and nothing is recorded. A push monitor cannot be probed; the command
      that sends it a heartbeat is shown instead. Secrets are shown as \`***\`, in the curl command as variables of
      the shell.

      With \`--json\` it is one object: \`ok\`, \`id\` (null for a target), \`name\`, \`kind\`, \`target\`, \`checked_at\`,
      \`status\`, \`error\`, \`category\`, \`latency_ms\`, \`tracks\`, \`answer\`, \`certificate\`, \`assertions\` and \`curl\`. A track
      is an attempt, one for each \`family\` with \`dual_stack\`: \`took_ms\`, and \`requests\`, one for each redirect, with
      \`host\`, \`addresses\`, \`address\`, \`unreached\`, \`tls\`, \`response\` and \`phases\`. A phase has \`from_ms\` and \`to_ms\`
      since the attempt began; \`to_ms\` is null where the probe broke off. An assertion is \`met\` (null: not reached),
      \`expected\` and \`actual\`. The certificate has its \`spki_sha256\`, \`trusted\`, \`distrust\` and its \`chain\`.
    `,
    examples: [
      ['Why is it slow?', '$0 probe api'],
      ['Probe a page that is not in the configuration.', '$0 probe https://example.com/health'],
      ['Check that a port accepts connections.', '$0 probe db.example.com:5432'],
      ['Probe a host whose name could be an id.', '$0 probe --kind icmp router'],
      ['Print the pin of the public key.', '$0 probe example.com --json | jq -r .certificate.spki_sha256'],
    ],
  });

  static override complete = { '--kind': [...targetKinds], target: 'monitor' } as const;
  static override positionals = {
    target: 'The id or name of a monitor, or a target in one of the forms above.',
  };
  static override exits = {
    ok: 'The target is up or degraded, or this host could not check it.',
    wrong: 'It is down.',
    usage: 'The target is invalid.',
    config: 'An id was given, and the configuration is invalid.',
    notFound: 'There is no such monitor.',
  };

  kind = Option.String('--kind', { description: 'Probe a target as `KIND`: http, tcp, icmp or dns.' });
  target = Option.String();

  async run(): Promise<ExitCode> {
    const { performProbe } = await import('./probe/perform.ts');
    expectShortRun();
    const { target: word, kind = null } = this;
    return performProbe({ word, kind, ...runOptions(this) }, this.context);
  }
}
