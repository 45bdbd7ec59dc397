import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { bin, runCli, startCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon, type DaemonOptions } from '../support/daemon.ts';
import { runHere } from '../support/operator-world.ts';
import { startPty } from '../support/pty.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

let target: Target;
let isUp = true;
let asked = 0;
before(async () => {
  target = await startHttp((_, response) => {
    asked += 1;
    response.writeHead(isUp ? 200 : 503).end('hello');
  });
});
after(() => target.close());

const monitor = (id: string, more = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "${target.origin}/"\ninterval_secs = 1\ntimeout_secs = 1\nprobe_retries = 0\n${more}`;
const head = '[server]\nbind = "127.0.0.1:0"\nrate_limit_burst = 1000\n[alerts]\nfail_threshold = 2\n';

let folder: ReturnType<typeof makeFolder>;
const running = new Set<Daemon>();
beforeEach(() => {
  folder = makeFolder();
  isUp = true;
});
afterEach(async () => {
  for (const daemon of running) await daemon.end('SIGKILL');
  running.clear();
  folder.remove();
});

const write = (text: string) => {
  writeFileSync(folder.at('statusd.toml'), text);
};
const start = async (options: DaemonOptions = {}): Promise<Daemon> => {
  const daemon = await startDaemon(folder.path, options);
  running.add(daemon);
  return daemon;
};
const cli = (...args: string[]) => runCli(args, { cwd: folder.path });

interface Summary {
  readonly monitors: readonly { readonly id: string; readonly status: string }[];
}
const summaryOf = async ({ url }: Daemon) => (await (await fetch(`${url}api/summary`)).json()) as Summary;

describe('statusd serve', () => {
  it('logs its settings, serves, and ends with 0 within five seconds of SIGTERM', async () => {
    write(
      `${head}${monitor('web', 'notify = []\n')}[[channels]]\nname = "pager"\ntype = "pushover"\ntoken = ""\nuser = "u"\n`,
    );
    const daemon = await start();
    const [first, ...rest] = daemon.lines;
    assert.match(first?.message ?? '', /^statusd \d+\.\d+\.\d+ reads \//);
    assert.ok(rest.some(({ message }) => message === `the database is ${folder.at('statusd.db')}`));
    const warnings = rest.filter(({ event }) => event === 'config.warning').map(({ message }) => message);
    assert.match(warnings.join('\n'), /^statusd\.toml:\d+:\d+ {2}monitor "web": notify /m);
    assert.match(
      (await daemon.says('daemon.ready')).message,
      /^ready at http:\/\/127\.0\.0\.1:\d+\/: watches 1 monitor, no channels; disabled: pager \(token is empty\)$/,
    );
    await until(
      async () =>
        (await summaryOf(daemon)).monitors.find(({ id, status }) => id === 'web' && status === 'up'),
      () => 'web is not up',
    );
    const health = await fetch(`${daemon.url}healthz`);
    assert.equal(health.status, 200);
    const healthy = await cli('healthcheck', '--url', daemon.url);
    assert.deepEqual([healthy.code, healthy.stdout.slice(0, 2)], [0, 'ok']);

    const startedAt = performance.now();
    const { code, stderr } = await daemon.end('SIGTERM');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.ok(performance.now() - startedAt < 5000);
    assert.deepEqual(
      daemon.lines.slice(-2).map(({ message }) => message),
      ['stopping: got SIGTERM', 'stopped'],
    );
    assert.equal(readFileSync(folder.at('statusd.db')).subarray(0, 15).toString(), 'SQLite format 3');
    const gone = await cli('healthcheck', '--url', daemon.url);
    assert.equal(gone.code, 1);
  });

  it('ends with 0 while a client hangs on to its connection', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    const { port } = new URL(daemon.url);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /api/silence HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n');
    await new Promise((resolve) => socket.once('connect', resolve));
    const startedAt = performance.now();
    assert.equal((await daemon.end('SIGINT')).code, 0);
    assert.ok(performance.now() - startedAt < 5000);
  });

  it('ends at once for a second signal', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    // A request that never ends keeps it from ending before the second signal. Two that are pending at once have no order.
    const socket = connect(Number(new URL(daemon.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n');
    await (await fetch(`${daemon.url}healthz`)).text();
    daemon.child.kill('SIGINT');
    await daemon.says('daemon.stopping');
    assert.equal((await daemon.end('SIGTERM')).code, 143);
    socket.destroy();
  });

  it('refuses a database that another daemon has, and names it, also where that has the address too', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    for (const env of [{}, { STATUSD_BIND: new URL(daemon.url).host }]) {
      const startedAt = performance.now();
      const { code, stderr } = await runCli(['serve'], { cwd: folder.path, env });
      assert.equal(code, 4);
      assert.match(stderr, new RegExp(`in use by another statusd \\(pid ${daemon.child.pid ?? 0}, since 20`));
      assert.ok(performance.now() - startedAt < 4000);
    }
  });

  it('refuses an address that is taken before it checks or writes anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    write(`${head.replace(':0', `:${port}`)}${monitor('web')}`);
    asked = 0;
    const { code, stderr } = await cli('serve');
    other.close();
    assert.equal(code, 4);
    assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}`));
    assert.equal(asked, 0);
    assert.deepEqual(readdirSync(folder.path), ['statusd.toml']);
    write(`${head}${monitor('web')}`);
    assert.equal((await (await start()).end('SIGTERM')).code, 0);
  });

  it('refuses a configuration with an error, with its place', async () => {
    write('[[monitors]]\nid = "web"\nkind = "htp"\n');
    const { code, stdout, stderr } = await cli('serve');
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^statusd: statusd\.toml:3:8 {2}monitor "web": kind /);
    assert.ok(!existsSync(folder.at('statusd.db-log.1')));
  });

  it('writes for people on a terminal, in colour', async () => {
    write(`${head}${monitor('web')}`);
    const pty = startPty(['serve'], { cwd: folder.path, columns: 120, rows: 24 });
    try {
      await pty.until(() => pty.raw().includes('ready at http:'), 'that it is ready');
      process.kill((await pty.place()).pid, 'SIGTERM');
      await pty.ended;
    } finally {
      await pty.end();
    }
    assert.match(pty.raw(), /\d\d:\d\d:\d\d\S* \S+✓\S+ ready at http:/);
    assert.match(pty.raw(), /stopped\r\nexit:0 stty:same\r\n$/);
  });
});

