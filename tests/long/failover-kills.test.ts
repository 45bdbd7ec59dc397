/** Three nodes, the leading one of which is killed again and again while targets fail and recover. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { deferred } from '../../src/engine/core/deferred.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { type Delivery, eventsOf, type Kill, openDeliveryInbox, repeatsOf } from '../support/deliveries.ts';
import { startHttp } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import { type Postgres, query, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { casesOf, printedSeed, type Random, randomOf } from '../support/random.ts';
import { makeFolder } from '../support/tiny-store.ts';

const leaseSecs = 5;
/** The lease runs out at most this long after a kill, and a node looks when it does; the rest is for a busy machine. */
const mostTakeOverMs = leaseSecs * 1000 + 2000;
const nodeIds = ['a', 'b', 'c'];
const monitorIds = Array.from({ length: 8 }, (_, index) => `m${index}`);
const token = 'a-token-of-the-tests';

/** When, after the beginning of a round, the leader is killed and each monitor fails; how long after its alert it recovers. */
interface Round {
  /** It begins as soon as a node leads, and not when the outages of the rounds before were notified. */
  readonly isAtOnce: boolean;
  readonly killMs: number;
  readonly outages: readonly { readonly failsMs: number; readonly lastsMs: number }[];
}

function roundOf(random: Random): Round {
  const isAtOnce = random.below(4) === 0;
  const killMs = random.below(isAtOnce ? 1000 : 2000);
  const outages = monitorIds.map(() => ({ failsMs: random.below(3000), lastsMs: random.below(1500) }));
  return { isAtOnce, killMs, outages };
}

function untilMs(moment: number): Promise<unknown> {
  return pause(Math.max(0, moment - performance.now()));
}

/** Each outage of a monitor is one incident, named by one delivery of `down` and later one of `recovered`. */
function assertPairs(messages: readonly Delivery[], monitor: string, outages: number): void {
  const events = Array.from({ length: outages }, () => ['down', 'recovered']).flat();
  assert.deepEqual(eventsOf(messages, monitor), events, monitor);
}

/** So no incident has two deliveries of one event, and none is named that is no outage. */
function assertIncidents(messages: readonly Delivery[], outages: number): void {
  for (const event of ['down', 'recovered']) {
    const deliveries = new Map(
      messages.filter((message) => message.event === event).map((each) => [each.deliveryId, each.incidents]),
    );
    const incidents = [...deliveries.values()].flat().sort((a, b) => a - b);
    assert.deepEqual(
      incidents,
      Array.from({ length: outages }, (_, index) => index + 1),
      event,
    );
  }
}

function said(daemon: Daemon, event: string): number {
  return daemon.lines.filter((line) => line.event === event).length;
}

/** A database with nodes of its own, what they watch, and where they notify. */
async function openWorld(
  database: string,
  { random, windowSecs }: { readonly random: Random; readonly windowSecs: number },
) {
  const broken = new Set<string>();
  const target = await startHttp(({ url = '' }, response) =>
    response.writeHead(broken.has(url.slice(1)) ? 503 : 200).end(),
  );
  const deliveries = await openDeliveryInbox(random);
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
        windowSecs,
        inbox: deliveries.url,
        server: `auth_token = "${token}"\nrate_limit_burst = 100000`,
      }) +
        `
[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "${token}"
${monitorIds
  .map(
    (monitor) => `
