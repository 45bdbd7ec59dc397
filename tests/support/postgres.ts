/** A PostgreSQL of the test's own: a data directory, a socket and nothing on the network. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Credentials } from './tls.ts';

const run = promisify(execFile);

export interface Postgres {
  /** Where its socket is. */
  readonly folder: string;
  /** Makes an empty database, in the usual encoding or the one named; answers its URL. */
  readonly database: (encoding?: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Where Debian puts its programs, the newest version first; null: it is not installed. */
function programs(): string | null {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base) : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(base, newest, 'bin');
}

/** A way to the server of a URL on which answers can be lost. */
export interface LossyWay {
  readonly url: string;
  /** The connections of now are cut as soon as the server answers the next statement. */
  readonly loseNextAnswer: () => void;
  /** From now on whatever is said takes `ms` longer, in each direction. */
  readonly delay: (ms: number) => void;
  /** Only the first connection gets through from now on, as with a pooler that has one; others wait. */
  readonly holdAllButFirst: () => void;
  readonly stop: () => Promise<void>;
}

export async function lossyWay(url: string): Promise<LossyWay> {
  const behind = join(new URL(url.replace('@/', '@x/')).searchParams.get('host') ?? '', socketName);
  const folder = mkdtempSync(join(tmpdir(), 'statusd-pg-way-'));
  const sockets = new Set<Socket>();
  let isLosing = false;
  let delayMs = 0;
  let isHolding = false;
  // Timers of one length end in the order in which they began.
  const later = (write: () => void) => {
    if (delayMs === 0) write();
    else setTimeout(write, delayMs);
  };
  const server = createServer((near) => {
    if (isHolding && sockets.size > 0) {
      sockets.add(near.on('error', () => undefined));
      return;
    }
    const far = connect(behind);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    near.on('data', (statement) => {
      later(() => far.write(statement));
    });
    far.on('data', (answer) => {
      if (isLosing) near.destroy();
      else later(() => near.write(answer));
      isLosing = false;
    });
  });
  server.listen(join(folder, socketName));
  await once(server, 'listening');
  return {
    url: url.replace(/host=.*$/, `host=${encodeURIComponent(folder)}`),
    loseNextAnswer: () => {
      isLosing = true;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    holdAllButFirst: () => {
      isHolding = true;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For the option `skip` of a test: false, or why it is left out. With CI=true it has to run. */
export const skipWithoutPostgres: string | false =
  programs() !== null || process.env['CI'] === 'true' ? false : 'no PostgreSQL';

const socketPort = 5432;
export const socketName = `.s.PGSQL.${socketPort}`;

/** It refuses to run as root. */
const nobody = 65_534;

/** Runs one statement on a connection of its own; answers its rows. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What one of its programs says, such as psql or pg_dump. Rejects when it fails. */
export async function runPostgres(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(join(programs() ?? '', program), args, { maxBuffer: 1e9 });
  return stdout;
}

interface PostgresOptions {
  /** Its disk syncs nothing, unless a bench asks for it. */
  readonly isDurable?: boolean;
  /** It is on the network too, where its URLs lead, and speaks TLS there with this certificate of 127.0.0.1. */
  readonly tls?: Pick<Credentials, 'cert' | 'key'> | null;
}

/** One of its own, or databases of its own in the one that all files of a run share (tests/run.js starts it). */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const { isDurable = false, tls = null } = options;
  const shared = process.env['STATUSD_POSTGRES'];
  if (shared === undefined || isDurable || tls !== null) return startServer({ isDurable, tls });
  const url = urlOnSocket(shared);
  const made: string[] = [];
  return {
    folder: shared,
    database: async (encoding) => {
      const name = await makeDatabase(url, encoding);
      made.push(name);
      return url(name);
    },
    stop: async () => {
      for (const name of made) await query(url('postgres'), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function startServer({ isDurable, tls }: Required<PostgresOptions>): Promise<Postgres> {
  const bin = programs();
  if (bin === null) throw new Error('PostgreSQL is not installed (Debian: postgresql)');
  const folder = mkdtempSync(join(isDurable ? tmpdir() : fastFolder(), 'statusd-pg-'));
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if ('uid' in user) chownSync(folder, nobody, nobody);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const how = { ...user, cwd: folder };
  const init = ['-D', data, '-U', 'statusd', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await run(join(bin, 'initdb'), init, how);
  const { address, port } = tls === null ? { address: '', port: socketPort } : await freePort();
  const own = tls === null ? [] : tlsSettings(folder, tls, user);
  const settings = [
    ...own,
    `listen_addresses=${address}`,
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    `fsync=${isDurable ? 'on' : 'off'}`,
    'max_connections=300',
  ];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...how,
    stdio: 'ignore',
  });
  const onSocket = urlOnSocket(folder, port);
  const onNetwork = (database: string) => `postgres://statusd@${address}:${port}/${database}`;
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const end = () => {
    server.kill('SIGKILL');
    remove();
  };
  process.once('exit', end);
  await untilReady(server, () => query(onSocket('postgres'), 'SELECT 1'));
  return {
    folder,
    database: async (encoding) =>
      (tls === null ? onSocket : onNetwork)(await makeDatabase(onSocket, encoding)),
    stop: async () => {
      process.off('exit', end);
      const ended = once(server, 'exit');
      // Immediate: what is left in it is of no use.
      server.kill('SIGQUIT');
      await ended;
      remove();
    },
  };
}

/**
 * A folder in memory where it has room, else that for temporary files. A database is 300 files, which some file systems
 * take a tenth of a second to make.
 */
function fastFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > leastMemory ? memory : tmpdir();
}

/** Bytes for the databases that all files of a run have at one time, 8 MB each, and what was written to them. */
const leastMemory = 2e9;

function urlOnSocket(folder: string, port = socketPort): (database: string) => string {
  return (database) => `postgres://statusd@/${database}?host=${encodeURIComponent(folder)}&port=${port}`;
}

/** Makes one; answers its name, which no other has. */
async function makeDatabase(url: (database: string) => string, encoding?: string): Promise<string> {
  const name = `world_${randomUUID().replaceAll('-', '')}`;
  const encoded = `ENCODING '${encoding ?? ''}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`;
  await query(url('postgres'), `CREATE DATABASE ${name} ${encoding === undefined ? '' : encoded}`);
  return name;
}

async function freePort(): Promise<{ readonly address: string; readonly port: number }> {
  const address = '127.0.0.1';
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { address, port };
}

/** Writes the files of a certificate, which the server reads from its folder. */
function tlsSettings(
  folder: string,
  tls: Pick<Credentials, 'cert' | 'key'>,
  user: { readonly uid?: number; readonly gid?: number },
): readonly string[] {
  return (['cert', 'key'] as const)
    .map((name) => {
      const file = join(folder, `${name}.pem`);
      writeFileSync(file, tls[name], { mode: 0o600 });
      if (user.uid !== undefined && user.gid !== undefined) chownSync(file, user.uid, user.gid);
      return `ssl_${name}_file=${file}`;
    })
    .concat('ssl=on');
}

async function untilReady(server: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 600; round++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    const isReady = await ask().then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await delay(100);
  }
  throw new Error('PostgreSQL does not answer');
}
