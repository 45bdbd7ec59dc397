/**
 * Measures the whole daemon as it is shipped, under two thousand http monitors, while pages are read, heartbeats come
 * in and a checkpoint is made: how late checks begin, what answers take, how much memory. Time is compressed: an
 * interval is 20 s instead of 60. Build first.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './measure.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { judgeAll } from './seeding/verdict.ts';

const monitorCount = 2000;
const intervalSecs = 20;
const warmSecs = 25;
const runSecs = 60;
const heartbeatsASecond = 80;
const token = 'a-token-of-the-benchmark';
const authorized = { authorization: `Bearer ${token}`, 'x-push-token': token };

function configText(origin: string): string {
  const monitors = Array.from(
    { length: monitorCount },
    (_, n) => `[[monitors]]\nid = "m${n}"\ntarget = "${origin}/"\ninterval_secs = ${intervalSecs}\n`,
  );
  return [
    `[server]\nbind = "127.0.0.1:0"\nauth_token = "${token}"\nrate_limit_burst = 100000\n`,
    `[[monitors]]\nid = "job"\nkind = "push"\npush_token = "${token}"\n`,
    ...monitors,
  ].join('\n');
}

/** The value of a summary's quantile in a text of metrics, in ms. */
function quantileMs(metrics: string, name: string, quantile: string): number {
  const line = new RegExp(`^${name}\\{quantile="${quantile}"\\} (\\S+)$`, 'm').exec(metrics);
  return Number(line?.[1]) * 1000;
}

/** How long one answer took, in ms. */
async function timeOf(url: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: authorized });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  await answer.arrayBuffer();
  return performance.now() - startedAt;
}

/** How many heartbeats a second, each with a message that fills the log. */
async function beat(url: string, until: { isOver: boolean }): Promise<number> {
  let count = 0;
  while (!until.isOver) {
    const message = `${count}${'x'.repeat(480)}`;
    const answer = await fetch(`${url}api/push/job?msg=${message}`, { method: 'POST', headers: authorized });
    await answer.arrayBuffer();
    count += 1;
    await pause(1000 / heartbeatsASecond);
  }
  return count;
}

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

async function measure({ child, url }: RunningDaemon): Promise<boolean> {
  await pause(warmSecs * 1000);
  const until = { isOver: false };
  const beating = beat(url, until);
  const seen = { p99Ms: 0, maxMs: 0, pageMs: 0, summaryMs: 0, bytes: 0, loopMs: 0 };
  for (let passed = 0; passed < runSecs; passed += 1) {
    seen.pageMs = Math.max(seen.pageMs, await timeOf(url));
    if (passed % 10 === 0) seen.summaryMs = Math.max(seen.summaryMs, await timeOf(`${url}api/summary`));
    seen.bytes = Math.max(seen.bytes, residentBytes(child.pid ?? 0));
    if (passed % 5 === 4) {
      const metrics = await (await fetch(`${url}metrics`, { headers: authorized })).text();
      const name = 'statusd_scheduler_lateness_seconds';
      seen.p99Ms = Math.max(seen.p99Ms, quantileMs(metrics, name, '0.99'));
      seen.maxMs = Math.max(seen.maxMs, quantileMs(metrics, name, '1.0'));
      seen.loopMs = quantileMs(metrics, 'statusd_event_loop_lag_seconds', '0.99');
    }
    await pause(1000);
  }
  until.isOver = true;
  console.log(
    `(${await beating} heartbeats; event loop p99 ${seen.loopMs.toFixed(1)} ms; slowest page ${seen.pageMs.toFixed(0)} ms, ` +
      `slowest summary ${seen.summaryMs.toFixed(0)} ms)`,
  );
  return judgeAll([
    { what: 'lateness of a check, p99 of the worst 10 s', measured: seen.p99Ms, unit: 'ms', atMost: 50 },
    { what: 'lateness of a check, longest', measured: seen.maxMs, unit: 'ms', atMost: 500 },
    { what: 'memory', measured: seen.bytes / 1024 ** 2, unit: 'MiB', atMost: 300 },
  ]);
}

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
const server = await startServer();
let daemon: RunningDaemon | null = null;
try {
  writeFileSync(join(folder, 'statusd.toml'), configText(server.origin));
  daemon = await startDaemon(folder);
  process.exitCode = (await measure(daemon)) ? 0 : 1;
} finally {
  if (daemon !== null) {
    daemon.child.kill();
    await once(daemon.child, 'exit');
  }
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
