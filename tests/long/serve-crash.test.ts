import assert from 'node:assert/strict';
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { announcements } from '../../src/db/tables/announcements.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { silences } from '../../src/db/tables/silences.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';
import { runCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { casesOf, printedSeed, randomOf } from '../support/random.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openRealStore } from '../support/real-store.ts';

const kills = casesOf(6, 20);

/** Shorter than a write takes: one is on its way most of the time, and the processors are not kept. */
const breath = () => pause(5);

let target: Target;
let isUp = true;
before(async () => {
  target = await startHttp((_, response) => response.writeHead(isUp ? 200 : 503).end('hello'));
});
after(() => target.close());

let folder: ReturnType<typeof makeFolder>;
let daemon: Daemon | null = null;
beforeEach(() => {
  folder = makeFolder();
  isUp = true;
});
afterEach(async () => {
  await daemon?.end('SIGKILL');
  daemon = null;
  folder.remove();
});

const token = 'a-token-of-the-tests';
const config = () => `[server]
bind = "127.0.0.1:0"
auth_token = "${token}"
rate_limit_burst = 100000

[alerts]
fail_threshold = 2

[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0

[[monitors]]
id = "job"
kind = "push"
interval_secs = 5
grace_secs = 2
push_token = "${token}"
`;

async function start(): Promise<Daemon> {
  writeFileSync(folder.at('statusd.toml'), config());
  daemon = await startDaemon(folder.path);
  return daemon;
}

/** What the files say now, to somebody who only reads. */
async function read<T>(look: (sql: SqlReader) => T): Promise<T> {
  const store = await openRealStore(folder.at('statusd.db'), { role: 'reader' });
  try {
    return look(store.sql);
  } finally {
    await store.close();
  }
}

const cli = (...args: string[]) => runCli(args, { cwd: folder.path });
const post = (url: string, path: string) =>
  fetch(`${url}api/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-push-token': token },
  });

describe('after kill -9', () => {
  it('an open incident goes on, and ends with the next healthy check', async () => {
    isUp = false;
    const first = await start();
    await first.says('monitor.down');
    const [before] = await read((sql) => incidents.listOpen(sql));
    await first.end('SIGKILL');
    const second = await start();
    await pause(1500);
    const open = await read((sql) => incidents.listOpen(sql).filter(({ monitor }) => monitor === 'web'));
    assert.deepEqual(
      open.map(({ uid }) => uid),
      [before?.uid],
    );
    assert.ok(!second.lines.some(({ event, monitor }) => event === 'monitor.down' && monitor === 'web'));
    isUp = true;
    await second.says('monitor.recovered');
    const page = await read((sql) => incidents.list(sql, { limit: 10, monitors: ['web'] }));
    assert.deepEqual(
      page.incidents.map(({ uid, endedAt }) => [uid, endedAt !== null]),
      [[before?.uid, true]],
    );
  });

  it(`nothing that was acknowledged is lost (${kills} times)`, async () => {
    const seed = printedSeed();
    const random = randomOf(seed);
    const kept = { pings: [] as number[], reasons: [] as string[], titles: [] as string[] };
    let next = 1;
    for (let cycle = 0; cycle < kills; cycle += 1) {
      const { url, end } = await start();
      const lives = { isOver: false };
      const over = () => lives.isOver;
      const pushing = async () => {
        while (!over()) {
          const ping = next++;
          const answer = await post(url, `push/job?ping=${ping}`).catch(() => null);
          if (answer?.status === 200) kept.pings.push(ping);
          await breath();
        }
      };
      const silencing = async () => {
        while (!over()) {
          const reason = `reason-${next++}`;
          const answer = await post(url, `silence?monitors=web&duration=1h&reason=${reason}`).catch(
            () => null,
          );
          if (answer?.status === 200) kept.reasons.push(reason);
          await breath();
        }
      };
      const announcing = async () => {
        const title = `title-${next++}`;
        const { code } = await cli('announce', title);
        if (code === 0) kept.titles.push(title);
      };
      const work = [pushing(), pushing(), silencing(), announcing()];
      const acknowledged = kept.pings.length;
      await until(
        () => kept.pings.length > acknowledged,
        () => 'no heartbeat is taken',
      );
      await pause(random.below(300));
      await end('SIGKILL');
      lives.isOver = true;
      await Promise.all(work);
    }
    const lost = async () => {
      const nowAt = Date.now();
      const found = await read((sql) => ({
        pings: samples.list(sql, 'job', { fromAt: nowAt - 600_000, toAt: nowAt + 60_000 }),
        reasons: silences.active(sql, nowAt),
        titles: announcements.active(sql, nowAt),
      }));
      const pings = new Set(found.pings.map(({ latencyMs }) => latencyMs));
      const reasons = new Set(found.reasons.map(({ reason }) => reason));
      const titles = new Set(found.titles.map(({ title }) => title));
      return [
        ...kept.pings.filter((ping) => !pings.has(ping)),
        ...kept.reasons.filter((reason) => !reasons.has(reason)),
        ...kept.titles.filter((title) => !titles.has(title)),
      ];
    };
    assert.deepEqual(await lost(), [], `seed ${seed}`);
    assert.ok(
      kept.pings.length > kills && kept.reasons.length > kills / 4 && kept.titles.length > kills / 4,
      JSON.stringify(kept),
    );

    // The same question, asked of a disk that forgot the end of what was synced to it.
    for (const name of readdirSync(folder.path).filter((entry) => entry.startsWith('statusd.db-log.'))) {
      truncateSync(folder.at(name), Math.floor(statSync(folder.at(name)).size / 2));
    }
    assert.notDeepEqual(await lost(), []);
  });
});

describe('a process that stalled', () => {
  it('reports nothing down when it goes on, and still notices what really fails', async () => {
    const { child, url, lines, says } = await start();
    assert.equal((await post(url, 'push/job')).status, 200);
    await until(
      async () => read((sql) => samples.recent(sql, 'web', { limit: 3, hours: 1 }).length === 3),
      () => 'nothing was checked',
    );
    child.kill('SIGSTOP');
    await pause(8000);
    child.kill('SIGCONT');
    await pause(1500);
    assert.equal((await post(url, 'push/job')).status, 200);
    await pause(500);
    assert.deepEqual(
      lines.filter(({ event }) => event === 'monitor.down'),
      [],
    );
    isUp = false;
    assert.equal((await says('monitor.down'))['monitor'], 'web');
  });
});
