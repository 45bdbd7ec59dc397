/**
 * Measures how soon people hear, from the daemon as it is shipped under two thousand http monitors: fifty outages one
 * after the other, then all monitors down within a second. Two webhooks receive. Time is compressed: an interval is
 * 20 s instead of 60, a window 5 s instead of 30. Build first.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { judgeAll } from './seeding/verdict.ts';

const monitorCount = 2000;
const intervalSecs = 20;
const windowSecs = 5;
const outageCount = 50;
/** So far apart that they are no storm, which is told as one. */
const outageEveryMs = 1500;
const channels = ['ops', 'sms'];
const token = 'a-token-of-the-benchmark';
const authorized = { authorization: `Bearer ${token}` };

/** What the process with the targets is told. */
type Order = 'fail the next' | 'hold' | 'fail all' | 'be well';

/** The targets: one path a monitor. They live in a process of their own, so that they slow nobody down. */
function serveTargets(): void {
  const askedAt = new Map<string, number>();
  const failing = new Set<string>();
  const held: ServerResponse[] = [];
  let mode: Order = 'be well';
  const answer = (path: string, response: ServerResponse) =>
    response.writeHead(mode === 'fail all' || failing.has(path) ? 503 : 200).end('ok');
  const server = createServer(({ url = '' }, response) => {
    // In the order of the last request, so that the first one is asked next.
    askedAt.delete(url);
    askedAt.set(url, Date.now());
    if (mode === 'hold') held.push(response);
    else answer(url, response);
  });
  /** Within a second, some every few milliseconds. */
  const release = (responses: readonly ServerResponse[]) => {
    responses.forEach((response, index) =>
      setTimeout(() => response.writeHead(503).end('ok'), (index * 1000) / responses.length),
    );
  };
  const obey = (order: Order) => {
    if (order === 'fail the next') {
      const next = [...askedAt.keys()].find((path) => !failing.has(path));
      if (next !== undefined) failing.add(next);
      return;
    }
    if (order === 'be well') failing.clear();
    mode = order;
    if (order === 'fail all') release(held.splice(0));
  };
  process.on('message', (order: Order) => {
    obey(order);
  });
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** What a channel was sent. */
interface Heard {
  readonly at: number;
  readonly channel: string;
  readonly event: string;
  readonly confirmedAt: number;
  readonly count: number;
}

const heard: Heard[] = [];

/** This process has next to nothing to do, so what is late here is late because the machine is busy. */
const floor = monitorEventLoopDelay({ resolution: 20 });

/** How late timers of this process were since the last time this was asked. */
function floorInWords(): string {
  const words = `timers of an idle process: p99 ${(floor.percentile(99) / 1e6 - 20).toFixed(1)} ms late`;
  floor.reset();
  return words;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function receive(): Promise<Server> {
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const at = Date.now();
      response.end();
      const { event, confirmed_at, impacted } = JSON.parse(text) as {
        readonly event: string;
        readonly confirmed_at?: string;
        readonly impacted?: readonly unknown[];
      };
      const channel = (request.url ?? '').slice(1);
      heard.push({
        at,
        channel,
        event,
        confirmedAt: Date.parse(confirmed_at ?? ''),
        count: 1 + (impacted?.length ?? 0),
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function configText(targets: number, receiver: number): string {
  const receivers = channels.map(
    (name) =>
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "http://127.0.0.1:${receiver}/${name}"\n`,
  );
  const monitors = Array.from({ length: monitorCount }, (_, n) =>
    [
      `[[monitors]]\nid = "m${n}"\ntarget = "http://127.0.0.1:${targets}/m${n}"`,
      `interval_secs = ${intervalSecs}\ntimeout_secs = 60\nprobe_retries = 0\nfail_threshold = 1\n`,
    ].join('\n'),
  );
  return [
    `[server]\nbind = "127.0.0.1:0"\nauth_token = "${token}"\nrate_limit_burst = 100000\n`,
    `[alerts]\ngroup_window_secs = ${windowSecs}\n`,
    ...receivers,
    ...monitors,
  ].join('\n');
}

async function ask(url: string): Promise<string> {
  const answer = await fetch(url, { headers: authorized });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.text();
}

/** When the last incidents were confirmed, as the record says. */
async function confirmedAts(url: string, limit: number): Promise<number[]> {
  const all: number[] = [];
  for (let before = ''; all.length < limit; ) {
    const text = await ask(`${url}api/incidents?limit=200${before}`);
    const page = JSON.parse(text) as {
      readonly incidents: readonly { readonly confirmed_at: string }[];
      readonly next: string | null;
    };
    all.push(...page.incidents.map(({ confirmed_at }) => Date.parse(confirmed_at)));
    if (page.next === null) break;
    before = `&before=${page.next}`;
  }
  return all.slice(0, limit);
}

const lagOf = (metrics: string, quantile: string) =>
  1000 *
  Number(
    new RegExp(`^statusd_event_loop_lag_seconds\\{quantile="${quantile}"\\} (\\S+)$`, 'm').exec(metrics)?.[1],
  );

/** The worst of the event loop over the next minute and a bit: the daemon keeps whole minutes. */
async function worstLag(url: string): Promise<{ readonly p99Ms: number; readonly maxMs: number }> {
  const worst = { p99Ms: 0, maxMs: 0 };
  for (let passed = 0; passed < 14; passed += 1) {
    const metrics = await ask(`${url}metrics`);
    worst.p99Ms = Math.max(worst.p99Ms, lagOf(metrics, '0.99'));
    worst.maxMs = Math.max(worst.maxMs, lagOf(metrics, '1.0'));
    await pause(5000);
  }
  return worst;
}

async function reportOutages({ url }: RunningDaemon, order: (order: Order) => void): Promise<boolean> {
  for (let outage = 0; outage < outageCount; outage += 1) {
    order('fail the next');
    await pause(outageEveryMs);
  }
  await pause(windowSecs * 1000 + 5000);
  const recorded = new Set(await confirmedAts(url, 10_000));
  const delays = heard
    .filter(({ event }) => event === 'down')
    .map(({ at, confirmedAt }) => at - confirmedAt - windowSecs * 1000)
    .sort((a, b) => a - b);
  const strangers = heard.filter(({ confirmedAt }) => !recorded.has(confirmedAt)).length;
  const median = delays[Math.floor(delays.length / 2)] ?? NaN;
  console.log(
    `(${outageCount} outages, ${delays.length} messages; median ${median.toFixed(0)} ms after the window; ${floorInWords()})`,
  );
  return judgeAll([
    {
      what: 'outages that were not told on each channel',
      measured: Math.abs(recorded.size * channels.length - delays.length) + strangers,
      unit: '',
      atMost: 0,
    },
    {
      what: 'from the end of the window to the receiver, p99',
      measured: delays[Math.floor(delays.length * 0.99)] ?? NaN,
      unit: 'ms',
      atMost: 1000,
    },
  ]);
}

/** How many messages of an event a channel got within one window, at most. */
function mostInWindow(messages: readonly Heard[]): number {
  return Math.max(
    0,
    ...messages.map(
      (one) =>
        messages.filter(
          ({ at, channel }) => channel === one.channel && at >= one.at && at < one.at + windowSecs * 1000,
        ).length,
    ),
  );
}

/** Requests are held until all monitors wait for an answer or for their turn, then all fail at once. */
async function reportStorm({ url }: RunningDaemon, order: (order: Order) => void): Promise<boolean> {
  order('be well');
  await pause(intervalSecs * 2000);
  heard.length = 0;
  order('hold');
  await pause(intervalSecs * 1000 + 1000);
  order('fail all');
  const lag = worstLag(url);
  await pause(windowSecs * 1000 + 30_000);
  const confirmed = (await confirmedAts(url, monitorCount)).sort((a, b) => a - b);
  const [first = NaN, last = NaN] = [confirmed[0], confirmed.at(-1)];
  const messages = heard.filter(({ event }) => event === 'down');
  const notified = messages.reduce((sum, { count }) => sum + count, 0);
  const lastHeardAt = Math.max(...messages.map(({ at }) => at));
  const { p99Ms, maxMs } = await lag;
  const longestIdleMs = Math.max(0, floor.max / 1e6 - 20);
  console.log(
    `(${confirmed.length} confirmed within ${last - first} ms; ${messages.map(({ count }) => count).join(', ')} monitors a message; ` +
      `the last ${(lastHeardAt - last - windowSecs * 1000).toFixed(0)} ms after the last window; event loop longest ${maxMs.toFixed(0)} ms; ${floorInWords()})`,
  );
  return judgeAll([
    {
      what: 'monitors that were not told on each channel',
      measured: Math.abs(monitorCount * channels.length - notified),
      unit: '',
      atMost: 0,
    },
    {
      what: 'messages a channel in one window',
      measured: mostInWindow(messages),
      unit: '',
      atMost: 1,
    },
    { what: 'event loop in the minute of the storm, p99', measured: p99Ms, unit: 'ms', atMost: 100 },
    {
      what: 'the longest it stood still, beyond what an idle process did',
      measured: Math.max(0, maxMs - longestIdleMs),
      unit: 'ms',
      atMost: 100,
    },
  ]);
}

async function measure(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
  const targets = fork(fileURLToPath(import.meta.url), ['targets']);
  const [port] = (await once(targets, 'message')) as [number];
  const receiver = await receive();
  floor.enable();
  let daemon: RunningDaemon | null = null;
  try {
    writeFileSync(join(folder, 'statusd.toml'), configText(port, (receiver.address() as AddressInfo).port));
    daemon = await startDaemon(folder);
    await pause(intervalSecs * 1000 + 5000);
    const order = (one: Order) => targets.send(one);
    const verdicts = [await reportOutages(daemon, order), await reportStorm(daemon, order)];
    return verdicts.every(Boolean);
  } finally {
    if (daemon !== null) {
      daemon.child.kill();
      await once(daemon.child, 'exit');
    }
    receiver.close();
    targets.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'targets') serveTargets();
else process.exitCode = (await measure()) ? 0 : 1;
