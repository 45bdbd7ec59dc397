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
      The copy is a consistent snapshot, even while the daemon runs and writes; it includes the contents of the
      files next to the database. It is a SQLite database that needs no other file, readable by
      its owner only; \`sqlite3\` can read it. An existing file is never replaced.

      To restore a copy, stop the daemon, replace the database with the copy and start the daemon. It
      sets the other files of the old database aside.

      Nodes that share [storage] keep samples older than storage.history_hours in a table of the server. With
      --with-history the copy includes them; without it, the copy has hourly and daily figures for that time.
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
    store: 'The database cannot be used, or the disk does not accept the copy.',
  };

  withHistory = Option.Boolean('--with-history', false, {
    description:
      'Include the samples in the table history of [storage]. A database file always has all samples.',
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
