import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { startCli } from '../../support/cli.ts';
import { runHere } from '../../support/operator-world.ts';

const servers: Server[] = [];
let folder = '';
let count = 0;
let web = 0;
let silent = createServer();

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** A new folder with a configuration of this text. */
const place = (text: string) => {
  const cwd = mkdtempSync(join(folder, `${count++}-`));
  const file = join(cwd, 'statusd.toml');
  writeFileSync(file, text, { mode: 0o640 });
  chmodSync(file, 0o640);
  return { cwd, file };
};

const load = (file: string) => loadConfig(file, { env: {}, readFile: readSmallFile });

const one = '# mine\n[[monitors]]\nid = "shop"\nname = "The shop"\ntarget = "https://Shop.example.com/"\n';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-add-'));
  web = await listen(
    createServer((_, response) => {
      response.end('fine');
    }),
  );
  silent = createServer(() => undefined);
  await listen(silent);
});
after(() => {
  silent.closeAllConnections();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

describe('add', { concurrency: 2 }, () => {
  it('adds a push monitor with a token of its own in statusd.env, and prints the command for a heartbeat', async () => {
    const { cwd, file } = place(`[server]\nbind = "0.0.0.0:8799"\n${one}`);
    const done = await runHere(
      ['add', '--kind', 'push', 'Nightly backup', '--group', 'Jobs', '--depends-on', 'shop'],
      { cwd },
    );
    assert.equal(done.code, 0, done.stderr);
    const [, token = ''] =
      /^STATUSD_NIGHTLY_BACKUP_PUSH_TOKEN=(\S{32})$/m.exec(readFileSync(join(cwd, 'statusd.env'), 'utf8')) ??
      [];
    assert.equal(statSync(join(cwd, 'statusd.env')).mode & 0o777, 0o600);
    assert.ok(
      done.stdout.includes(
        `curl -fsS -X POST -H 'X-Push-Token: ${token}' http://127.0.0.1:8799/api/push/nightly-backup`,
      ),
      done.stdout,
    );
    const added = (await load(file)).config.monitors[1];
    assert.ok(added?.kind === 'push');
    assert.deepEqual(
      [added.id, added.name, added.group, added.depends_on, added.push_token?.reveal()],
      ['nightly-backup', 'Nightly backup', 'Jobs', ['shop'], token],
    );
  });

  it('writes down the group and the dependencies, and refuses unknown ones (5) and kinds (2)', async () => {
    const { cwd, file } = place(one);
    const port = await listen(createTcpServer((socket) => socket.end()));
    assert.equal(
      (await runHere(['add', '--kind', 'tcp', `127.0.0.1:${port}`, '--depends-on', 'sho'], { cwd })).code,
      5,
    );
    const refused = await runHere(['add', '--kind', 'smtp', `127.0.0.1:${port}`], { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Did you mean tcp\?/);
    assert.equal(readFileSync(file, 'utf8'), one);
    const done = await runHere(
      ['add', '--kind', 'tcp', `127.0.0.1:${port}`, '--depends-on', 'shop', '--group', 'Net'],
      { cwd },
    );
    assert.equal(done.code, 0, done.stderr);
    const { kind, group, depends_on } = (await load(file)).config.monitors[1] ?? {};
    assert.deepEqual([kind, group, depends_on], ['tcp', 'Net', ['shop']]);
  });

  it('appends a monitor for each target and leaves the rest of the file as it is', async () => {
    const { cwd, file } = place(one);
    const port = await listen(createTcpServer((socket) => socket.end()));
    const targets = [`http://127.0.0.1:${web}/health`, `127.0.0.1:${port}`, `127.0.0.1:${port}`];
    const { code, stdout, stderr } = await runHere(['add', ...targets], { cwd });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Added 2 monitors to \S+statusd\.toml:\n {2}127-0-0-1 {2}http {2}http:/);
    assert.match(stdout, /\nA running daemon reads the file again by itself/);
    assert.ok(stdout.endsWith(`\n  statusd check 127-0-0-1 127-0-0-1-${port}\n`), stdout);
    assert.match(stderr, /\/health \(http\): answered 4 of 4 probes in /);
    const text = readFileSync(file, 'utf8');
    assert.ok(text.startsWith(`${one}\n# Answered 4 of 4 probes in `), text);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(cwd), ['statusd.toml']);
    const { config, warnings } = await load(file);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map(({ id, name, kind }) => [id, name, kind]),
      [
        ['shop', 'The shop', 'http'],
        ['127-0-0-1', `127.0.0.1:${web}/health`, 'http'],
        [`127-0-0-1-${port}`, `127.0.0.1:${port}`, 'tcp'],
      ],
    );
  });

  it('keeps a byte order mark, Windows line breaks and an end without a line break', async () => {
    const old = '\ufeff# "Größe"\r\n[page]\r\ntitle = "x" # no end';
    const { cwd, file } = place(old);
    assert.equal((await runHere(['add', `http://127.0.0.1:${web}/`], { cwd })).code, 0);
    const text = readFileSync(file, 'utf8');
    assert.ok(text.startsWith(`${old}\r\n\r\n# Answered`), JSON.stringify(text));
    assert.doesNotMatch(text, /[^\r]\n/);
    assert.equal((await load(file)).config.monitors.length, 1);
  });

  it('leaves one empty line before the table, also where there is one already', async () => {
    for (const end of ['', '\n', '\n\n']) {
      const { cwd, file } = place(`[page]\ntitle = "x"${end}`);
      assert.equal((await runHere(['add', '-q', `http://127.0.0.1:${web}/`], { cwd })).code, 0);
      assert.match(readFileSync(file, 'utf8'), /^\[page\]\ntitle = "x"\n\n# Answered/);
    }
  });

  it('takes a name and an id for one target', async () => {
    const { cwd, file } = place('');
    const names = ['--name', 'My "shop"', '--id', 'my-shop'];
    assert.equal((await runHere(['add', ...names, `http://127.0.0.1:${web}/`], { cwd })).code, 0);
    const [monitor] = (await load(file)).config.monitors;
    assert.deepEqual([monitor?.id, monitor?.name], ['my-shop', 'My "shop"']);
    const { code, stderr } = await runHere(['add', ...names, 'a.example.com', 'b.example.com'], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /--name is for one target\n {2}Add the targets one after the other/);
  });

  it('refuses by name what is watched already, and asks nobody', async () => {
    let asked = 0;
    const web = await listen(createTcpServer(() => asked++));
    const { cwd, file } = place(`${one}\n[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1:${web}"\n`);
    const text = readFileSync(file, 'utf8');
    const watched = await runHere(['add', `http://127.0.0.1:${web}/new`, `http://127.0.0.1:${web}/#top`], {
      cwd,
    });
    assert.deepEqual([watched.code, watched.stdout], [2, '']);
    assert.match(watched.stderr, /statusd: http:\S+\/ is watched already, by the monitor 'web'\n/);
    assert.match(watched.stderr, /\n {2}Leave it out, or change that monitor: statusd\.toml, line 7\./);
    const bare = await runHere(['add', 'shop.example.com'], { cwd });
    assert.match(bare.stderr, /is watched already, by the monitor 'shop' \(The shop\)/);
    const taken = await runHere(['add', '--id', 'shop', `http://127.0.0.1:${web}/new`], { cwd });
    assert.deepEqual([taken.code, taken.stdout], [2, '']);
    assert.match(
      taken.stderr,
      /the id 'shop' is taken by the monitor 'shop' \(The shop\)\n {2}Choose another/,
    );
    assert.equal(asked, 0);
    assert.equal(readFileSync(file, 'utf8'), text);
  });

  it('knows a host without a scheme by what it answered', async () => {
    const { cwd } = place(`[[monitors]]\nid = "web"\ntarget = "http://localhost:${web}/x"\n`);
    const { code, stderr } = await runHere(['add', `localhost:${web}/x`], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /is watched already, by the monitor 'web'/);
  });

  it('finds an id of its own beside those that are taken', async () => {
    const { cwd, file } = place(
      '[[monitors]]\nid = "127-0-0-1"\nkind = "push"\npush_token = "a-long-token-of-a-test"\n',
    );
    assert.equal((await runHere(['add', `http://127.0.0.1:${web}/a`], { cwd })).code, 0);
    assert.deepEqual(
      (await load(file)).config.monitors.map(({ id }) => id),
      ['127-0-0-1', `127-0-0-1-${web}-a`],
    );
  });

  it('writes nothing when the result would not load', async () => {
    const inline = `monitors = [{ id = "a", target = "https://a.example.com/" }]\n`;
    for (const [text, id, cure] of [
      [inline, 'b', /write each as a \[\[monitors\]\] table/],
      [one, 'no blanks', /Choose another --id/],
    ] as const) {
      const { cwd, file } = place(text);
      const { code, stdout, stderr } = await runHere(['add', '--id', id, `http://127.0.0.1:${web}/`], {
        cwd,
      });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /nothing was added, since the file would not load: /);
      assert.match(stderr, cure);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  it('prints with --dry-run what it would append, and what it did as JSON', async () => {
    const { cwd, file } = place(one);
    const dry = await runHere(['add', '--dry-run', `http://127.0.0.1:${web}/`], { cwd });
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^# Answered 4 of 4 probes in [^\n]+\n\[\[monitors\]\]\nid = "127-0-0-1"\n/);
    assert.equal(readFileSync(file, 'utf8'), one);
    const wet = await runHere(['add', '--json', '-c', file, `http://127.0.0.1:${web}/`], { cwd: folder });
    const outcome = JSON.parse(wet.stdout) as { file: string; written: boolean; monitors: { id: string }[] };
    assert.deepEqual([outcome.file, outcome.written], [file, true]);
    assert.deepEqual(
      outcome.monitors.map(({ id }) => id),
      ['127-0-0-1'],
    );
    assert.equal(withoutTimes(readFileSync(file, 'utf8')), withoutTimes(`${one}\n${dry.stdout}`));
  });

  it('needs a configuration, and one that loads', async () => {
    const cwd = mkdtempSync(join(folder, `${count++}-`));
    const missing = await runHere(['add', 'example.com'], { cwd, env: { STATUSD_CONFIG: 'nowhere.toml' } });
    assert.equal(missing.code, 3);
    assert.match(
      missing.stderr,
      /there is no configuration file \S+nowhere\.toml\n {2}`statusd init` writes one/,
    );
    const broken = await runHere(['add', 'example.com'], place('[[monitors]]\n'));
    assert.equal(broken.code, 3);
  });

  it('stops at an interrupt, and does not overwrite what was changed meanwhile', async () => {
    const target = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const { cwd, file } = place(one);
    const { child, exited } = startCli(['add', target], { cwd });
    await once(silent, 'connection');
    child.kill('SIGINT');
    assert.equal((await exited).code, 130);
    assert.equal(readFileSync(file, 'utf8'), one);

    const racing = startCli(['add', target], { cwd });
    const [socket] = (await once(silent, 'connection')) as [{ destroy: () => void }];
    writeFileSync(file, `${one}# changed\n`);
    silent.on('connection', (next: { destroy: () => void }) => {
      next.destroy();
    });
    socket.destroy();
    const { code, stderr } = await racing.exited;
    assert.equal(code, 2);
    assert.match(stderr, /was changed meanwhile, so nothing was added\n {2}Run it again/);
    assert.equal(readFileSync(file, 'utf8'), `${one}# changed\n`);
  });
});

/** The part of the remark that another run measures anew. */
function withoutTimes(toml: string): string {
  return toml
    .replace(/(# Answered .+ probes in) .+/g, '$1 some time')
    .replace(/(?<=degraded_over_ms = )\d+/g, '0');
}
