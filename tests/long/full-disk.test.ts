import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const token = 'a-token-of-the-tests';
const probe = openSmallDisk();
probe?.close();

describe('a daemon whose disk is full', { skip: probe === null && 'a tmpfs needs root' }, () => {
  const web = { status: 200 };
  let target: Target;
  let inbox: WebhookInbox;
  let disk: SmallDisk;
  let folder: ReturnType<typeof makeFolder>;
  let daemon: Daemon;
  const running = new Set<Daemon>();

  before(async () => {
    target = await startHttp((_, response) => response.writeHead(web.status).end('hello'));
  });
  after(() => target.close());
  beforeEach(async () => {
    web.status = 200;
    inbox = await openWebhookInbox();
    folder = makeFolder();
    const small = openSmallDisk();
    assert.ok(small !== null);
    disk = small;
    writeFileSync(folder.at('statusd.toml'), config());
  });
  afterEach(async () => {
    for (const each of running) await each.end('SIGKILL');
    running.clear();
    disk.close();
    folder.remove();
    await inbox.close();
  });

  const config = () => `[server]
bind = "127.0.0.1:0"
database_path = "${disk.at('statusd.db')}"
auth_token = "${token}"
rate_limit_burst = 100000

[alerts]
fail_threshold = 2
group_window_secs = 1

[[channels]]
name = "hook"
type = "webhook"
url = "${inbox.url}"

[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0

[[monitors]]
id = "job"
kind = "push"
interval_secs = 600
push_token = "${token}"
`;

  async function start(): Promise<void> {
    daemon = await startDaemon(folder.path);
    running.add(daemon);
  }

  const ask = (method: string, path: string, body?: object) =>
    fetch(`${daemon.url}api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-push-token': token,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const health = async () => {
    const answer = await fetch(`${daemon.url}healthz`);
    const { db_ok } = (await answer.json()) as { db_ok: boolean };
    return { status: answer.status, isDurable: db_ok };
  };
  const titles = async () => {
    const { announcements } = (await (await fetch(`${daemon.url}api/summary`)).json()) as {
      announcements: { title: string }[];
    };
    return announcements.map(({ title }) => title).sort();
  };

  /** Pins banners until the disk takes no more; answers which were acknowledged and which refused. */
  async function announceUntilFull() {
    const acknowledged: string[] = [];
    const refused: string[] = [];
    for (let next = 0; refused.length < 50; next += 1) {
      assert.ok(next < 2000, 'the disk never gets full');
      const title = `banner ${next}`;
      const answer = await ask('POST', `announce?title=${encodeURIComponent(title)}`);
      if (answer.status === 200) acknowledged.push(title);
      else {
        assert.equal(answer.status, 503);
        assert.equal(answer.headers.get('retry-after'), '5');
        assert.equal(answer.headers.get('content-type'), 'application/problem+json');
        refused.push(title);
      }
    }
    return { acknowledged, refused };
  }

  it('refuses what it cannot keep, alerts all the same, and keeps every word after kill -9', async () => {
    await start();
    disk.fill();
    const { acknowledged, refused } = await announceUntilFull();
    await until(
      async () => !(await health()).isDurable,
      () => 'healthz does not say that the disk is full',
    );
    assert.equal((await health()).status, 503);
    const answers = {
      announce: (await ask('POST', 'announce?title=too%20late')).status,
      clear: (await ask('DELETE', 'announce')).status,
      silence: (await ask('POST', 'silence?monitors=web&duration=1h')).status,
      alert: (await ask('POST', 'monitors/job/alert', { title: 'too late' })).status,
      push: (await ask('POST', 'push/job')).status,
    };
    assert.deepEqual(answers, { announce: 503, clear: 503, silence: 503, alert: 503, push: 503 });
    assert.deepEqual(await titles(), [...acknowledged].sort(), 'what was refused shows');

    web.status = 500;
    await until(
      () => inbox.of('down', 'web').length > 0 && inbox.of('storage_failing').length > 0,
      () => `no alert: ${JSON.stringify(inbox.messages)}`,
    );
    assert.equal(inbox.of('storage_failing').length, 1, 'it alerts once that the disk is full');
    assert.equal(inbox.of('alert').length, 0, 'a refused alert was sent');

    await daemon.end('SIGKILL');
    disk.free();
    await start();
    assert.deepEqual(await titles(), [...acknowledged].sort(), `${refused.length} were refused`);
  });

  it('writes what waited when there is space again', async () => {
    await start();
    disk.fill();
    const { acknowledged } = await announceUntilFull();
    web.status = 500;
    await until(
      () => inbox.of('down', 'web').length > 0,
      () => `no alert: ${JSON.stringify(inbox.messages)}`,
    );
    disk.free();
    await until(
      async () => (await health()).isDurable,
      () => 'healthz does not say that there is space again',
    );
    assert.equal((await ask('POST', 'announce?title=again')).status, 200);
    await daemon.end('SIGKILL');
    web.status = 200;
    await start();
    assert.deepEqual(await titles(), [...acknowledged, 'again'].sort());
    await until(
      () => inbox.of('recovered', 'web').length > 0,
      () => `the outage was not kept: ${JSON.stringify(inbox.messages)}`,
    );
    assert.equal(inbox.of('down', 'web').length, 1, 'it was sent again');
  });

  for (const { state, refuse } of [
    {
      state: 'full',
      refuse: () => {
        disk.fill();
      },
    },
    {
      state: 'read-only',
      refuse: () => {
        disk.remount('ro');
      },
    },
  ]) {
    for (const isThere of [true, false]) {
      it(`starts on a ${state} disk ${isThere ? 'with' : 'without'} a database: it alerts, and writes later`, async () => {
        if (isThere) {
          await start();
          assert.equal((await ask('POST', 'announce?title=kept')).status, 200);
          await daemon.end('SIGKILL');
        }
        refuse();
        await start();
        assert.deepEqual(await health(), { status: 503, isDurable: false });
        assert.deepEqual(await titles(), isThere ? ['kept'] : []);
        assert.equal((await ask('POST', 'announce?title=refused')).status, 503);
        web.status = 500;
        await until(
          () => inbox.of('down', 'web').length > 0 && inbox.of('storage_failing').length > 0,
          () => `no alert: ${JSON.stringify(inbox.messages)}`,
        );
        assert.equal(inbox.of('storage_failing').length, 1);
        if (state === 'full') disk.free();
        else disk.remount('rw');
        await until(
          async () => (await health()).isDurable,
          () => 'it does not write again',
        );
        assert.equal((await ask('POST', 'announce?title=after')).status, 200);
        await daemon.end('SIGKILL');
        web.status = 200;
        await start();
        assert.deepEqual(await titles(), isThere ? ['after', 'kept'] : ['after']);
        await until(
          () => inbox.of('recovered', 'web').length > 0,
          () => `the outage was not kept: ${JSON.stringify(inbox.messages)}`,
        );
        assert.equal(inbox.of('down', 'web').length, 1, 'it was sent again');
      });
    }
  }
});
