/**
 * Three nodes on one PostgreSQL with 2,000 monitors, one of which is killed again and again, leading or not, while some
 * targets fail and recover. `STATUSD_KILLS`: how often.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { eventsOf, type Kill, openDeliveryInbox, repeatsOf } from '../support/deliveries.ts';
import { startHttp } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { openSoakReport } from '../support/soak-report.ts';
import { makeFolder } from '../support/tiny-store.ts';

const kills = Number(process.env['STATUSD_KILLS'] ?? 20);
const leaseSecs = 10;
const intervalSecs = 20;
/** After a kill every monitor is checked again within this. */
const promisedMs = (leaseSecs + intervalSecs + 2) * 1000;
const outagesEach = 5;
/** A failure that is seen just before a kill is confirmed by the next node. */
const mostUntilNotifiedMs = promisedMs + 2 * intervalSecs * 1000;
const nodeIds = ['a', 'b', 'c'];
const ids = Array.from({ length: 2000 }, (_, index) => `m${index}`);

interface Round extends Kill {
  readonly isLeader: boolean;
  /** How long each monitor waited for its next check by nodes that live. */
  readonly waitsMs: readonly number[];
}

const { printResult, exitCode } = openSoakReport();
const random = randomOf(printedSeed());
const postgres = await startPostgres();
const database = await postgres.database();
const inbox = await openDeliveryInbox(random);
const broken = new Set<string>();
const visits = new Map<string, number[]>(ids.map((id) => [id, []]));
const target = await startHttp(({ url = '' }, response) => {
  const id = url.slice(1);
  visits.get(id)?.push(performance.now());
  response.writeHead(broken.has(id) ? 503 : 200).end();
});
const daemons = new Map<string, Daemon>();
const everyDaemon: Daemon[] = [];
const folders = new Map(nodeIds.map((id) => [id, makeFolder()]));
for (const [id, folder] of folders)
  writeFileSync(
    folder.at('statusd.toml'),
    nodeConfig({
      id,
      database,
      leaseSecs,
      windowSecs: 2,
      inbox: inbox.url,
      server: 'rate_limit_burst = 100000',
      node: 'token = "of-the-nodes"',
    }) +
      ids
        .map(
          (monitor) => `[[monitors]]
id = "${monitor}"
target = "${target.origin}/${monitor}"
interval_secs = ${intervalSecs}
timeout_secs = 5
`,
        )
        .join(''),
  );

const wrong: string[] = [];
const rounds: Round[] = [];
const failed: string[] = [];
const notifiedMs: number[] = [];
try {
  for (const id of nodeIds) await start(id);
  for (let round = 0; round < kills; round += 1) {
    await untilSteady();
    await Promise.all([killOne(round), ...nextOutages().map(failAndRecover)]);
  }
  await untilSteady();
  judgeMessages();
  judgeLogs();
} catch (error) {
  wrong.push(error instanceof Error ? error.message : String(error));
} finally {
  await Promise.all([...daemons.values()].map((daemon) => daemon.end('SIGKILL')));
  await target.close();
  await inbox.close();
  await postgres.stop();
  for (const folder of folders.values()) folder.remove();
}

const secs = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.floor(share * (sorted.length - 1))] ?? NaN) / 1000).toFixed(1);
  return `${at(0.5)} s (p50), ${at(0.99)} s (p99), ${at(1)} s (most)`;
};
const ofLeaders = rounds.filter(({ isLeader }) => isLeader);
for (const [whom, some] of [
  ['of the leader', ofLeaders],
  ['of a standby', rounds.filter(({ isLeader }) => !isLeader)],
] as const)
  console.log(
    `${some.length} kills ${whom}: checked again within ${secs(some.flatMap(({ waitsMs }) => waitsMs))}`,
  );
console.log(`taken over within ${secs(ofLeaders.map(({ tookMs }) => tookMs))}`);
console.log(
  `notified within ${secs(notifiedMs)}; ${repeatsOf(inbox.messages, rounds).length} messages came twice`,
);
for (const each of wrong.slice(1, 50)) console.log(`  ${each}`);
printResult(`${ids.length} monitors with kills`, `${rounds.length} kills, ${failed.length} outages`, wrong);
process.exit(exitCode());

async function start(id: string): Promise<void> {
  const daemon = await startDaemon(folders.get(id)?.path ?? '');
  daemons.set(id, daemon);
  everyDaemon.push(daemon);
}

async function placeOf(): Promise<{ readonly epoch: number; readonly holder: string }> {
  const [row] = await query(database, 'SELECT epoch, holder FROM statusd.place');
  return { epoch: Number(row?.['epoch']), holder: String(row?.['holder']) };
}

