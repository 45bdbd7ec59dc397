/** A daemon that stands still now and then cannot check a target that hangs: it says so once, and names what to do. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { startDaemon, type Daemon } from '../support/daemon.ts';
import { startHttp, startRaw, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from '../support/webhook-inbox.ts';

describe('a daemon that stands still for 3.6 s of every 8 s', () => {
  let hanging: Target;
  let healthy: Target;
  let inbox: WebhookInbox;
  let daemon: Daemon;
  const folder = makeFolder();
  before(async () => {
    hanging = await startRaw(() => undefined);
    healthy = await startHttp((_, response) => response.end('hello'));
    inbox = await openWebhookInbox();
    const monitor = (id: string, target: string) =>
      `[[monitors]]\nid = "${id}"\ntarget = "${target}/"\ninterval_secs = 10\nprobe_retries = 0\n`;
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]
bind = "127.0.0.1:0"

[alerts]
fail_threshold = 2
group_window_secs = 4

[[channels]]
name = "hook"
type = "webhook"
url = "${inbox.url}"

${['a', 'b'].map((id) => monitor(id, hanging.origin)).join('\n')}
${monitor('web', healthy.origin)}`,
    );
    daemon = await startDaemon(folder.path);
  });
  after(async () => {
    daemon.child.kill('SIGCONT');
    await daemon.end('SIGKILL');
    await Promise.all([hanging.close(), healthy.close(), inbox.close()]);
    folder.remove();
  });

  it('reports both targets that hang in one message, and the one that answers in none', async () => {
    for (let stops = 0; stops < 15 && inbox.messages.length === 0; stops += 1) {
      daemon.child.kill('SIGSTOP');
      await pause(3600);
      daemon.child.kill('SIGCONT');
      await pause(4400);
    }
    assert.equal(inbox.messages.length, 1);
    const [message] = inbox.messages;
    assert.equal(message?.['event'], 'unknown');
    assert.equal(message['cause'], 'standstill');
    assert.equal(message['message'], 'Cannot check 2 monitors: this host keeps standing still');
  });
});
