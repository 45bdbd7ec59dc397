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
      every address, and waits five seconds at most. It also works while the configuration has an error,
      because the daemon keeps running: it uses the readable part of the file, else the default address. It is made for containers and load balancers, which know 0 and
      1 alone: 0 when the schedule makes progress and the database is written, and 1 for everything else, with a
      sentence that says what it is. The status of monitors does not matter.
    `,
    examples: [
      ['Check the daemon of this configuration.', '$0 healthcheck'],
      ['Check another daemon.', '$0 healthcheck --url https://status.example.com'],
      ['Print nothing when healthy, as after HEALTHCHECK CMD in a Dockerfile.', '$0 healthcheck --quiet'],
    ],
  });

  static override exits = {
    ok: 'The daemon is healthy.',
    wrong: 'The daemon is not healthy or does not answer; stderr gives the reason.',
  };

  static override isYesOrNo = true;

  url = Option.String('--url', {
    description: 'Check the server at `URL` instead of that of the configuration.',
  });

  async run(): Promise<ExitCode> {
    const { performHealthcheck } = await import('./healthcheck/perform.ts');
    const { url = null, configFile = null, json: isJson, quiet: isQuiet } = this;
    return performHealthcheck({ url, configFile, isJson, isQuiet }, this.context);
  }
}
