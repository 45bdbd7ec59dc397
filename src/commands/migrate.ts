/** `statusd migrate`: moves the database between its file and a server. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';
import { runOptions } from './run-options.ts';

export class MigrateCommand extends StatusdCommand {
  static override paths = [['migrate']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Copy the database file into the database of [storage], or back.',
    details: `
      Copies everything: history, incidents, silences, pending messages. No daemon may run meanwhile, and the destination
      must be empty: a schema without history, or with \`--to-file\` a file that does not exist. Afterwards the copy is
      read back and each table is compared with the original, which is not changed.

      With \`--json\` it is \`{"from", "to", "tables", "rows", "bytes"}\`.
    `,
    examples: [
      ['Go from one machine to several.', '$0 migrate'],
      ['Go back to a file.', '$0 migrate --to-file'],
    ],
  });

  static override exits = {
    ok: 'Everything was copied, and is the same.',
    usage: 'The configuration has no [storage], or the file exists already.',
    config: 'The configuration is missing or invalid.',
    store: 'A database cannot be used, is in use, or is not empty.',
  };

  toFile = Option.Boolean('--to-file', false, {
    description: 'Copy the database of [storage] into the file server.database_path.',
  });

  async run(): Promise<ExitCode> {
    const { performMigrate } = await import('./migrate/perform.ts');
    return performMigrate({ isToFile: this.toFile, ...runOptions(this) }, this.context);
  }
}
