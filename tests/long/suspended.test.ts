import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

const windowSecs = 4;

describe('a daemon that is suspended while an outage waits out its window', () => {
  const web = { status: 200 };
  let target: Target;
  let inbox: WebhookInbox;
  let folder: ReturnType<typeof makeFolder>;
  let daemon: Daemon;
  before(async () => {
    target = await startHttp((_, response) => response.writeHead(web.status).end('hello'));
  });
  after(() => target.close());
  beforeEach(async () => {
    web.status = 200;
    inbox = await openWebhookInbox();
    folder = makeFolder();
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]
bind = "127.0.0.1:0"

[alerts]
fail_threshold = 2
group_window_secs = ${windowSecs}

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
`,
    );
    daemon = await startDaemon(folder.path);
  });
  afterEach(async () => {
    daemon.child.kill('SIGCONT');
    await daemon.end('SIGKILL');
    await inbox.close();
    folder.remove();
  });

  /** Stops the daemon inside the window of an outage, does `meanwhile`, and lets it go on after the window. */
  async function suspendInWindow(meanwhile: () => Promise<void>): Promise<void> {
    web.status = 500;
    await daemon.says('monitor.down');
    daemon.child.kill('SIGSTOP');
    const stoppedAt = performance.now();
    await meanwhile();
    await pause(Math.max(0, windowSecs * 1000 + 1000 - (performance.now() - stoppedAt)));
    daemon.child.kill('SIGCONT');
  }
  const silence = async (...args: string[]) => {
    const { code, stderr } = await runCli(['silence', ...args], { cwd: folder.path });
    assert.equal(code, 0, stderr);
  };

  it('sends nothing that was silenced meanwhile', async () => {
    await suspendInWindow(() => silence('web', '1h'));
    await pause(4000);
    assert.deepEqual(inbox.messages, []);
    await silence('clear', '--all');
    await until(
      () => inbox.of('down', 'web').length > 0,
      () => 'it is not sent when the silence is cleared',
    );
  });

  it('sends what was not silenced', async () => {
    await suspendInWindow(() => Promise.resolve());
    await until(
      () => inbox.of('down', 'web').length > 0,
      () => 'no alert',
    );
    await pause(1000);
    assert.equal(inbox.messages.length, 1);
  });
});
