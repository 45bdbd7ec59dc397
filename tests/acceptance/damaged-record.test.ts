import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startDaemon, type Daemon } from '../support/daemon.ts';
import { makeFolder } from '../support/tiny-store.ts';

const token = 'a-token-of-the-tests';

/** Flips a bit of the record that holds `text`, in whatever log has it. */
function damage(folder: ReturnType<typeof makeFolder>, text: string): void {
  for (const name of readdirSync(folder.path).filter((entry) => /-log\.\d+$/.test(entry))) {
    const bytes = readFileSync(folder.at(name));
    const at = bytes.indexOf(text);
    if (at < 0) continue;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(folder.at(name), bytes);
    return;
  }
  assert.fail(`no log holds ${text}`);
}

describe('one damaged record', () => {
  const folder = makeFolder();
  let daemon: Daemon;
  before(async () => {
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]\nbind = "127.0.0.1:0"\nauth_token = "${token}"\nrate_limit_burst = 1000\n
[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 600\npush_token = "${token}"\n`,
    );
    daemon = await startDaemon(folder.path);
  });
  after(async () => {
    await daemon.end('SIGKILL');
    folder.remove();
  });

  const cli = async (...args: string[]) => {
    const result = await runCli([...args, '--json'], { cwd: folder.path });
    assert.equal(result.code, 0, result.stderr);
    return JSON.parse(result.stdout) as unknown;
  };
  const post = async (path: string) => {
    const answer = await fetch(`${daemon.url}api/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200);
    return await answer.json();
  };
  const silences = async () => {
    const listed = (await cli('silence', 'list')) as { silences: { id: number; reason: string }[] };
    return listed.silences.map(({ id, reason }) => `${id} ${reason}`);
  };
  const banners = async () => {
    const listed = (await cli('announce', 'list')) as { announcements: { id: number; title: string }[] };
    return listed.announcements.map(({ id, title }) => `${id} ${title}`).sort();
  };

  it('shifts no number: what was cleared stays cleared, and what lasts keeps its number', async () => {
    await cli('silence', 'job', '1h', 'silence-one');
    await post('silence?monitors=all&duration=1h&reason=silence-two');
    await cli('silence', 'all', '1h', 'silence-three');
    await cli('silence', 'all', '1h', 'silence-four');
    await cli('silence', 'clear', '3');
    await post('announce?title=banner-one');
    await cli('announce', 'banner-two');
    await post('announce?title=banner-three');
    await cli('announce', 'clear', '2');
    await daemon.end('SIGKILL');
    damage(folder, 'silence-one');
    damage(folder, 'banner-one');
    daemon = await startDaemon(folder.path);
    assert.ok(daemon.lines.some(({ event }) => event === 'store.warning'));
    assert.deepEqual(await silences(), ['2 silence-two', '4 silence-four']);
    assert.deepEqual(await banners(), ['3 banner-three']);
    assert.deepEqual(await post('announce?title=banner-four'), {
      id: 4,
      title: 'banner-four',
      severity: 'info',
      until: null,
    });
  });
});