[[monitors]]
id = "${monitor}"
target = "${target.origin}/${monitor}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
  )
  .join('')}`,
    );
  return {
    database,
    deliveries,
    broken,
    daemons,
    start: async (id: string) => {
      const daemon = await startDaemon(folders.get(id)?.path ?? '');
      everyDaemon.push(daemon);
      daemons.set(id, daemon);
    },
    /** How often a node began to lead. */
    turns: () => everyDaemon.reduce((sum, daemon) => sum + said(daemon, 'node.leads'), 0),
    /** Who leads is killed, so only one of those that live has ever led. */
    leader: () =>
      until(
        () => [...daemons].find(([, daemon]) => said(daemon, 'node.leads') > 0),
        () => 'nobody leads',
      ),
    close: async () => {
      await Promise.all([...daemons.values()].map((daemon) => daemon.end('SIGKILL')));
      await deliveries.close();
      await target.close();
      for (const folder of folders.values()) folder.remove();
    },
  };
}

describe('kills of the node that leads', { skip: skipWithoutPostgres, concurrency: true }, () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  // Side by side, since they mostly wait for leases.
  const variations = [
    { windowSecs: 0, kills: casesOf(8, 200), each: 'in a message of its own' },
    { windowSecs: 0, kills: casesOf(8, 200), each: 'in a message of its own, once more' },
    { windowSecs: 2, kills: casesOf(4, 100), each: 'in messages about many' },
  ];
  for (const [variation, { windowSecs, kills, each }] of variations.entries())
    it(`${kills} at any moment lose and double no alert of ${kills * monitorIds.length} outages, ${each}`, async (t) => {
      const seed = (printedSeed() + variation) >>> 0;
      const random = randomOf(seed);
      const rounds = Array.from({ length: kills }, () => roundOf(random));
      const world = await openWorld(await postgres.database(), { random: randomOf(seed + 1), windowSecs });
      t.after(world.close);
      const { database, deliveries, broken, daemons, start, leader, turns } = world;
      const { messages } = deliveries;
      const killed: Kill[] = [];
      const acknowledged: string[] = [];
      const begun = rounds.map(() => deferred<number>());
      const notified = rounds.map(() => deferred<null>());
      const missing = rounds.map(() => monitorIds.length);
      let isOver = false;

      const receives = (event: string, monitor: string, count: number) =>
        deliveries.until(
          () => deliveries.count(event, monitor) >= count,
          () =>
            `${event} ${count} of ${monitor}, killed at ${JSON.stringify(killed)}: ${JSON.stringify(messages.filter(({ monitors }) => monitors.includes(monitor)))}`,
        );
      const failAndRecover = async (monitor: string, index: number) => {
        for (const [number, { outages }] of rounds.entries()) {
          const { failsMs = 0, lastsMs = 0 } = outages[index] ?? {};
          await untilMs(((await begun[number]?.promise) ?? 0) + failsMs);
          broken.add(monitor);
          await receives('down', monitor, number + 1);
          missing[number] = (missing[number] ?? 0) - 1;
          if (missing[number] === 0) notified[number]?.resolve(null);
          await pause(lastsMs);
          broken.delete(monitor);
          await receives('recovered', monitor, number + 1);
        }
      };
      const killLeaders = async () => {
        const restarts: Promise<void>[] = [];
        for (const [number, { isAtOnce, killMs }] of rounds.entries()) {
          if (!isAtOnce)
            await Promise.all([...restarts, ...notified.slice(0, number).map(({ promise }) => promise)]);
          const [id, daemon] = await leader();
          const startedMs = performance.now();
          begun[number]?.resolve(startedMs);
          await untilMs(startedMs + killMs);
          daemons.delete(id);
          const atMs = performance.now();
          await daemon.end('SIGKILL');
          restarts.push(start(id));
          await leader();
          killed.push({ atMs, tookMs: performance.now() - atMs });
          assert.equal(turns(), number + 2);
        }
        await Promise.all(restarts);
      };
      const push = async () => {
        for (let beat = 0; !isOver; beat += 1) {
          const { url = '' } = [...daemons.values()][beat % daemons.size] ?? {};
          const isTaken = await fetch(`${url}api/push/job?msg=beat-${beat}-`, {
            method: 'POST',
            headers: { 'x-push-token': token },
            signal: AbortSignal.timeout(3000),
          }).then(
            ({ status }) => status === 200,
            () => false,
          );
          if (isTaken) acknowledged.push(`beat-${beat}-`);
          await pause(400);
        }
      };

      for (const id of nodeIds) await start(id);
      await leader();
      const pushing = push();
      await Promise.all([killLeaders(), ...monitorIds.map(failAndRecover)]).finally(() => {
        isOver = true;
      });
      await pushing;

      const took = killed.map(({ tookMs }) => Math.round(tookMs)).sort((a, b) => a - b);
      const most = took.at(-1) ?? Infinity;
      const repeats = repeatsOf(messages, killed);
      t.diagnostic(
        `taken over within ${took[Math.floor(took.length / 2)]} ms (p50), ${most} ms (most); ${repeats.length} of ${messages.length} messages were repeats; ${acknowledged.length} heartbeats`,
      );
      for (const monitor of monitorIds) assertPairs(messages, monitor, kills);
      assertIncidents(messages, kills * monitorIds.length);
      for (const event of new Set(messages.map((message) => message.event)))
        assert.ok(['down', 'recovered'].includes(event), event);
      assert.ok(messages.every(({ monitors }) => !monitors.includes('job')));
      assert.deepEqual(
        repeats.filter(({ kill }) => kill === null),
        [],
      );
      // The channel takes one message at a time.
      assert.equal(new Set(repeats.map(({ kill }) => kill)).size, repeats.length);
      assert.ok(most <= mostTakeOverMs, `a take-over took ${most} ms`);
      const log = await query(database, 'SELECT seq, payload FROM statusd.log ORDER BY seq');
      const seqs = log.map(({ seq }) => Number(seq));
      assert.deepEqual(
        seqs.filter((seq, index) => seq !== (seqs[0] ?? 0) + index),
        [],
      );
      const written = log.map(({ payload }) => String(payload)).join('\n');
      assert.deepEqual(
        acknowledged.filter((beat) => !written.includes(beat)),
        [],
      );
      for (const daemon of daemons.values()) assert.equal(said(daemon, 'node.steps_down'), 0);
    });
});
