import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { runHere } from '../support/operator-world.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

/** A message that the receiver got: the path it came to stands for the destination. */
interface Received {
  readonly path: string;
  readonly event: string;
  readonly monitor_id: string;
  readonly message: string;
  readonly resolution?: string;
}

const windowSecs = 3;
const received: Received[] = [];
let folder = makeFolder();
let isUp = true;
let target: Target;
let receiver: Target;
let daemons: Daemon[] = [];

before(async () => {
  target = await startHttp((_, response) => response.writeHead(isUp ? 200 : 503).end());
  receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ ...(JSON.parse(body) as Received), path: request.url ?? '' });
      response.end();
    });
  });
});
after(() => Promise.all([target.close(), receiver.close()]));
beforeEach(() => {
  folder = makeFolder();
  received.length = 0;
  isUp = true;
});
afterEach(async () => {
  await Promise.all(daemons.map((daemon) => daemon.end('SIGTERM')));
  daemons = [];
  folder.remove();
});

const head = `[server]
bind = "127.0.0.1:0"

[alerts]
fail_threshold = 1
group_window_secs = ${windowSecs}
`;

const channel = (name: string, url = `${receiver.origin}/${name}`) => `
[[channels]]
name = "${name}"
type = "webhook"
url = "${url}"
`;

const monitor = (id: string, more = '') => `
[[monitors]]
id = "${id}"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 5
probe_retries = 0
${more}
`;

function configure(...parts: readonly string[]): void {
  writeFileSync(folder.at('statusd.toml'), [head, ...parts].join(''));
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<Daemon> {
  const daemon = await startDaemon(folder.path, { env });
  daemons.push(daemon);
  return daemon;
}

async function stop(daemon: Daemon): Promise<void> {
  await daemon.end('SIGTERM');
  daemons = daemons.filter((each) => each !== daemon);
}

/** Loads another configuration; resolves when the daemon runs on it. */
async function reload(daemon: Daemon, ...parts: readonly string[]): Promise<void> {
  const before = daemon.lines.filter(({ event }) => event === 'config.reloaded').length;
  configure(...parts);
  daemon.child.kill('SIGHUP');
  await daemon.says('config.reloaded', before + 1);
}

/** What every destination got, in the order it came. */
const lines = () => received.map(({ path, event, monitor_id }) => `${path.slice(1)} ${event} ${monitor_id}`);

function gets(...wanted: readonly string[]): Promise<unknown> {
  return until(
    () => lines().toSorted().join() === wanted.toSorted().join(),
    () => `${JSON.stringify(lines())} is not ${JSON.stringify(wanted)}`,
  );
}

/** Nothing more comes for longer than a window and a check. */
async function getsNothingMore(): Promise<void> {
  const before = lines();
  await pause(windowSecs * 1000 + 1500);
  assert.deepEqual(lines(), before);
}

async function outbox(): Promise<{ channel: string; hold: string | null }[]> {
  const { stdout } = await runHere(['outbox', '--json'], { cwd: folder.path });
  return (JSON.parse(stdout) as { deliveries: { channel: string; hold: string | null }[] }).deliveries;
}

async function incidents(): Promise<{ monitor: string; ended_at: string | null }[]> {
  const { stdout } = await runHere(['incidents', '--json'], { cwd: folder.path });
  return (JSON.parse(stdout) as { incidents: { monitor: string; ended_at: string | null }[] }).incidents;
}

describe('a channel', () => {
  it('that replaces another while the alert waits is notified, of the recovery too', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await daemon.says('monitor.down');
    await reload(daemon, channel('pager'), monitor('web'));
    await gets('pager down web');
    isUp = true;
    await gets('pager down web', 'pager recovered web');
    await getsNothingMore();
  });

  it('whose variable is unset for one restart keeps its alert, which goes out when it is back', async () => {
    configure(channel('ops', '${OPS_URL}'), monitor('web'));
    const env = { OPS_URL: `${receiver.origin}/ops` };
    const first = await start(env);
    isUp = false;
    await first.says('monitor.down');
    await stop(first);
    const second = await start({ OPS_URL: '' });
    await until(
      async () => (await outbox()).some(({ hold }) => hold === 'channel_unavailable'),
      () => 'no message waits for the channel',
    );
    const { stdout } = await runHere(['explain', 'web'], { cwd: folder.path, env: { OPS_URL: '' } });
    assert.match(stdout, /channel ops is disabled/);
    await stop(second);
    await start(env);
    await gets('ops down web');
    isUp = true;
    await gets('ops down web', 'ops recovered web');
  });

  it('that is gone when the outage ends gets its recovery when it is back, and no alert it never got', async () => {
    configure(channel('ops', '${OPS_URL}'), channel('late', '${LATE_URL}'), monitor('web'));
    const late = `${receiver.origin}/late`;
    const first = await start({ OPS_URL: `${receiver.origin}/ops`, LATE_URL: '' });
    isUp = false;
    await gets('ops down web');
    await stop(first);
    const second = await start({ OPS_URL: '', LATE_URL: '' });
    isUp = true;
    await second.says('monitor.recovered');
    await stop(second);
    await start({ OPS_URL: `${receiver.origin}/ops`, LATE_URL: late });
    await gets('ops down web', 'ops recovered web');
    await getsNothingMore();
  });

  it('that is added during an outage is notified of it, and the others not again', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await gets('ops down web');
    await reload(daemon, channel('ops'), channel('pager'), monitor('web'));
    await gets('ops down web', 'pager down web');
    await reload(daemon, channel('ops'), channel('pager'), monitor('web'), '[page]\ntitle = "Another"\n');
    await getsNothingMore();
    isUp = true;
    await gets('ops down web', 'pager down web', 'ops recovered web', 'pager recovered web');
  });

  it('that is routed to a monitor during an outage by a restart is notified of it', async () => {
    configure(channel('ops'), channel('pager'), monitor('web', 'notify = ["ops"]'));
    const daemon = await start();
    isUp = false;
    await gets('ops down web');
    await stop(daemon);
    configure(channel('ops'), channel('pager'), monitor('web', 'notify = ["pager"]'));
    await start();
    await gets('ops down web', 'pager down web');
    isUp = true;
    await gets('ops down web', 'pager down web', 'ops recovered web', 'pager recovered web');
  });

  it('that is renamed keeps what it was sent: no second alert, one recovery', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await gets('ops down web');
    await reload(daemon, channel('oncall', `${receiver.origin}/ops`), monitor('web'));
    await getsNothingMore();
    isUp = true;
    await gets('ops down web', 'ops recovered web');
    await getsNothingMore();
  });
});

