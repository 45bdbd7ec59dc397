/** Runs `demo`: simulated targets on loopback, and the daemon that monitors them. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Claim, decodeClaim, encodeClaim, maxClaimBytes } from '../../db/store/lock/claim.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';
import { loadConfig } from '../../engine/config/load.ts';
import { readRegularFile, readSmallFile } from '../../engine/config/read-file.ts';
import { aText, document, orAbsent, parseJson, readAs } from '../../engine/core/decode.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { type LogOptions, openLog } from '../serve/open-log.ts';
import { expectLongRun, runDaemon } from '../serve/run-daemon.ts';
import { allWell, configText, playStory, startWorld, type Switches } from './world.ts';
import { shellWord } from '../words.ts';
import { seedHistory } from './history.ts';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createHttpServer, request } from 'node:http';
import type { Clock } from '../../engine/core/clock.ts';

export interface DemoRun extends LogOptions {
  readonly isDebug: boolean;
}

const usualPort = 8787;

export async function performDemo(run: DemoRun, context: Context): Promise<ExitCode> {
  const log = openLog(run, context, (text) => text);
  await removeLeftovers(tmpdir(), context.interrupt);
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // A start that is called off may still write, and a second interrupt does not wait.
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  await writeFile(join(folder, ownerFile), encodeClaim(await ownClaim(context.clock)));
  return playIn(folder, { run, context, log });
}

const prefix = 'statusd-demo-';
/** Another user can fill the temporary folder with names of this kind; a start does not look at all of them. */
const mostLeftovers = 1000;
/** Says in the folder of a demo which process it belongs to. */
const ownerFile = 'owner.json';

async function ownClaim(clock: Clock): Promise<Claim> {
  return { state: 'held', token: '', since: clock.now(), ...(await systemProcesses.self()) };
}

/**
 * Removes the folders in `temporary` of demos that were killed before they could. One whose process lives, or cannot be
 * seen from here (in another container), stays, and so does one that does not say whose it is.
 */
async function removeLeftovers(temporary: string, interrupt: AbortSignal): Promise<void> {
  const names = await readdir(temporary).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix)).slice(0, mostLeftovers)) {
    interrupt.throwIfAborted();
    const folder = join(temporary, name);
    if (!(await isOwnFolder(folder))) continue;
    const owner = await readRegularFile(join(folder, ownerFile), maxClaimBytes).then(decodeClaim, () => null);
    if (owner === null || (await systemProcesses.liveness(owner)) !== 'dead') continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Everybody can make folders of this name in the temporary folder, and links of it to anywhere. */
async function isOwnFolder(folder: string): Promise<boolean> {
  const facts = await lstat(folder).catch(() => null);
  return facts?.isDirectory() === true && facts.uid === process.getuid?.();
}

interface Stage {
  readonly run: DemoRun;
  readonly context: Context;
  readonly log: Log;
}

async function playIn(folder: string, { run, context, log }: Stage): Promise<ExitCode> {
  const { clock, env } = context;
  const isUnderNpm = env['npm_execpath'] !== undefined;
  const switches = allWell();
  const world = await startWorld(switches);
  const phone = await startPhone((text) => {
    log({ level: 'warning', event: 'demo.notified', message: `the phone rings: ${text}` });
  });
  const token = randomUUID();
  const port = await freePort(usualPort);
  const bind = `127.0.0.1:${port}`;
  const places = { ports: world.ports, bind, phonePort: phone.port, jobToken: token, nowAt: clock.now() };
  const file = join(folder, 'statusd.toml');
  await writeFile(file, configText(places), { mode: 0o600 });
  const say = (message: string) => {
    log({ level: 'info', event: 'demo.scene', message });
  };
  try {
    await seedHistory(join(folder, 'statusd.db'), clock, context.interrupt);
    context.interrupt.throwIfAborted();
    expectLongRun();
    return await runDaemon({
      // What the environment says is about another daemon.
      loaded: await loadConfig(file, { env: {}, readFile: readSmallFile }),
      log,
      context: { ...context, env: { PATH: env['PATH'] } },
      isDebug: run.isDebug,
      onReady: ({ url }, signal) => {
        if (port !== usualPort) say(`port ${usualPort} is taken, so the demo listens on ${port}`);
        say(`open ${url} in a browser, or: curl ${url}`);
        say('in another terminal, each as it stands:');
        for (const line of commandsToTry(isUnderNpm ? 'npx statusd' : 'statusd', file)) say(`  ${line}`);
        say('Ctrl-C ends it');
        void runJob({ clock, switches, url, token, signal });
        void playStory({ clock, change: world.change, say, signal });
      },
    });
  } finally {
    world.close();
    phone.close();
  }
}

/** What shows the demo from another terminal. `program`: how statusd is called there. */
function commandsToTry(program: string, file: string): readonly string[] {
  const commands = [
    'top',
    'check',
    'incidents',
    'incidents show 5',
    'explain shop',
    'report',
    'tune',
    'silence flaky 10m trying it out',
  ];
  return commands.map((command) => `${program} ${command} -c ${shellWord(file)}`);
}

/** `wanted` when nobody listens on it, else a free one. */
async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

async function tryPort(wanted: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return null;
  } finally {
    server.close();
  }
}

/** Stands for a job that reports to the daemon by itself. */
interface Job {
  readonly clock: Clock;
  readonly switches: Switches;
  /** The address of the daemon. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const everyMs = 3000;

/** Sends heartbeats of the monitor `backup` while it runs. Resolves when `signal` is aborted. */
async function runJob({ clock, switches, url, token, signal }: Job): Promise<void> {
  while (!signal.aborted) {
    if (switches.isJobRunning) await sendHeartbeat(new URL('api/push/backup?msg=done', url), token);
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}

/** A heartbeat that gets lost is what the monitor is for. */
function sendHeartbeat(url: URL, token: string): Promise<void> {
  return new Promise((resolve) => {
    const options = { method: 'POST', agent: false, timeout: 2000, headers: { 'x-push-token': token } };
    const call = request(url, options, (response) => {
      response.resume().once('close', resolve);
    });
    call.once('timeout', () => call.destroy());
    call.once('error', () => {
      resolve();
    });
    call.end();
  });
}

/** Stands for the phone of the person on call: a server that takes messages as ntfy does. */
interface Phone {
  readonly port: number;
  readonly close: () => void;
}

const maxBytes = 64 * 1024;

/** `onMessage` gets each message as one line. */
export async function startPhone(onMessage: (text: string) => void): Promise<Phone> {
  const server = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      if (body.length < maxBytes) body += text;
    });
    request.on('end', () => {
      onMessage(lineOf(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const aPost = document({ title: orAbsent(aText), message: orAbsent(aText) });

/** The title, then the lines of the text. */
function lineOf(body: string): string {
  const posted = readAs(parseJson(body), aPost);
  if (posted === null) return body;
  const { title = '', message = '' } = posted;
  return [title, ...message.split('\n')].filter((line) => line.trim() !== '').join(' | ');
}
