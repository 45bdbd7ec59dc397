/** The entry of the program: answers `--version` at once and leaves the rest to the command line. */
import { loadScript } from './precompiled.ts';
import type { EntryScript, ProcessStart } from './run-process.ts';
import { shortOptionsApart } from './short-options.ts';
import { takeSignals } from './signals.ts';
import { version } from './version.ts';
import { onWriteError } from './write-error.ts';

const wholeCommandLine: ProcessStart['wholeCommandLine'] = () => import('./cli.js');

/** The scripts of dist/ that were compiled ahead, and the commands that each has. */
const scripts: readonly (readonly [script: string, commands: RegExp])[] = [
  ['daemon', /^serve /],
  ['quick', /^(?:check|healthcheck|completion words) /],
  ['operator', /^(?:ack|announce|annotate|event|explain|incidents|maintenance|outbox|silence) /],
];

/** The sources have nothing that is compiled ahead; the whole command line has every command. */
function entryFor(args: readonly string[]): Promise<EntryScript> | EntryScript {
  const script = scriptFor(args);
  if (script === undefined || import.meta.url.endsWith('.ts')) return wholeCommandLine();
  return loadScript<EntryScript>(new URL(`./chunks/${script}.cjs`, import.meta.url)).exports;
}

function scriptFor([command = 'help', ...rest]: readonly string[]): string | undefined {
  const isHelp = /^(?:help|--help|-h)$/;
  if (isHelp.test(command) || rest.some((arg) => arg !== 'help' && isHelp.test(arg))) return 'help';
  const words = `${command} ${rest[0] ?? ''} `;
  return scripts.find(([, commands]) => commands.test(words))?.[0];
}

/** Whether nothing but the version is asked for, with options that change nothing about it. */
function isVersionWanted(args: readonly string[]): boolean {
  const rest = args.filter((arg) => !['--no-color', '-q', '--quiet', '--debug', '--json'].includes(arg));
  return rest.length === 1 && ['--version', '-v', '-V', 'version'].includes(rest[0] ?? '');
}

async function run(): Promise<void> {
  const signals = takeSignals();
  const { main } = await entryFor(args);
  await main(args, { signals, wholeCommandLine });
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
