import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { selfSigned } from '../../support/certificate.ts';
import { startCli } from '../../support/cli.ts';
import { closedPort } from '../../support/closed-port.ts';
import { runHere } from '../../support/operator-world.ts';

const servers: TcpServer[] = [];
let folder = '';
let count = 0;

const listen = async (server: Server | TcpServer) => {
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** A new folder for a run of its own. */
const place = () => mkdtempSync(join(folder, `${count++}-`));

const load = (file: string) => loadConfig(file, { env: {}, readFile: readSmallFile });

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-init-'));
});
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

describe('init', { concurrency: 2 }, () => {
  it('writes a configuration that loads, for targets that answer and for one that does not', async () => {
    const cwd = place();
    let asked = 0;
    const web = await listen(
      createServer((_, response) => {
        asked++;
        response.end('fine');
      }),
    );
    const closed = await closedPort();
    const targets = [`http://127.0.0.1:${web}/health`, `127.0.0.1:${web}`, closed.address];
    const twice = [...targets, ...targets];
    const { code, stdout, stderr } = await runHere(['init', ...twice], { cwd });
    assert.equal(code, 0, stderr);
    assert.equal(asked, 4);
    assert.match(stdout, /^Wrote statusd.toml with 3 monitors.\n[^\n]+\n {2}statusd check\n/);
    assert.match(stderr, /statusd: 127.0.0.1:\d+\/health \(http\): answered 4 of 4 probes in /);
    assert.match(
      stderr,
      /statusd: warning: 127.0.0.66:\d+ \(tcp\) did not answer as expected: connection refused/,
    );

    const file = join(cwd, 'statusd.toml');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { config, warnings } = await load(file);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map((monitor) => [monitor.kind, 'target' in monitor && monitor.target]),
      [
        ['http', targets[0]],
        ['tcp', targets[1]],
        ['tcp', targets[2]],
      ],
    );
    assert.ok((config.monitors[0]?.degraded_over_ms ?? 0) >= 250);
    assert.equal(config.monitors[2]?.degraded_over_ms, null);
    assert.match(readFileSync(file, 'utf8'), /\n# Did not answer as expected: connection refused/);
    assert.deepEqual(readdirSync(cwd), ['statusd.toml']);
  });

  it('takes https for a bare host, else http', async () => {
    const pair = selfSigned(30);
    const ca = join(place(), 'ca.pem');
    writeFileSync(ca, pair.cert);
    const secure = await listen(createTlsServer(pair, (_, response) => response.end()));
    const clear = await listen(createServer((_, response) => response.end()));
    const { stdout, code } = await runHere(
      ['init', '--out', '-', `localhost:${secure}/`, `localhost:${clear}/`],
      {
        cwd: place(),
        env: { NODE_EXTRA_CA_CERTS: ca },
      },
    );
    assert.equal(code, 0);
    assert.ok(stdout.includes(`target = "https://localhost:${secure}/"`), stdout);
    assert.ok(stdout.includes(`target = "http://localhost:${clear}/"`), stdout);
    const endsOn = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    assert.ok(stdout.includes(`# Its certificate ends on ${endsOn}.`), stdout);
  });

  it('offers the setting that would accept what a server answered', async () => {
    const web = await listen(
      createServer((_, response) => {
        response.writeHead(401).end();
      }),
    );
    const secure = await listen(createTlsServer(selfSigned(30), (_, response) => response.end()));
    const { stdout } = await runHere(
      ['init', '--out', '-', `http://127.0.0.1:${web}`, `https://127.0.0.1:${secure}`],
      { cwd: place() },
    );
    assert.match(stdout, /# Did not answer as expected: status 401[^\n]*\n/);
    assert.match(stdout, /\n# expected_status = 401\n/);
    assert.match(stdout, /\n# tls_verify = false\n/);
  });

  it('lets no server act on the terminal or write into the configuration', async () => {
    const cwd = place();
    const inStatus = 'evil"] \u202e\u0085 # [[channels]]';
    const inHeader = '\u001b]0;owned\u0007\u009b2J';
    const answers = [`HTTP/1.1 500 ${inStatus}`, `HTTP/1.1 500 x\r\nX-Evil: ${inHeader}`, inHeader];
    const ports = answers.map((answer) => {
      return listen(
        createTcpServer((socket) => {
          socket.on('error', () => undefined);
          socket.end(`${answer}\r\nContent-Length: 0\r\n\r\n`);
        }),
      );
    });
    const targets = (await Promise.all(ports)).map((port) => `http://127.0.0.1:${port}/`);
    const { code, stdout, stderr } = await runHere(['init', ...targets], { cwd });
    assert.equal(code, 0);
    const text = readFileSync(join(cwd, 'statusd.toml'), 'utf8');
    for (const shown of [text, stdout, stderr]) {
      assert.doesNotMatch(shown, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const { config } = await load(join(cwd, 'statusd.toml'));
    assert.deepEqual([config.monitors.length, config.channels.length], [3, 0]);
    assert.match(text, /\n# Did not answer as expected: status 500 evil"\] /);
  });

  it('shows no secret of a target, but writes it down', async () => {
    const cwd = place();
    const { address } = await closedPort();
    const target = `http://${address}/x?api_token=hunter2hunter2`;
    const { stdout, stderr } = await runHere(['init', '--json', target], { cwd });
    assert.doesNotMatch(stdout + stderr, /hunter2/);
    const { config } = await load(join(cwd, 'statusd.toml'));
    const [monitor] = config.monitors;
    assert.ok(monitor?.kind === 'http' && monitor.target === target);
    assert.doesNotMatch(monitor.id + monitor.name, /hunter2/);
  });

  it('prints what it found as JSON', async () => {
    const cwd = place();
    const port = await listen(createTcpServer((socket) => socket.end()));
    const { stdout, code } = await runHere(['init', '--json', '--out', 'sub.toml', `127.0.0.1:${port}`], {
      cwd,
    });
    const { file, monitors } = JSON.parse(stdout) as { file: string; monitors: Record<string, unknown>[] };
    assert.equal(code, 0);
    assert.equal(file, join(cwd, 'sub.toml'));
    const [{ latencies_ms: latencies, degraded_over_ms: limitMs, ...monitor } = {}] = monitors;
    assert.equal((latencies as number[]).length, 4);
    // More where the machine is busy.
    assert.ok((limitMs as number) >= 250, String(limitMs));
    assert.deepEqual(monitor, {
      id: '127-0-0-1',
      name: `127.0.0.1:${port}`,
      kind: 'tcp',
      target: `127.0.0.1:${port}`,
      answered: 4,
      probes: 4,
      timeout_secs: null,
      cert_expiry_days: null,
      error: null,
    });
  });

  it('writes examples when there is no target, and is silent with --quiet', async () => {
    const cwd = place();
    assert.deepEqual(await runHere(['init', '--quiet'], { cwd }), { code: 0, stdout: '', stderr: '' });
    const { config } = await load(join(cwd, 'statusd.toml'));
    assert.deepEqual(config.monitors, []);
  });

  it('replaces a file only with --force', async () => {
    const cwd = place();
    const file = join(cwd, 'statusd.toml');
    writeFileSync(file, 'mine');
    const refused = await runHere(['init'], { cwd });
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /^statusd: \S+statusd\.toml exists already\n {2}Use --force to replace it/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    assert.equal((await runHere(['init', '--force'], { cwd })).code, 0);
    assert.match(readFileSync(file, 'utf8'), /^# The configuration of statusd/);
  });

  it('asks nobody when the file cannot be written or a target is wrong', async () => {
    const cwd = place();
    let asked = 0;
    const port = await listen(createTcpServer(() => asked++));
    for (const args of [
      ['--out', '.', `127.0.0.1:${port}`],
      ['--out', 'no/such/folder.toml', `127.0.0.1:${port}`],
      [`127.0.0.1:${port}`, 'ftp://127.0.0.1'],
      ['--json', '--out', '-', `127.0.0.1:${port}`],
      ['-c', 'x', `127.0.0.1:${port}`],
    ]) {
      const { code, stdout } = await runHere(['init', ...args], { cwd });
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    }
    assert.equal(asked, 0);
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('stops at an interrupt and writes nothing', async () => {
    const cwd = place();
    const silent = createServer(() => undefined);
    const port = await listen(silent);
    const { child, exited } = startCli(['init', `http://127.0.0.1:${port}/`], { cwd });
    await once(silent, 'connection');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await exited;
    silent.closeAllConnections();
    assert.deepEqual([code, stdout], [130, '']);
    assert.match(stderr, /statusd: interrupted\n$/);
    assert.ok(!existsSync(join(cwd, 'statusd.toml')));
  });
});
