import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { askHealth } from '../../../src/commands/healthcheck/health.ts';
import { runCli } from '../../support/cli.ts';
import { startHttp, type Target } from '../../support/http-target.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = makeFolder();
const answers: Record<string, [status: number, body: string]> = {
  '/healthz': [
    200,
    '{"status":"ok","scheduler_ok":true,"db_ok":true,"last_tick_age":1.6,"id":null,"peers":{}}',
  ],
  '/ill/healthz': [503, '{"status":"degraded","scheduler_ok":false,"db_ok":false,"last_tick_age":90}'],
  '/other/healthz': [200, '<p>hello \u001b[2J</p>'],
  '/moved/healthz': [301, '{"scheduler_ok":true}'],
  '/long/healthz': [200, ' '.repeat(300 * 1024)],
};
let target: Target;

before(async () => {
  target = await startHttp(({ url = '' }, response) => {
    const [status, body] = answers[url] ?? [404, ''];
    // Nobody answers there.
    if (url === '/silent/healthz') return;
    response.writeHead(status).end(body);
  });
});
after(async () => {
  await target.close();
  folder.remove();
});

const ask = (path: string, ...args: string[]) =>
  runCli(['healthcheck', '--url', `${target.origin}${path}`, ...args], { cwd: folder.path });

describe('statusd healthcheck', { concurrency: 2 }, () => {
  it('ends with 0 when the daemon is healthy', async () => {
    const { code, stdout, stderr } = await ask('');
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'ok, last tick 2 s ago\n', stderr: '' });
    assert.equal((await ask('', '--quiet')).stdout, '');
  });

  it('ends with 1 when it is not, and says why', async () => {
    const { code, stdout } = await ask('/ill', '--quiet');
    assert.equal(code, 1);
    assert.equal(
      stdout,
      'not healthy: the scheduler is stalled; the database is not written, last tick 90 s ago\n',
    );
  });

  it('prints what was answered as JSON', async () => {
    const { code, stdout } = await ask('/ill', '--json');
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), {
      ok: false,
      url: `${target.origin}/ill/healthz`,
      health: { status: 'degraded', scheduler_ok: false, db_ok: false, last_tick_age: 90 },
    });
  });

  it('ends with 1 when something else answers', async () => {
    for (const path of ['/other', '/moved', '/nowhere', '/long']) {
      const { code, stdout, stderr } = await ask(path);
      assert.deepEqual({ path, code, stdout }, { path, code: 1, stdout: '' });
      assert.match(stderr, /not like statusd|too long/);
    }
  });

  it('ends with 1 when nothing listens at the address of the configuration', async () => {
    const { code, stderr } = await runCli(['healthcheck'], {
      cwd: folder.path,
      env: { STATUSD_CONFIG: '/dev/null', STATUSD_BIND: '127.0.0.1:9' },
    });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^statusd: no daemon answers at http:\/\/127\.0\.0\.1:9: the connection is refused\n/,
    );
  });

  it('ends with 1 and a sentence, whatever keeps it from asking', async () => {
    const unreadable = join(folder.path, 'broken.toml');
    writeFileSync(unreadable, 'this is no TOML');
    const cases: readonly (readonly string[])[] = [
      ['--nosuch'],
      ['surplus'],
      ['--url'],
      ['--url', 'ftp://example.com'],
      ['--help=please'],
      ['--config', join(folder.path, 'missing.toml')],
      ['--config', unreadable],
      ['--config', folder.path],
    ];
    const env = { STATUSD_BIND: '127.0.0.1:9' };
    for (const args of cases) {
      const { code, stdout, stderr } = await runCli(['healthcheck', ...args], { cwd: folder.path, env });
      assert.deepEqual({ args, code, stdout }, { args, code: 1, stdout: '' });
      assert.match(stderr, /^statusd: \S/);
      assert.doesNotMatch(stderr, /unexpected|\n\s+at /);
    }
  });

  it('asks the address that statusd.env sets, also beside a configuration that cannot be used', async () => {
    const beside = mkdtempSync(join(folder.path, 'beside-'));
    writeFileSync(join(beside, 'statusd.env'), `STATUSD_BIND=127.0.0.1:${target.port}\n`);
    for (const toml of ['', '[server]\nbind = "127.0.0.1:9"\n[[monitors]]\n']) {
      writeFileSync(join(beside, 'statusd.toml'), toml);
      const { code, stderr } = await runCli(['healthcheck'], { cwd: beside, env: {} });
      assert.equal(code, 0, stderr);
    }
  });

  it('asks the address of the configuration', async () => {
    const env = { STATUSD_CONFIG: '/dev/null', STATUSD_BIND: `127.0.0.1:${target.port}` };
    assert.equal((await runCli(['healthcheck'], { cwd: folder.path, env })).code, 0);
  });
});

describe('statusd healthcheck with a configuration that was broken by an edit', () => {
  const file = join(folder.path, 'edited.toml');
  const check = (text: string, env = {}) => {
    writeFileSync(file, text);
    return runCli(['healthcheck', '-c', file], { cwd: folder.path, env });
  };

  it('asks the daemon, which runs on', async () => {
    const server = `[server]\nbind = "127.0.0.1:\${PORT:-${target.port}}"\n`;
    const broken = [
      `intervl = 1\n${server}`,
      `${server}bond = "x"\n[[monitors]]\nid = 3`,
      `[page]\ntitle = "x\n${server} [[monitors]]\nid = "a\n`,
      `${server}bind_ = \nauth_token = "x`,
    ];
    for (const text of broken) {
      const { code, stdout, stderr } = await check(text);
      assert.deepEqual(
        { text, code, stdout, stderr },
        { text, code: 0, stdout: 'ok, last tick 2 s ago\n', stderr: '' },
      );
    }
  });

  it('needs none when the address comes from the environment', async () => {
    const env = { STATUSD_BIND: `127.0.0.1:${target.port}` };
    assert.equal((await check('this is no TOML', env)).code, 0);
    assert.equal((await runCli(['healthcheck'], { cwd: folder.path, env })).code, 0);
  });

  it('says that the configuration is broken, too, when the daemon is not reached', async () => {
    const { code, stderr } = await check('[server]\nbind = "127.0.0.1:9"\nbond = 1\n');
    assert.equal(code, 1);
    assert.equal(
      stderr,
      [
        'statusd: no daemon answers at http://127.0.0.1:9: the connection is refused',
        '  Is `statusd serve` running with this configuration?',
        '  Besides, edited.toml:3:1  server.bond: is an unknown key; did you mean bind?',
        '',
      ].join('\n'),
    );
  });

  it('names the variable that gives no address to ask', async () => {
    const { code, stderr } = await check('', { STATUSD_BIND: 'nonsense' });
    assert.equal(code, 1);
    assert.match(stderr, /^statusd: \$STATUSD_BIND is nonsense, which names no port to ask\n/);
  });
});

describe('asking', () => {
  it('waits no longer than asked to', async () => {
    await assert.rejects(askHealth(new URL(`${target.origin}/silent/healthz`), 50), {
      code: 'daemon_unreachable',
      message: `no daemon answers at ${target.origin}: no answer within 0.05 s`,
    });
  });
});
