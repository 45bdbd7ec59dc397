import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { announcements } from '../../src/db/tables/announcements.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

const noDaemon =
  /^statusd: no daemon is running on .*statusd\.db: the change takes effect when `statusd serve` starts\n$/;
const health = JSON.stringify({ status: 'ok', scheduler_ok: true, db_ok: true });

describe('a change that an operator types', () => {
  let world: OperatorWorld;
  let server: Target;
  let answer = health;
  before(async () => {
    server = await startHttp((_, response) => response.end(answer));
    world = makeOperatorWorld();
    await world.write(
      announcements.add({ title: 'there', body: null, severity: 'info', untilAt: null, createdAt: 0 }),
    );
  });
  after(async () => {
    await server.close();
    world.remove();
  });
  afterEach(() => {
    bind(1);
    answer = health;
  });

  const bind = (port: number) => {
    const file = join(world.cwd, 'statusd.toml');
    const text = readFileSync(file, 'utf8').replace(/\[server\]\n(bind = .*\n)?/, '');
    writeFileSync(file, `[server]\nbind = "127.0.0.1:${port}"\n${text.trimStart()}`);
  };
  const titles = () => world.read((sql) => announcements.active(sql, 0).map(({ title }) => title));
  const changes = [
    ['announce', 'x'],
    ['silence', 'db', '1m'],
    ['silence', 'clear', '--all'],
    ['announce', 'clear', '--all'],
    ['outbox', 'retry'],
  ];

  it('says that no daemon runs, and is done; not with --quiet or --offline', async () => {
    bind(1);
    for (const args of changes) {
      const { code, stderr } = await world.run(...args);
      assert.equal(code, 0, args.join(' '));
      assert.match(stderr, noDaemon);
      for (const option of ['--quiet', '--offline'])
        assert.deepEqual(
          await world.run(...args, option).then(({ code: ended, stderr: said }) => [ended, said]),
          [0, ''],
        );
    }
  });

  it('says nothing beside the daemon of the database, wherever that listens', async () => {
    const daemon = await world.openDaemon();
    try {
      bind(server.port);
      for (const args of changes) {
        const { code, stderr } = await world.run(...args);
        assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      }
    } finally {
      await daemon.close();
    }
  });

  it('is refused when the daemon at the configured address uses another database, but not offline', async () => {
    bind(server.port);
    const before = await titles();
    for (const args of [...changes, ['annotate', 'last', 'x'], ['outbox', 'drop', '1']]) {
      const { code, stdout, stderr } = await world.run(...args);
      assert.deepEqual([code, stdout], [4, ''], args.join(' '));
      assert.match(
        stderr,
        /^statusd: the daemon at http:\/\/127\.0\.0\.1:\d+ does not use the database .*statusd\.db\n {2}.*--offline/,
      );
    }
    assert.deepEqual(await titles(), before);
    assert.equal((await world.run('announce', 'offline', '--offline')).code, 0);
    assert.ok((await titles()).includes('offline'));
  });

  it('is refused by the daemon whose disk takes nothing, which says so', async () => {
    bind(server.port);
    answer = JSON.stringify({ status: 'degraded', scheduler_ok: true, db_ok: false });
    const { code, stderr } = await world.run('announce', 'z');
    assert.equal(code, 4);
    assert.match(stderr, /\n {2}Its disk takes nothing at the moment: see \/healthz\./);
  });

  it('is not refused because another program listens there', async () => {
    bind(server.port);
    answer = '<html>hello</html>';
    const { code, stderr } = await world.run('announce', 'y');
    assert.equal(code, 0);
    assert.match(stderr, noDaemon);
  });
});
