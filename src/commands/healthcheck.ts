/** `statusd healthcheck`: checks that the running daemon is healthy. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';

export class HealthcheckCommand extends StatusdCommand {
  static override paths = [['healthcheck']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Check that the running daemon is healthy.',
    details: `
      Asks for \`/healthz\` at \`server.bind\` of the configuration, over loopback where the daemon listens on
      every address, and waits five seconds at most. A configuration that an edit has broken does not keep it from
      asking: the daemon runs on, so what can be read of the file counts, else the usual address. It is made for containers and load balancers, which know 0 and
      1 alone: 0 when the schedule makes progress and the database is written, and 1 for everything else, with a
      sentence that says what it is. Whether a monitor is down plays no part in it.
    `,
    examples: [
      ['Ask the daemon of this configuration.', '$0 healthcheck'],
      ['Ask another one.', '$0 healthcheck --url https://status.example.com'],
      ['Print nothing when healthy, as after HEALTHCHECK CMD in a Dockerfile.', '$0 healthcheck --quiet'],
    ],
  });

  static override exits = {
    ok: 'The daemon is healthy.',
    wrong: 'It is not, it does not answer, or it cannot be asked: stderr says why.',
  };

  static override isYesOrNo = true;

  url = Option.String('--url', {
    description: 'Ask the server at `URL` instead of that of the configuration.',
  });

  async run(): Promise<ExitCode> {
    const { performHealthcheck } = await import('./healthcheck/perform.ts');
    const { url = null, configFile = null, json: isJson, quiet: isQuiet } = this;
    return performHealthcheck({ url, configFile, isJson, isQuiet }, this.context);
  }
}
