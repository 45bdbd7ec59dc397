/** The promise of the daemon to go on probing whatever its clients do (X8). */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { gatherCrowd, type Slowness, slownesses } from '../faults/slow-clients.ts';
import { startDaemon } from '../support/daemon.ts';
import { startHttp } from '../support/http-target.ts';
import { openSoakReport } from '../support/soak-report.ts';

const monitors = 200;
const intervalSecs = 4;
const dueASecond = monitors / intervalSecs;
const crowdSecs = 30;
const maxConnections = 1000;
/** Metrics are handed out for so long. */
const freshMs = 1100;

/** What a connection may last, in seconds: the limits of the server, how often it looks, and a busy machine. */
const mostSecs = { idle: 10 + 2 + 10, headers: 10 + 2 + 10, body: 30 + 2 + 10 };
/** The same for clients that notice nothing, for they read nothing. */
const deafSecs = 60 + 2 + 10;

const few: Readonly<Record<Slowness, number>> = { idle: 50, headers: 50, body: 50, deaf: 50, greedy: 10 };
const many: Readonly<Record<Slowness, number>> = {
  idle: 3000,
  headers: 300,
  body: 300,
  deaf: 100,
  greedy: 0,
};
const places = { longPath: '/', bodyPath: '/api/push/job' };

const { printResult, exitCode } = openSoakReport();
const folder = mkdtempSync(join(tmpdir(), 'statusd-clients-'));
const target = await startHttp((_request, response) => response.end('well'));
writeFileSync(
  join(folder, 'statusd.toml'),
  [
    '[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 1000000',
    '[[monitors]]\nid = "job"\nkind = "push"',
    ...Array.from(
      { length: monitors },
      (_, index) =>
        `[[monitors]]\nid = "m${index}"\ntarget = "${target.origin}/"\ninterval_secs = ${intervalSecs}`,
    ),
  ].join('\n\n'),
);
const daemon = await startDaemon(folder);
const port = Number(new URL(daemon.url).port);
const pid = daemon.child.pid ?? 0;

interface Measured {
  readonly checks: number;
  readonly lateMs: number;
  readonly sockets: number;
  readonly megabytes: number;
}

/** What the daemon says of its schedule, and what the system says of the daemon. Null: it did not answer. */
async function measured(): Promise<Measured | null> {
  const metrics = await ask('/metrics', 'GET');
  if (metrics === null) return null;
  const results = [...metrics.matchAll(/^statusd_probes_total\{.*\} (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
  const [, late = 'NaN'] =
    /^statusd_scheduler_lateness_seconds\{quantile="0.99"\} (\S+)$/m.exec(metrics) ?? [];
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    checks: results.reduce((sum, count) => sum + count, 0),
    lateMs: Number(late) * 1000,
    sockets: socketsOfDaemon(),
    megabytes: Number(rss) / 1024,
  };
}

function socketsOfDaemon(): number {
  return readdirSync(`/proc/${pid}/fd`).filter(isSocket).length;
}

const patienceMs = 10_000;

/** The text of a good answer, over a connection of its own; null: there was none in time. */
async function ask(path: string, method: string): Promise<string | null> {
  const asking = request({ port, host: '127.0.0.1', path, method, agent: false });
  asking.on('error', () => undefined);
  asking.end();
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const [message] = (await once(asking, 'response', { signal })) as [IncomingMessage];
    const body = await text(message.once('error', () => undefined));
    return message.statusCode === 200 ? body : null;
  } catch {
    return null;
  } finally {
    asking.destroy();
  }
}

function isSocket(fd: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
  } catch {
    return false;
  }
}

interface Watched {
  /** Of those that were due. */
  readonly share: number;
  readonly lateMs: number;
  readonly mostSockets: number;
  readonly mostMegabytes: number;
  readonly answered: number;
  readonly asked: number;
  readonly slowestMs: number;
}

/** Every second somebody with a good connection asks for the page, the health and to take a heartbeat. */
async function watch(secs: number): Promise<Watched> {
  await pause(freshMs);
  const startedMs = performance.now();
  const all = [await measured()];
  const times: number[] = [];
  let asked = 0;
  while (performance.now() - startedMs < secs * 1000) {
    await pause(1000);
    for (const [path, method] of [
      ['/', 'GET'],
      ['/healthz', 'GET'],
      ['/api/push/job', 'POST'],
    ] as const) {
      asked += 1;
      const askedMs = performance.now();
      if ((await ask(path, method)) !== null) times.push(performance.now() - askedMs);
    }
    all.push(await measured());
  }
  await pause(freshMs);
  const due = ((performance.now() - startedMs) / 1000) * dueASecond;
  const seen = [...all, await measured()].filter((one) => one !== null);
  return {
    share: ((seen.at(-1)?.checks ?? 0) - (seen[0]?.checks ?? 0)) / due,
    lateMs: Math.max(...seen.map(({ lateMs }) => lateMs)),
    mostSockets: Math.max(...seen.map(({ sockets }) => sockets)),
    mostMegabytes: Math.max(...seen.map(({ megabytes }) => megabytes)),
    answered: times.length,
    asked,
    slowestMs: Math.max(0, ...times),
  };
}

