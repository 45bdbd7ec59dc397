/** A folder with a configuration and a database of its own, for commands that an operator types. */
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { allCommands } from '../../src/commands/all.ts';
import { StatusdCommand } from '../../src/commands/base.ts';
import { createCli } from '../../src/commands/cli.ts';
import type { Context } from '../../src/commands/context.ts';
import { describe } from '../../src/commands/help/describe.ts';
import { reportError } from '../../src/commands/report-error.ts';
import { usageError } from '../../src/commands/usage-error.ts';
import type { Json, Operation } from '../../src/db/store/operation.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';
import type { Store } from '../../src/db/store/store.ts';
import { runCli, type CliResult } from './cli.ts';
import { realClock } from './real-clock.ts';
import { openRealStore } from './real-store.ts';
import { makeFolder } from './tiny-store.ts';

/** Upstream, dependent, private, and two channels that nobody reaches; an address at which no other test listens. */
const configText = `
[server]
bind = "127.87.87.87:1"
database_path = "statusd.db"
auth_token = "the-token-of-the-tests"

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/ops"

[[channels]]
name = "mail"
type = "webhook"
url = "http://127.0.0.1:1/mail"

[[monitors]]
id = "db"
kind = "tcp"
target = "127.0.0.1:1"

[[monitors]]
id = "api"
name = "The API"
target = "http://127.0.0.1:1/"
depends_on = ["db"]

[[monitors]]
id = "intern"
target = "http://127.0.0.1:1/"
public = false
`;

export interface OperatorWorld {
  readonly cwd: string;
  /** Runs a command line within this process, from parsing to the exit code. */
  readonly run: (...args: readonly string[]) => Promise<CliResult>;
  /** The same on a terminal that is so wide, with colour or without. */
  readonly runOnTerminal: (columns: number, ...args: readonly string[]) => Promise<CliResult>;
  /** Runs the program itself, in a process of its own. */
  readonly spawn: (...args: readonly string[]) => Promise<CliResult>;
  /** Runs a command with --json, which must succeed, and answers what it printed. */
  readonly json: (...args: readonly string[]) => Promise<unknown>;
  /** Writes as another process beside the daemon would. */
  readonly write: (...operations: readonly Operation[]) => Promise<readonly Json[]>;
  readonly read: <T>(look: (sql: SqlReader) => T) => Promise<T>;
  readonly openDaemon: () => Promise<Store>;
  readonly remove: () => void;
}

export function makeOperatorWorld(): OperatorWorld {
  const folder = makeFolder();
  const cwd = folder.path;
  writeFileSync(folder.at('statusd.toml'), configText);
  const file = folder.at('statusd.db');
  const run = (...args: readonly string[]) => runHere(args, { cwd });
  const within = async <T>(role: 'reader' | 'writer', work: (store: Store) => T | Promise<T>): Promise<T> => {
    const store = await openRealStore(file, { role });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return {
    cwd,
    run,
    runOnTerminal: (columns, ...args) => runHere(args, { cwd, columns }),
    spawn: (...args) => runCli(args, { cwd }),
    json: async (...args) => {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`exit ${String(code)}: ${stderr}`);
      return JSON.parse(stdout) as unknown;
    },
    write: (...operations) => within('writer', (store) => store.write(operations)),
    read: (look) => within('reader', ({ sql }) => look(sql)),
    openDaemon: () => openRealStore(file, { role: 'daemon' }),
    remove: folder.remove,
  };
}

interface Place {
  readonly cwd: string;
  /** Null, as by default: no terminal. */
  readonly columns?: number | null;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command line within this process, from parsing to the exit code. */
export async function runHere(
  args: readonly string[],
  { cwd, columns = null, env = {} }: Place,
): Promise<CliResult> {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        texts[name] += chunk.toString();
        done();
      },
    });
  const stdout = sink('stdout');
  const stderr = sink('stderr');
  if (columns !== null) Object.assign(stdout, { isTTY: true, columns });
  const context: Context = {
    stdin: process.stdin,
    stdout,
    stderr,
    colorDepth: 1,
    env: { LANG: 'C.UTF-8', ...env },
    cwd,
    clock: realClock,
    interrupt: new AbortController().signal,
    events: { onHangUp: () => undefined, onFault: () => undefined, onWarning: () => undefined },
  };
  try {
    const command = parsed(args, context);
    command.context = context;
    command.commands = allCommands;
    return { code: await command.validateAndExecute(), ...texts };
  } catch (error) {
    const code = reportError(error, { stderr, isDebug: false, isInterrupted: false });
    return { code, ...texts };
  }
}

/** What a wrong command line is compared with: the same for all of them. */
let pages: ReturnType<typeof describe> | null = null;

function parsed(args: readonly string[], context: Context): StatusdCommand {
  try {
    const command = createCli(args).process([...args], context);
    if (command instanceof StatusdCommand) return command;
    throw new Error('not a command of statusd');
  } catch (error) {
    pages ??= describe(allCommands);
    throw usageError(pages, args, error);
  }
}
