/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { version } from './version.ts';

const args = process.argv.slice(2);
if (args.length === 1 && ['--version', '-v', '-V', 'version'].includes(args[0] ?? '')) {
  process.stdout.write(`${version()}\n`);
} else {
  const isQuick = ['check', 'healthcheck'].includes(args[0] ?? '');
  const { main } = await (isQuick ? import('./quick.js') : import('./cli.js'));
  await main(args);
}
