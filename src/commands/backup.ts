/** `statusd backup`: copies the database into one file. */
import { Option } from 'clipanion';
import { StatusdCommand } from './base.ts';
import type { ExitCode } from './exit.ts';

export class BackupCommand extends StatusdCommand {
  static override paths = [['backup']];

  static override usage = StatusdCommand.Usage({
    category: 'Operate',
    description: 'Copy the database into a new file.',
    details: `
      The copy is consistent and complete as of one moment, also while the daemon runs and writes: what the
      files beside the database hold is in it. It is a SQLite database that needs no other file, readable by
      its owner only; \`sqlite3\` can look into it. A file that exists is never replaced.

      To go back to a copy, stop the daemon, put the copy in the place of the database and start the daemon. It
      sets the other files of the old database aside.

      Nodes that share [storage] keep samples older than storage.history_hours in a table of the server. A copy has
      them with --with-history; without it, it has figures by the hour and by the day of that time.
    `,
    examples: [
      ['Copy it.', '$0 backup /var/backups/statusd.db'],
      ['Keep one copy a day, from cron.', '$0 backup -q /var/backups/statusd-monday.db'],
    ],
  });

  static override complete = { dest: 'file' } as const;
  static override positionals = { dest: 'The file to make.' };
  static override exits = {
    ok: 'The copy was made.',
    usage: 'The file exists already, or cannot be made there.',
    config: 'The configuration is missing or invalid.',
    store: 'The database cannot be used, or the disk does not take the copy.',
  };

  withHistory = Option.Boolean('--with-history', false, {
    description: 'Copy the samples in the table history of [storage], too; a file has all of them.',
  });

  dest = Option.String();

  async run(): Promise<ExitCode> {
    const { performBackup } = await import('./backup/perform.ts');
    const options = {
      dest: this.dest,
      isWithHistory: this.withHistory,
      configFile: this.configFile ?? null,
      isJson: this.json,
      isQuiet: this.quiet,
    };
    return performBackup(options, this.context);
  }
}
