/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { loadScript } from './precompiled.ts';
import type { WholeCommandLine } from './run-process.ts';
import { version } from './version.ts';
import { onWriteError } from './write-error.ts';

type Entry = Awaited<ReturnType<WholeCommandLine>>;

const wholeCommandLine: WholeCommandLine = () => import('./cli.js');

/** The sources have nothing that is compiled ahead; the whole command line has every command. */
function entryFor(command: string): Promise<Entry> | Entry {
  const script = command === 'serve' ? 'daemon' : ['check', 'healthcheck'].includes(command) ? 'quick' : null;
  if (script === null || import.meta.url.endsWith('.ts')) return wholeCommandLine();
  return loadScript<Entry>(new URL(`./chunks/${script}.cjs`, import.meta.url)).exports;
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
  await main(args, wholeCommandLine);
}