describe('a monitor', () => {
  it('that is renamed keeps its incident, its history and its messages', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await gets('ops down web');
    await reload(daemon, channel('ops'), monitor('shop', 'group = "front"'));
    await getsNothingMore();
    assert.deepEqual(
      (await incidents()).map(({ monitor: id, ended_at }) => [id, ended_at]),
      [['shop', null]],
    );
    isUp = true;
    await gets('ops down web', 'ops recovered shop');
    await getsNothingMore();
  });

  it('that is renamed while its alert waits is alerted under its new name', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await daemon.says('monitor.down');
    await reload(daemon, channel('ops'), monitor('shop'));
    await gets('ops down shop');
    await getsNothingMore();
  });

  it('that is removed during its outage ends it with one message, and alerts anew when it is back', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await gets('ops down web');
    await reload(daemon, channel('ops'));
    await gets('ops down web', 'ops recovered web');
    const { resolution, message } = received.at(-1) ?? {};
    assert.equal(resolution, 'monitor_removed');
    assert.match(message ?? '', /^web is no longer monitored; it was down since /);
    await getsNothingMore();
    await reload(daemon, channel('ops'), monitor('web'));
    await gets('ops down web', 'ops recovered web', 'ops down web');
  });

  it('that is removed before its alert was due alerts nobody', async () => {
    configure(channel('ops'), monitor('web'));
    const daemon = await start();
    isUp = false;
    await daemon.says('monitor.down');
    await reload(daemon, channel('ops'));
    await getsNothingMore();
    assert.deepEqual(lines(), []);
  });
});
