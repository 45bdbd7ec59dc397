/** The real daemon under a clock that is set: what is down is notified in time, what was recorded stays. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

const hour = 3_600_000;
const day = 24 * hour;
const windowMs = 2000;
/** The machine that runs the tests may be busy; the steps are hours. */
const slackMs = 8000;

const preload = new URL('../programs/set-clock.mjs', import.meta.url);

interface Sent {
  readonly event: string;
  readonly monitor_id: string;
  readonly duration_secs?: number;
  readonly atMs: number;
}

const folder = makeFolder();
const sent: Sent[] = [];
const web = { status: 200 };
let target: Target;
let receiver: Target;
let daemon: Daemon;

function setClock(offsetMs: number): void {
  writeFileSync(folder.at('offset.new'), String(offsetMs));
  renameSync(folder.at('offset.new'), folder.at('offset'));
}

const env = {
  NODE_OPTIONS: `--import ${preload.href}`,
  STATUSD_TEST_CLOCK: folder.at('offset'),
};

const config = () => `[server]
bind = "127.0.0.1:0"

[alerts]
unstable = false
fail_threshold = 2
recover_threshold = 2
group_window_secs = ${windowMs / 1000}

[[channels]]
name = "hook"
type = "webhook"
url = "${receiver.origin}/"

[[monitors]]
id = "web"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`;

before(async () => {
  target = await startHttp((_, response) => response.writeHead(web.status).end());
  receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      sent.push({ ...(JSON.parse(body) as Sent), atMs: performance.now() });
      response.end();
    });
  });
  writeFileSync(folder.at('statusd.toml'), config());
  setClock(0);
  daemon = await startDaemon(folder.path, { env });
});
after(async () => {
  await daemon.end('SIGTERM');
  await Promise.all([target.close(), receiver.close()]);
  folder.remove();
});

async function received(event: string, count: number): Promise<Sent> {
  return until(
    () => sent.filter((each) => each.event === event)[count - 1],
    () => `${event} ${count}: ${JSON.stringify(sent)}`,
    windowMs + slackMs + 10_000,
  );
}

interface Incident {
  readonly started_at: string;
  readonly ended_at: string | null;
}

async function incidents(): Promise<Incident[]> {
  const { stdout } = await runCli(['incidents', '--json', '--limit', '50'], { cwd: folder.path, env });
  return (JSON.parse(stdout) as { incidents: Incident[] }).incidents;
}

/** An outage in which the clock is set; answers how late it was notified, and how long it was said to be. */
async function outageWith(count: number, offsetMs: number) {
  web.status = 503;
  await daemon.says('monitor.down', count);
  const confirmedMs = performance.now();
  setClock(offsetMs);
  const { atMs } = await received('down', count);
  web.status = 200;
  const { duration_secs } = await received('recovered', count);
  return {
    lateMs: atMs - confirmedMs - windowMs,
    secs: duration_secs ?? -1,
    realSecs: (performance.now() - confirmedMs) / 1000,
  };
}

describe('a daemon whose clock is set during an outage', () => {
  for (const [index, [name, offsetMs]] of (
    [
      ['an hour back', -hour],
      ['right again', 0],
      ['400 days ahead', 400 * day],
      ['right again after that', 0],
    ] as const
  ).entries()) {
    it(`notifies in time, and says how long it lasted: ${name}`, async () => {
      const { lateMs, secs, realSecs } = await outageWith(index + 1, offsetMs);
      assert.ok(lateMs <= slackMs, `${lateMs} ms late`);
      assert.ok(secs > 0 && Math.abs(secs - realSecs) <= 10, `${secs} s instead of ${realSecs} s`);
      const lines = daemon.lines.filter(({ event }) => event === 'node.clock_moved');
      assert.equal(lines.length, index + 1);
    });
  }

  it('keeps every incident, and takes samples in as before', async () => {
    assert.equal((await incidents()).length, 4);
    const last = async () => {
      const answer = await fetch(`${daemon.url}api/summary`);
      const { monitors } = (await answer.json()) as { monitors: { last_checked: string | null }[] };
      return Date.parse(monitors[0]?.last_checked ?? '');
    };
    await until(
      async () => Math.abs((await last()) - Date.now()) < 5000,
      () => 'the last check is not of now',
    );
  });

  it('notifies in time after a restart under another clock', async () => {
    setClock(hour);
    await daemon.says('node.clock_moved', 5);
    web.status = 503;
    await daemon.says('monitor.down', 5);
    await daemon.end('SIGTERM');
    setClock(0);
    const startedMs = performance.now();
    daemon = await startDaemon(folder.path, { env });
    const { atMs } = await received('down', 5);
    assert.ok(atMs - startedMs <= windowMs + slackMs, `${atMs - startedMs} ms after the start`);
    web.status = 200;
    const { duration_secs } = await received('recovered', 5);
    assert.ok((duration_secs ?? -1) > 0 && (duration_secs ?? Infinity) < 120, `${duration_secs} s`);
  });
});
