/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { loadScript } from './precompiled.ts';
import type { WholeCommandLine } from './run-process.ts';
import { shortOptionsApart } from './short-options.ts';
import { version } from './version.ts';
import { onWriteError } from './write-error.ts';

type EntryScript = Awaited<ReturnType<WholeCommandLine>>;

const wholeCommandLine: WholeCommandLine = () => import('./cli.js');

/** The scripts of dist/ that were compiled ahead, and the commands that each has. */
const scripts: readonly (readonly [script: string, commands: string])[] = [
  ['daemon', 'serve'],
  ['quick', 'check healthcheck'],
  ['operator', 'ack announce annotate event explain incidents maintenance outbox silence'],
];

/** The sources have nothing that is compiled ahead; the whole command line has every command, and help. */
function entryFor([command = '', ...rest]: readonly string[]): Promise<EntryScript> | EntryScript {
  const script = scripts.find(([, commands]) => commands.split(' ').includes(command));
  if (script === undefined || rest.includes('--help') || import.meta.url.endsWith('.ts'))
    return wholeCommandLine();
  return loadScript<EntryScript>(new URL(`./chunks/${script[0]}.cjs`, import.meta.url)).exports;
}

/** Whether nothing but the version is asked for, with options that change nothing about it. */
function isVersionWanted(args: readonly string[]): boolean {
  const rest = args.filter((arg) => !['--no-color', '-q', '--quiet', '--debug', '--json'].includes(arg));
  return rest.length === 1 && ['--version', '-v', '-V', 'version'].includes(rest[0] ?? '');
}

async function run(): Promise<void> {
  const { main } = await entryFor(args);
  await main(args, wholeCommandLine);
}

const args = shortOptionsApart(process.argv.slice(2));
if (isVersionWanted(args)) {
  process.stdout.on('error', onWriteError);
  process.stdout.write(`${args.includes('--json') ? JSON.stringify({ version: version() }) : version()}\n`);
} else {
  // A run ends by leaving with its exit code; this is the code of one that has nothing left to do before that.
  process.exitCode = 13;
  void run();
}