describe('what ends it besides', () => {
  it('an uncaught error is one line, and exit 1', async () => {
    write(`${head}${monitor('web')}`);
    const fault = 'process.on("SIGUSR2", () => Promise.reject(new Error("boom")))';
    const daemon = await start({
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}` },
    });
    const { code, stderr } = await daemon.end('SIGUSR2');
    assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
    const line = await daemon.says('daemon.fault');
    assert.match(line.message, /^something unexpected went wrong: boom/);
    assert.equal(daemon.lines.at(-1)?.message, 'stopped');
  });

  it('another daemon that took its database over is exit 4', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    copyFileSync(folder.at('statusd.db-lock.1'), folder.at('statusd.db-lock.2'));
    assert.equal((await daemon.exited).code, 4);
    assert.equal((await daemon.says('store.lost')).level, 'error');
  });
});

describe('a reload', () => {
  const ids = async (daemon: Daemon) => (await summaryOf(daemon)).monitors.map(({ id }) => id);

  it('takes a changed file without a signal, and leaves what did not change alone', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    writeFileSync(folder.at('new.toml'), `${head}${monitor('web')}${monitor('api')}`);
    renameSync(folder.at('new.toml'), folder.at('statusd.toml'));
    const line = await daemon.says('config.reloaded');
    assert.equal(line.message, 'statusd.toml was reloaded: started api; 1 unchanged');
    await until(
      async () => (await ids(daemon)).join() === 'web,api',
      () => 'the new monitor is not shown',
    );
    write(`${head}${monitor('api', 'degraded_over_ms = 500\n')}`);
    const next = await daemon.says('config.reloaded', 2);
    assert.equal(next.message, 'statusd.toml was reloaded: stopped web; restarted api; 0 unchanged');
  });

  it('keeps the old configuration when the new one is broken, and says where and why', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    write(`${head}${monitor('other')}intervall_secs = 5\n`);
    const line = await daemon.says('config.problem');
    assert.match(line.message, /^statusd\.toml:12:1 {2}monitor "other": intervall_secs .*interval_secs/);
    assert.deepEqual([line['line'], line['column']], [12, 1]);
    assert.deepEqual(await ids(daemon), ['web']);
    write(`${head}${monitor('other')}`);
    await daemon.says('config.reloaded');
    assert.ok(!daemon.lines.some(({ event }) => event === 'daemon.fault'));
  });

  it('comes with SIGHUP too, and says what needs a restart', async () => {
    write(`${head}${monitor('web')}`);
    const daemon = await start();
    daemon.child.kill('SIGHUP');
    assert.equal((await daemon.says('config.reloaded')).message, 'statusd.toml was reloaded: 1 unchanged');
    write(`${head.replace('1000', '9')}${monitor('web')}`);
    daemon.child.kill('SIGHUP');
    const line = await daemon.says('config.restart_needed');
    assert.equal(line.message, 'server.rate_limit_burst takes effect after a restart');
  });

  it('takes a secret that changed in a file of its own', async () => {
    writeFileSync(folder.at('token'), 'the-first-token\n');
    write(
      `${head.replace('[alerts]', 'auth_token_file = "token"\n[alerts]')}${monitor('web', 'public = false\n')}`,
    );
    const daemon = await start();
    const seenWith = async (token: string) => {
      const response = await fetch(`${daemon.url}api/summary`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return ((await response.json()) as Partial<Summary>).monitors?.length ?? 0;
    };
    assert.equal(await seenWith('the-first-token'), 1);
    writeFileSync(folder.at('token'), 'the-second-token\n');
    await daemon.says('config.reloaded');
    await until(
      async () => (await seenWith('the-second-token')) === 1,
      () => 'the new token is not taken',
    );
    assert.ok(!JSON.stringify(daemon.lines).includes('the-'));
  });
});

describe('under systemd', () => {
  it('says when it is ready, reloads and stops, how the monitors are, and feeds the watchdog', async () => {
    const calls = folder.at('calls');
    writeFileSync(folder.at('systemd-notify'), `#!/bin/sh\necho "$*" >> ${calls}\n`);
    chmodSync(folder.at('systemd-notify'), 0o755);
    write(`${head}${monitor('web')}`);
    const env = {
      PATH: `${folder.path}:${process.env['PATH'] ?? ''}`,
      NOTIFY_SOCKET: '/run/nowhere',
      WATCHDOG_USEC: '600000',
    };
    const daemon = await start({ env });
    const called = () => (existsSync(calls) ? readFileSync(calls, 'utf8') : '');
    const includes = (pattern: RegExp) => until(() => pattern.test(called()), called);
    await includes(/^READY=1$/m);
    await includes(/STATUS=1 up$/m);
    await includes(/(?:WATCHDOG=1[^]*){3}/);
    daemon.child.kill('SIGHUP');
    await includes(/^RELOADING=1 MONOTONIC_USEC=\d+\n(?:(?:WATCHDOG|STATUS)=[^\n]*\n)*READY=1$/m);
    assert.equal((await daemon.end('SIGTERM')).code, 0);
    await includes(/^STOPPING=1$/m);
  });
});

describe('a log', () => {
  it('without a reader ends nothing', async () => {
    write(`${head}${monitor('web')}`);
    const { child, exited } = startCli(['serve'], { cwd: folder.path });
    const isStarted = () => existsSync(folder.at('statusd.db-log.1'));
    await until(isStarted, () => 'it did not start');
    child.stdout?.destroy();
    isUp = false;
    const isRecorded = async () => {
      const { stdout } = await runHere(['incidents', '--open', '--json'], { cwd: folder.path });
      return stdout.includes('"monitor":"web"');
    };
    await until(isRecorded, () => 'the incident is not recorded');
    child.kill('SIGTERM');
    assert.equal((await exited).code, 0);
  });

  it('that nothing takes ends nothing before its time', async () => {
    write(`${head}${monitor('web')}`);
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [bin, 'serve'], {
      cwd: folder.path,
      stdio: ['ignore', full, 'ignore'],
    });
    closeSync(full);
    const ended = once(child, 'close');
    const isRecorded = async () => {
      const { stdout } = await runHere(['incidents', '--open', '--json'], { cwd: folder.path });
      return stdout.includes('"monitor":"web"');
    };
    isUp = false;
    await until(isRecorded, () => 'the incident is not recorded');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], 'it was stopped by the signal');
    assert.ok(existsSync(folder.at('statusd.db')), 'in good order');
  });
});
