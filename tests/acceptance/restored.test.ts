/** A database that is backed up and put in place elsewhere is the same one for those who follow its feed. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startDaemon } from '../support/daemon.ts';
import { makeFolder } from '../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

const token = 'a-token-of-the-test';
const config = `[server]
bind = "127.0.0.1:0"

[alerts]
fail_threshold = 1

[[monitors]]
id = "job"
kind = "push"
push_token = "${token}"
`;

function place(name: string): string {
  const path = folder.at(name);
  mkdirSync(path);
  writeFileSync(join(path, 'statusd.toml'), config);
  return path;
}

/** The ids in the feed of a daemon that runs in `cwd` and hears these heartbeats. */
async function idsOf(cwd: string, statuses: readonly string[]): Promise<readonly string[]> {
  const daemon = await startDaemon(cwd);
  try {
    for (const status of statuses) {
      const response = await fetch(`${daemon.url}api/push/job?status=${status}`, {
        method: 'POST',
        headers: { 'x-push-token': token },
      });
      assert.equal(response.status, 200);
    }
    const feed = await (await fetch(`${daemon.url}history.atom`)).text();
    return Array.from(feed.matchAll(/<id>(.*?)<\/id>/g), ([, id]) => id ?? '');
  } finally {
    await daemon.end('SIGTERM');
  }
}

it('a restored database keeps the ids of its feed', async () => {
  const original = place('original');
  const restored = place('restored');
  const before = await idsOf(original, ['up', 'down']);
  assert.equal(before.length, 2);
  const backup = await runCli(['backup', join(restored, 'statusd.db')], { cwd: original });
  assert.equal(backup.code, 0, backup.stderr);
  assert.deepEqual(await idsOf(restored, []), before);
  assert.deepEqual(await idsOf(original, []), before);
});