/** What the schedule has to keep to, whoever is there; `quiet`: how it is on this machine anyway. */
function faultsOf({ share, lateMs, answered, asked }: Watched, quiet: Watched): string[] {
  const mostLateMs = Math.max((intervalSecs * 1000) / 4, quiet.lateMs * 3);
  return [
    ...(share < Math.min(1, quiet.share) - 0.03
      ? [`only ${percent(share)} of the checks that were due`]
      : []),
    ...(lateMs > mostLateMs ? [`checks begin ${lateMs.toFixed(0)} ms late`] : []),
    ...(answered < asked ? [`${asked - answered} of ${asked} good requests not answered`] : []),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function numbersOf({ share, lateMs, answered, asked, slowestMs }: Watched): string {
  return `${percent(share)} of the checks, late ${lateMs.toFixed(1)} ms (p99), ${answered} of ${asked} answered in ${slowestMs.toFixed(0)} ms at most`;
}

// The first checks of all monitors, and what is compiled by them.
await pause(2 * intervalSecs * 1000);
const quiet = await watch(10);
printResult('X8 nobody there', numbersOf(quiet), []);

{
  const crowd = gatherCrowd({ port, ...places, counts: few, returnsASecond: 0 });
  const seen = await watch(deafSecs);
  const lives = (['idle', 'headers', 'body'] as const).map((each) => ({ each, ms: crowd.longest(each) }));
  const left = socketsOfDaemon() - quiet.mostSockets;
  const wrong = lives
    .filter(({ each, ms }) => ms === null || ms > mostSecs[each] * 1000)
    .map(({ each, ms }) => `${each} lasts ${String(ms)} ms`);
  if (left > 30) wrong.push(`${left} connections are left after ${deafSecs} s`);
  const longest = lives.map(({ each, ms }) => `${each} ${((ms ?? 0) / 1000).toFixed(0)} s`).join(', ');
  const numbers = `at most ${longest}, none after ${deafSecs} s; ${numbersOf(seen)}`;
  printResult('X8 few slow clients', numbers, wrong);
  crowd.disperse();
}

{
  const crowd = gatherCrowd({ port, ...places, counts: many, returnsASecond: 300 });
  let seen = await watch(crowdSecs);
  // A machine that is busy with something else is looked at again.
  for (let again = 0; again < 2 && faultsOf(seen, quiet).length > 0; again += 1)
    seen = await watch(crowdSecs);
  const held = seen.mostSockets - quiet.mostSockets;
  const grown = seen.mostMegabytes - quiet.mostMegabytes;
  const wrong = [
    ...(held > maxConnections * 1.1 ? [`${held} connections held`] : []),
    ...(held < maxConnections * 0.8 ? [`only ${held} connections held: this is no crowd`] : []),
    ...(grown > 150 ? [`${grown.toFixed(0)} MB more`] : []),
  ];
  const numbers = `${slownesses.map((each) => `${many[each]} ${each}`).join(', ')}: ${held} held, ${crowd.ended()} sent away, ${grown.toFixed(0)} MB more; ${numbersOf(seen)}`;
  printResult('X8 a crowd of them', numbers, [...wrong, ...faultsOf(seen, quiet)]);
  crowd.disperse();
}

{
  await pause(2000);
  const watching = watch(10);
  daemon.child.kill('SIGSTOP');
  await pause(3000);
  daemon.child.kill('SIGCONT');
  const seen = await watching;
  const wrong = faultsOf(seen, quiet).length > 0 ? [] : ['a daemon that stood still for 3 s was not noticed'];
  printResult('X8 control: a standstill', numbersOf(seen), wrong);
}

{
  const open = createServer({ headersTimeout: 0, requestTimeout: 0 }, (_request, response) => response.end());
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const address = open.address();
  const counts = { ...many, body: 0, deaf: 0, greedy: 0 };
  const crowd = gatherCrowd({
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    ...places,
    counts,
    returnsASecond: 300,
  });
  await pause(20_000);
  const held = crowd.open();
  printResult(
    'X8 control: no bounds',
    `${held} held`,
    held < maxConnections * 2 ? ['a server without bounds is not filled by this crowd'] : [],
  );
  crowd.disperse();
  open.closeAllConnections();
  open.close();
}

await daemon.end('SIGTERM');
await target.close();
rmSync(folder, { recursive: true, force: true });
process.exit(exitCode());
