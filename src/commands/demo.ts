/** `statusd demo`: runs the daemon against simulated targets. */
import { Option } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { logFormats, readLogFormat } from './serve/log-format.ts';

export class DemoCommand extends StatusdCommand {
  static override paths = [['demo']];

  static override usage = StatusdCommand.Usage({
    category: 'Watch',
    description: 'Run a demo with simulated outages.',
    details: `
      Starts targets on this host and \`statusd serve\` with a configuration that monitors them: a steady site, a
      search that becomes slow, a flapping service that alerts nobody, a database whose failure impacts an API and a
      shop and is one message, and a job that misses its heartbeats. The log announces each fault
      and the alerts that are sent. The demo comes with 90 days of made-up history, with outages, a cascade that has updates
      and a note, and a maintenance. The log begins with commands to try in another terminal.

      It listens on loopback only, on port 8787 or, if that is in use, on a free port. It does not use the
      network, and its folder with the configuration and the database is removed when it ends.

      With \`--record\` it writes pictures instead: \`top\` and \`check\` in the middle of the cascade as SVG, and they
      and the status page as PNG where Chromium is installed. They are the same whenever they are made.
    `,
    examples: [
      ['Look at it.', '$0 demo'],
      ['Write pictures of it.', '$0 demo --record docs'],
    ],
  });

  static override isEndless = true;
  static override complete = { '--log-format': logFormats, '--record': 'file' } as const;
  static override exits = {
    ok: 'It was stopped by a signal, or the pictures are written.',
    usage: 'The folder of the pictures is missing, or cannot be written to.',
  };

  logFormat = Option.String('--log-format', {
    description: 'Write the log as `FORMAT`: auto, text or json.',
  });

  record = Option.String('--record', {
    description: 'Write pictures of the demo into the folder `DIR`, and end.',
  });

  async run(): Promise<ExitCode> {
    if (this.configFile !== undefined) {
      throw new StatusdError('usage', 'demo brings its own configuration', {
        hint: '`statusd serve` runs on yours.',
      });
    }
    if (this.record !== undefined) {
      const { performRecord } = await import('./demo/record.ts');
      return performRecord(this.record, this.context);
    }
    const { performDemo } = await import('./demo/perform.ts');
    const format = readLogFormat(this.logFormat, { isJson: this.json });
    const { quiet: isQuiet, noColor: isColourRefused, debug: isDebug } = this;
    return performDemo({ format, isQuiet, isColourRefused, isDebug }, this.context);
  }
}
