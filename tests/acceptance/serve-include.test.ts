import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startDaemon, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

let folder = makeFolder();
let target: Target;
let daemon: Daemon | null = null;

before(async () => {
  target = await startHttp((_, response) => response.end('ok'));
});
after(() => target.close());
beforeEach(() => {
  folder = makeFolder();
  mkdirSync(folder.at('conf.d'));
  writeFileSync(
    folder.at('statusd.toml'),
    `include = ["conf.d/*.toml"]\n[server]\nbind = "127.0.0.1:0"\n${monitor('main')}`,
  );
  writeFileSync(folder.at('conf.d/a.toml'), monitor('a'));
});
afterEach(async () => {
  await daemon?.end('SIGTERM');
  daemon = null;
  folder.remove();
});

const monitor = (id: string, more = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "${target.origin}/"\n${more}`;

async function start(): Promise<Daemon> {
  daemon = await startDaemon(folder.path);
  return daemon;
}

const reloaded = async (from: Daemon, count = 1) => (await from.says('config.reloaded', count)).message;

describe('a running daemon', () => {
  it('reloads when an included file changes, appears or disappears, without a signal', async () => {
    const running = await start();
    assert.match((await running.says('daemon.ready')).message, /watches 2 monitors/);
    writeFileSync(folder.at('conf.d/a.toml'), monitor('a', 'interval_secs = 30\n'));
    assert.equal(await reloaded(running), 'statusd.toml was reloaded: restarted a; 1 unchanged');
    writeFileSync(folder.at('conf.d/b.tmp'), monitor('b'));
    renameSync(folder.at('conf.d/b.tmp'), folder.at('conf.d/b.toml'));
    assert.equal(await reloaded(running, 2), 'statusd.toml was reloaded: started b; 2 unchanged');
    rmSync(folder.at('conf.d/a.toml'));
    assert.equal(await reloaded(running, 3), 'statusd.toml was reloaded: stopped a; 2 unchanged');
    rmSync(folder.at('conf.d'), { recursive: true });
    assert.equal(await reloaded(running, 4), 'statusd.toml was reloaded: stopped b; 1 unchanged');
    mkdirSync(folder.at('conf.d'));
    writeFileSync(folder.at('conf.d/c.toml'), monitor('c'));
    assert.equal(await reloaded(running, 5), 'statusd.toml was reloaded: started c; 1 unchanged');
  });

  it('keeps everything as it was while an included file has an error, and says where', async () => {
    const running = await start();
    writeFileSync(folder.at('conf.d/a.toml'), monitor('other'));
    writeFileSync(folder.at('conf.d/b.toml'), `\n${monitor('main')}`);
    await running.says('config.rejected');
    const { message, file, line } = await running.says('config.problem');
    assert.equal(
      message,
      'conf.d/b.toml:3:6  monitor "main": id is used by an earlier monitor: "main", at statusd.toml:5; choose another id',
    );
    assert.deepEqual([file, line], [folder.at('conf.d/b.toml'), 3]);
    assert.ok(!running.lines.some(({ event }) => event === 'config.reloaded'));
    writeFileSync(folder.at('conf.d/b.toml'), monitor('b'));
    assert.equal(
      await reloaded(running),
      'statusd.toml was reloaded: started other, b; stopped a; 1 unchanged',
    );
  });

  it('reads them again on SIGHUP', async () => {
    const running = await start();
    running.child.kill('SIGHUP');
    assert.equal(await reloaded(running), 'statusd.toml was reloaded: 2 unchanged');
  });
});
