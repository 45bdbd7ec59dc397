/** S5 with the program itself: commands write while the daemon writes, and is killed. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../src/db/store/store.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { outbox } from '../../src/db/tables/outbox.ts';
import { runCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { broken, found, type Promised, type Row } from './promises.ts';
import { openRealStore } from '../support/real-store.ts';

const writerCount = 8;
/** How the daemon ends while each of them writes; a polite end writes a checkpoint. */
const ends = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL'] as const;
const token = 'a-token-of-the-tests';
const pushed = { monitor: 'job', steady: 'beat' };

const folder = makeFolder();
let target: Target;
let checks = 0;
let daemon: Daemon | null = null;
before(async () => {
  target = await startHttp((_, response) => {
    checks += 1;
    response.end('hello');
  });
});
after(async () => {
  await daemon?.end('SIGKILL');
  await target.close();
  folder.remove();
});

const push = (id: string) => `
[[monitors]]
id = "${id}"
kind = "push"
interval_secs = 3600
fail_threshold = 1
push_token = "${token}"
`;

const config = () => `[server]
bind = "127.0.0.1:0"
rate_limit_burst = 100000

[alerts]
group_window_secs = 600

[[channels]]
name = "nobody"
type = "webhook"
url = "${target.origin}/"

[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
${push(pushed.monitor)}${push(pushed.steady)}`;

