/** `statusd healthcheck`: asks the running daemon how it is. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';

export class HealthcheckCommand extends StatusdCommand {
  static override paths = [['healthcheck']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Ask the running daemon whether it is well.',
    details: `
      Asks for \`/healthz\` at \`server.bind\` of the configuration, over loopback where the daemon listens on
      every address, and waits five seconds at most. It is made for containers and load balancers: 0 when the
      schedule makes progress and the database is written, 1 when one of them is not so, 4 when nobody answers.
      Whether a monitor is down plays no part in it.
    `,
    examples: [
      ['Ask the daemon of this configuration.', '$0 healthcheck'],
      ['Ask another one.', '$0 healthcheck --url https://status.example.com'],
      ['Say nothing when all is well, as after HEALTHCHECK CMD in a Dockerfile.', '$0 healthcheck --quiet'],
    ],
  });

  static override exits = {
    ok: 'The daemon is well.',
    wrong: 'It answers, and is not well.',
    config: 'The configuration is missing or invalid.',
    store: 'Nobody answers there, or something that is not statusd.',
  };

  url = Option.String('--url', {
    description: 'Ask the server at `URL` instead of that of the configuration.',
  });

  async run(): Promise<ExitCode> {
    const { performHealthcheck } = await import('./healthcheck/perform.ts');
    const { url = null, configFile = null, json: isJson, quiet: isQuiet } = this;
    return performHealthcheck({ url, configFile, isJson, isQuiet }, this.context);
  }
}
