/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { version } from './version.ts';

function entryFor(command: string) {
  if (command === 'serve') return import('./daemon.js');
  return ['check', 'healthcheck'].includes(command) ? import('./quick.js') : import('./cli.js');
}

const args = process.argv.slice(2);
if (args.length === 1 && ['--version', '-v', '-V', 'version'].includes(args[0] ?? '')) {
  process.stdout.write(`${version()}\n`);
} else {
  const { main } = await entryFor(args[0] ?? '');
  await main(args);
}