async function within<T>(role: 'reader' | 'writer', work: (store: Store) => T | Promise<T>): Promise<T> {
  const file = folder.at('statusd.db');
  const store = await openRealStore(file, { role });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function run(): Promise<Daemon> {
  daemon = await startDaemon(folder.path);
  return daemon;
}

const look = () => within('reader', ({ sql }) => found(sql, Date.now(), pushed));

/** A second message about an outage, which nothing decided. */
function strayDelivery(sql: SqlReader) {
  const [outage] = incidents.list(sql, { limit: 1, monitors: [pushed.monitor] }).incidents;
  return outbox.put({
    deliveryId: 'stray',
    channel: 'nobody',
    event: 'down',
    monitor: pushed.monitor,
    incident: outage?.uid ?? null,
    payload: {},
    createdAt: Date.now(),
    nextAt: Date.now(),
  });
}

const closedIncident = (uid: string, startedAt: number) => [
  incidents.open({
    uid,
    monitor: 'web',
    name: 'web',
    startedAt,
    confirmedAt: startedAt + 1,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  }),
  incidents.close({ uid, endedAt: startedAt + 2 }),
];

/** One incident for each note that will be written; answers their numbers. */
async function prepareIncidents(count: number): Promise<number[]> {
  const startedAt = Date.now() - 86_400_000;
  return within('writer', async ({ write, sql }) => {
    await write(Array.from({ length: count }, (_, n) => closedIncident(`old-${n}`, startedAt + n)).flat());
    return incidents.list(sql, { limit: count }).incidents.map(({ id }) => id);
  });
}

interface Ledger extends Promised {
  readonly silences: Row[];
  readonly announcements: Row[];
  readonly notes: Row[];
  readonly pings: number[];
}

const ledger: Ledger = { silences: [], announcements: [], notes: [], pings: [] };
const refusals: string[] = [];
const cli = (...args: string[]) => runCli([...args, '--json'], { cwd: folder.path });

interface Turn {
  readonly writer: number;
  readonly wave: number;
  /** The number of the one to annotate. */
  readonly incident: number;
}

/** One command of the kind that is this writer's turn; what it was told is kept. */
async function writeOnce({ writer, wave, incident }: Turn): Promise<void> {
  const words = `writer ${writer} wave ${wave}`;
  const kind = (['silences', 'announcements', 'notes'] as const)[(writer + wave) % 3] ?? 'notes';
  const { code, stdout, stderr } = await {
    silences: () => cli('silence', 'web,beat', '1h', words),
    announcements: () => cli('announce', words),
    notes: () => cli('annotate', String(incident), words),
  }[kind]();
  if (code !== 0) {
    refusals.push(`${kind} of ${words}: ${code ?? 'a signal'} ${stderr}`);
    return;
  }
  const answer = JSON.parse(stdout) as { readonly id?: number; readonly ids?: readonly number[] };
  ledger[kind].push({ id: answer.id ?? answer.ids?.[0] ?? NaN, words });
}

/** Heartbeats one after the other to whichever daemon is there; every third says that the job failed. */
async function beat(monitor: string, first: number, life: { url: string; isOver: boolean }): Promise<void> {
  for (let ping = first; !life.isOver; ping += 2) {
    const status = monitor === pushed.monitor && ping % 3 === 0 ? 'down' : 'up';
    const headers = { 'x-push-token': token };
    const query = `status=${status}&ping=${ping}&msg=${'x'.repeat(400)}`;
    const answer = await fetch(`${life.url}api/push/${monitor}?${query}`, { method: 'POST', headers }).catch(
      () => null,
    );
    if (answer?.status === 200) ledger.pings.push(ping);
    else await pause(20);
  }
}

/** How many logs the database has had: one more with every checkpoint. */
const lastLog = () =>
  Math.max(
    ...readdirSync(folder.path).map((name) => Number(/^statusd\.db-log\.(\d+)$/.exec(name)?.[1] ?? 0)),
  );

describe('S5: eight commands at a time beside a daemon that is killed', () => {
  it('lose nothing, double nothing, and leave nothing in part', async () => {
    const seed = printedSeed();
    const random = randomOf(seed);
    const numbers = await prepareIncidents(writerCount * ends.length);
    writeFileSync(folder.at('statusd.toml'), config());
    const life = { url: (await run()).url, isOver: false };
    const beating = Promise.all([beat(pushed.monitor, 1, life), beat(pushed.steady, 2, life)]);
    try {
      for (const [wave, signal] of ends.entries()) {
        const before = ledger.pings.length;
        await until(
          () => ledger.pings.length > before + 3,
          () => 'no heartbeat is taken',
        );
        const writing = Array.from({ length: writerCount }, (_, writer) =>
          writeOnce({ writer, wave, incident: numbers[wave * writerCount + writer] ?? 0 }),
        );
        await pause(random.below(900));
        await daemon?.end(signal);
        // Half of them write to nobody but the disk, the other half beside a daemon that starts.
        await Promise.all(writing.slice(writerCount / 2));
        life.url = (await run()).url;
        await Promise.all(writing);
      }
    } finally {
      life.isOver = true;
      await beating;
    }
    await daemon?.end('SIGKILL');

    const there = await look();
    const { silences, announcements, notes, pings } = ledger;
    console.log(
      `  ${silences.length} silences, ${announcements.length} banners, ${notes.length} notes, ${pings.length} heartbeats, ` +
        `${ends.length} ends of the daemon, ${lastLog()} logs`,
    );
    assert.deepEqual(broken(ledger, there), [], `seed ${seed}`);
    assert.deepEqual(refusals, []);
    assert.equal(silences.length + announcements.length + notes.length, writerCount * ends.length);
    assert.ok(pings.length > 15 && checks > 3, JSON.stringify({ pings, checks }));
  });

  it('would be caught losing one, doubling one, or leaving one in part', async () => {
    const [silence] = ledger.silences;
    assert.ok(silence !== undefined);
    await cli('silence', 'web', '1h', silence.words);
    await within('writer', ({ write, sql }) => write([strayDelivery(sql)]));
    const never = { id: 9999, words: 'never written' };
    const promised = {
      silences: [...ledger.silences, never],
      announcements: [...ledger.announcements, { ...never, id: ledger.announcements[0]?.id ?? 0 }],
      notes: ledger.notes,
      pings: [...ledger.pings, 2_000_000],
    };
    const wrong = broken(promised, await look()).map((one) =>
      one.replace(/(?<=incident )\S+|"writer[^"]*"|\d+/g, '…'),
    );
    assert.deepEqual(wrong, [
      'incident … has … deliveries, … decisions',
      'silences … is lost, not "never written"',
      'silences: … twice',
      'announcements … is …, not "never written"',
      'heartbeat … is lost',
    ]);
  });
});
