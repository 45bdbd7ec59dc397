/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { version } from './version.ts';
import { onWriteError } from './write-error.ts';

function entryFor(command: string) {
  if (command === 'serve') return import('./daemon.js');
  return ['check', 'healthcheck'].includes(command) ? import('./quick.js') : import('./cli.js');
}

/** Whether nothing but the version is asked for, with options that change nothing about it. */
function isVersionWanted(args: readonly string[]): boolean {
  const rest = args.filter((arg) => !['--no-color', '-q', '--quiet', '--debug', '--json'].includes(arg));
  return rest.length === 1 && ['--version', '-v', '-V', 'version'].includes(rest[0] ?? '');
}

const args = process.argv.slice(2);
if (isVersionWanted(args)) {
  process.stdout.on('error', onWriteError);
  process.stdout.write(`${args.includes('--json') ? JSON.stringify({ version: version() }) : version()}\n`);
} else {
  const { main } = await entryFor(args[0] ?? '');
  await main(args);
}
