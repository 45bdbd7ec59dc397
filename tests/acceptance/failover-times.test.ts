/** Two nodes whose database is slow, or one of whose clocks is wrong: no false take-over, and alerts in time. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { nodeConfig } from '../support/node-config.ts';
import {
  type LossyWay,
  lossyWay,
  type Postgres,
  query,
  skipWithoutPostgres,
  startPostgres,
} from '../support/postgres.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const preload = new URL('../programs/set-clock.mjs', import.meta.url);
interface NodeOptions {
  readonly database: string;
  readonly leaseSecs: number;
  readonly windowSecs: number;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}

describe('two nodes', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let database = '';
  let target: Target;
  let isUp = true;
  let inbox: WebhookInbox;
  const ways: LossyWay[] = [];
  const folders: ReturnType<typeof makeFolder>[] = [];
  const daemons: Daemon[] = [];

  before(async () => {
    postgres = await startPostgres();
    target = await startHttp((_, response) => response.writeHead(isUp ? 200 : 503).end());
  });
  after(async () => {
    await target.close();
    await postgres.stop();
  });
  beforeEach(async () => {
    database = await postgres.database();
    inbox = await openWebhookInbox();
    isUp = true;
  });
  afterEach(async () => {
    await Promise.all(daemons.splice(0).map((daemon) => daemon.end('SIGKILL')));
    await Promise.all(ways.splice(0).map((way) => way.stop()));
    await inbox.close();
    for (const folder of folders.splice(0)) folder.remove();
  });

  const start = async (id: string, options: NodeOptions): Promise<Daemon> => {
    const folder = makeFolder();
    folders.push(folder);
    writeFileSync(folder.at('offset'), String(options.aheadMs ?? 0));
    writeFileSync(
      folder.at('statusd.toml'),
      nodeConfig({ id, ...options, inbox: inbox.url }) +
        `
[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
    );
    const env = { NODE_OPTIONS: `--import ${preload.href}`, STATUSD_TEST_CLOCK: folder.at('offset') };
    const daemon = await startDaemon(folder.path, { env });
    daemons.push(daemon);
    return daemon;
  };
  const roleOf = async ({ url }: Daemon) =>
    ((await (await fetch(`${url}healthz`)).json()) as { readonly role: string }).role;
  const leads = (daemon: Daemon) =>
    until(
      async () => (await roleOf(daemon)) === 'leader',
      () => 'it does not lead',
    );
  const epochOf = async () =>
    Number((await query(database, 'SELECT epoch FROM statusd.place'))[0]?.['epoch']);
  const received = (event: string) => inbox.of(event, 'web').length;
  const receives = (event: string) =>
    until(
      () => received(event) > 0,
      () => `no ${event}; ${inbox.messages.map((one) => one.event).join(', ')}`,
    );
  const endsWell = async () => {
    isUp = true;
    await receives('recovered');
    assert.deepEqual([received('down'), received('recovered')], [1, 1]);
  };

  it('with a database that takes 1.4 s to answer keep their leader, and it notifies', async () => {
    const way = await lossyWay(database);
    ways.push(way);
    const options = { leaseSecs: 15, windowSecs: 8 };
    const a = await start('a', { ...options, database: way.url });
    await leads(a);
    const b = await start('b', { ...options, database: way.url });
    await b.says('node.standby');
    const epoch = await epochOf();
    way.delay(700);
    await pause(17_000);
    isUp = false;
    await receives('down');
    await endsWell();
    assert.deepEqual([await roleOf(a), await roleOf(b)], ['leader', 'standby']);
    assert.equal(await epochOf(), epoch);
  });

  for (const [who, aheadOfA, aheadOfB] of [
    ['leader', 60_000, 0],
    ['standby', 0, 60_000],
  ] as const)
    it(`of which the ${who} is a minute ahead hand over what waits in time, and neither leads too early`, async () => {
      // The other node leads well before the window is over.
      const options = { database, leaseSecs: 5, windowSecs: 14 };
      const a = await start('a', { ...options, aheadMs: aheadOfA });
      await leads(a);
      const b = await start('b', { ...options, aheadMs: aheadOfB });
      await b.says('node.standby');
      const epoch = await epochOf();
      await pause(7000);
      assert.equal(await epochOf(), epoch);
      isUp = false;
      await a.says('monitor.down');
      const dueMs = performance.now() + options.windowSecs * 1000;
      // It is in the database by then, and its window is open.
      await pause(1000);
      await a.end('SIGKILL');
      daemons.splice(daemons.indexOf(a), 1);
      await receives('down');
      const lateMs = Math.round(performance.now() - dueMs);
      assert.ok(lateMs >= -500 && lateMs <= 1000, `${lateMs} ms after it was due`);
      await endsWell();
      assert.equal(await epochOf(), epoch + 1);
    });
});
