/** `statusd init`: probes targets and writes a configuration for them. */
import { Option } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { type Completion, StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { channelForms, channelWords } from './init/channel-types.ts';
import { runOptions } from './run-options.ts';

export class InitCommand extends StatusdCommand {
  static override paths = [['init']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Probe targets and write a commented configuration for them.',
    details: `
      Each target is probed four times, 0.3 seconds apart. The results go into the file: the latency above
      which it is degraded, the timeout, and in a comment the expiry date of its certificate.
      A target that does not answer as expected is included too, with a warning and a comment with its
      answer. Without a target the file contains examples.

      A target is one of:

      - \`https://example.com/health\`: a page that must answer with a 2xx status
      - \`example.com\`: the same over https, or over http when https does not answer
      - \`example.com:5432\` or \`tcp://example.com:5432\`: a port that must accept a connection
      - \`icmp://example.com\` or \`ping://example.com\`: a host that must answer a ping
      - \`dns://example.com\`: a name that must resolve

      \`degraded_over_ms\` becomes three times the slowest answer, at least 250, rounded up to the next 50, or
      from 1,000 on to the next 500. \`timeout_secs\` is left at 10 unless four times the slowest answer is
      longer, up to 60.

      \`--channel\` adds a channel: ${channelForms.map((form) => `\`${form}\``).join(', ')}. The URL of ntfy is that of
      the topic, the one of gotify that of the server. Secrets are read from \`statusd.env\` beside
      the file (mode 0600), which has \`\${STATUSD_...}\` in their place; init lists the ones you have to add,
      because other users of the host can see command lines. On a terminal it offers to send a test message.

      The file is written completely or not at all, and only its owner may read it, because it may contain the secrets of
      channels. An existing file is only replaced with \`--force\`; it then keeps its mode.
    `,
    examples: [
      ['Write `statusd.toml` for one site.', '$0 init https://example.com'],
      [
        'Monitor a site, the port of a database and a host.',
        '$0 init example.com db.example.com:5432 icmp://192.0.2.1',
      ],
      [
        'Also notify a phone.',
        '$0 init https://example.com --channel ntfy=https://ntfy.sh/a-topic-nobody-guesses',
      ],
      ['Start from examples.', '$0 init'],
      ['Print the result without writing it.', '$0 init --out - https://example.com'],
    ],
  });

  static override complete: Readonly<Record<string, Completion>> = {
    '--out': 'file',
    '--channel': channelWords,
  };
  static override positionals = { targets: 'What to monitor: a URL, a host, or one of the forms above.' };
  static override exits = {
    ok: 'The configuration was written, even if not every target answered.',
    wrong: 'The configuration was written, but a channel did not accept the test message.',
    usage: 'A target is invalid, or the file exists already or cannot be written.',
  };

  out = Option.String('--out', 'statusd.toml', {
    description: 'Write to `FILE`; - is standard output. Without it: statusd.toml.',
  });
  force = Option.Boolean('--force', false, { description: 'Replace an existing file.' });
  channel = Option.Array('--channel', [], {
    description: 'Notify through `TYPE[=VALUE]`, such as ntfy=URL; may be repeated.',
  });
  test = Option.Boolean('--test', false, { description: 'Send a test through the channels without asking.' });
  targets = Option.Rest();

  async run(): Promise<ExitCode> {
    if (this.configFile !== undefined) {
      throw new StatusdError('usage', 'init reads no configuration', {
        hint: 'Name the file to write with --out.',
      });
    }
    if (this.json && this.out === '-') {
      throw new StatusdError('usage', '--json and --out - both want standard output', {
        hint: 'Write the configuration to a file.',
      });
    }
    if (this.test && (this.json || this.out === '-' || this.channel.length === 0)) {
      throw new StatusdError('usage', '--test needs a channel and a file, and prints no JSON', {
        hint: 'Write the file with --channel first, then run `statusd test-alert`.',
      });
    }
    const { init } = await import('./init/run.ts');
    const { targets, channel: channels, out, force: isForced, test: isTested } = this;
    return init({ targets, channels, out, isForced, isTested, ...runOptions(this) }, this.context);
  }
}