/** Every monitor was checked within an interval, and all nodes make checks. */
async function untilSteady(): Promise<void> {
  const isLate = (times: readonly number[]) => performance.now() - (times.at(-1) ?? 0) > promisedMs;
  let sharing: readonly unknown[] = [];
  await until(
    async () => {
      sharing = await query(database, 'SELECT id FROM statusd.node WHERE probes_per_sec > 1');
      return sharing.length === nodeIds.length && ![...visits.values()].some(isLate);
    },
    () =>
      `${[...visits.values()].filter(isLate).length} monitors are not checked, ${sharing.length} nodes make checks`,
    180_000,
  );
}

/** A standby each third time. What is killed is started again at once, as a service manager would. */
async function killOne(round: number): Promise<void> {
  await pause(random.below(10_000));
  const { epoch, holder } = await placeOf();
  const isLeader = round % 3 !== 2;
  const id = isLeader ? holder : random.pick(nodeIds.filter((each) => each !== holder));
  const daemon = daemons.get(id);
  if (daemon === undefined) throw new Error(`${id} leads, which does not run`);
  daemons.delete(id);
  const atMs = performance.now();
  await daemon.end('SIGKILL');
  const restarted = start(id);
  if (isLeader)
    await until(
      async () => (await placeOf()).epoch > epoch,
      () => 'nobody leads',
    );
  const tookMs = performance.now() - atMs;
  await pause(atMs + promisedMs - performance.now());
  // What a standby was asked for by the leader that is gone does not count.
  const sinceMs = isLeader ? atMs + tookMs : atMs;
  const late = ids.filter((each) => firstSince(each, sinceMs) > atMs + promisedMs);
  if (late.length > 0)
    wrong.push(
      `round ${round}: ${late.length} monitors are not checked in time, ${late.slice(0, 5).join(' ')}`,
    );
  await until(
    () => ids.every((each) => firstSince(each, sinceMs) < Infinity),
    () =>
      `${ids.filter((each) => firstSince(each, sinceMs) === Infinity).length} monitors are never checked again`,
  );
  const waitsMs = ids.map((each) => firstSince(each, sinceMs) - atMs);
  rounds.push({ atMs, tookMs, isLeader, waitsMs });
  const whose = isLeader
    ? `the leader ${id}, taken over after ${(tookMs / 1000).toFixed(1)} s`
    : `the standby ${id}`;
  console.log(
    `  ${rounds.length}: ${whose}, all checked after ${(Math.max(...waitsMs) / 1000).toFixed(1)} s`,
  );
  await restarted;
}

function firstSince(id: string, sinceMs: number): number {
  return visits.get(id)?.find((atMs) => atMs >= sinceMs) ?? Infinity;
}

/** Each monitor fails once at most. */
function nextOutages(): readonly string[] {
  const next: string[] = [];
  while (next.length < outagesEach) {
    const id = random.pick(ids);
    if (!failed.includes(id) && !next.includes(id)) next.push(id);
  }
  failed.push(...next);
  return next;
}

/** It fails before the kill or while nobody leads, and later. */
async function failAndRecover(id: string): Promise<void> {
  await pause(random.below(2 * leaseSecs * 1000));
  broken.add(id);
  const beganMs = performance.now();
  const named = (event: string) =>
    until(
      () => inbox.count(event, id) > 0,
      () => `${event} of ${id} is not notified`,
      mostUntilNotifiedMs,
    );
  await named('down');
  notifiedMs.push(performance.now() - beganMs);
  await pause(random.below(3000));
  broken.delete(id);
  await named('recovered');
}

function judgeMessages(): void {
  for (const id of failed) {
    const events = eventsOf(inbox.messages, id).join(', ');
    if (events !== 'down, recovered') wrong.push(`${id} failed once, and its messages are: ${events}`);
  }
  for (const { event, monitors } of inbox.messages) {
    if (event !== 'down' && event !== 'recovered') wrong.push(`a message ${event} of ${monitors.join(' ')}`);
    const others = monitors.filter((id) => !failed.includes(id));
    if (others.length > 0) wrong.push(`${event} of ${others.join(' ')}, which never failed`);
  }
  for (const { earlier, kill } of repeatsOf(inbox.messages, rounds))
    if (kill === null)
      wrong.push(`${earlier.event} of ${earlier.monitors.join(' ')} came twice without a kill`);
}

/** An incident that nobody was notified of is a false alarm on the page all the same. */
function judgeLogs(): void {
  const lines = everyDaemon.flatMap((daemon) => daemon.lines);
  for (const { event, message, monitor } of lines)
    if (event === 'monitor.down' && !failed.includes(String(monitor)))
      wrong.push(`an incident of what never failed: ${message}`);
}
