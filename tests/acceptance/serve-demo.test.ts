import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { offencesOf } from '../support/terminal-text.ts';
import { makeFolder } from '../support/tiny-store.ts';

const folder = makeFolder();
const temporary = makeFolder();
const open: Daemon[] = [];
after(async () => {
  await Promise.all(open.map((daemon) => daemon.end('SIGKILL')));
  folder.remove();
  temporary.remove();
});

async function startDemo(): Promise<Daemon> {
  const daemon = await startDaemon(folder.path, { command: 'demo', env: { TMPDIR: temporary.path } });
  open.push(daemon);
  return daemon;
}

const homeOf = async (daemon: Daemon) => dirname(String((await daemon.says('store.opened'))['database']));

/** What each command that the demo names has to show, by the words that are typed. */
const contents: Readonly<Record<string, readonly RegExp[]>> = {
  top: [/Mail server/, /LATENCY|P95/],
  check: [/Website/, /\d up/],
  incidents: [/database/, /A failed disk/, /acknowledged by phone/],
  'incidents show 5': [
    /database was down/,
    /api and shop/,
    /Identified: A disk/,
    /Acknowledged \(phone\)/,
    /Note: A failed disk/,
  ],
  'explain shop': [/Incident 8: shop was down/, /phone/],
  report: [/Website +\S+%/, /coverage (9\d|100)/],
  tune: [/days of 8 monitors/, /Mail|mail/],
  'silence flaky 10m trying it out': [/flaky/],
};

describe('statusd demo', () => {
  let daemon: Daemon;
  /** Whether the home of one that was killed before it is there still. */
  let isLeft = true;
  before(async () => {
    const killed = await startDemo();
    const left = await homeOf(killed);
    await killed.end('SIGKILL');
    assert.ok(existsSync(left));
    daemon = await startDemo();
    isLeft = existsSync(left);
  });

  it('shows its targets, and lets other commands read', async () => {
    await daemon.says('demo.scene', 4);
    assert.match(daemon.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    const statuses = async () => {
      const summary = (await (await fetch(`${daemon.url}api/summary`)).json()) as {
        monitors?: { id: string; status: string }[];
      };
      return Object.fromEntries((summary.monitors ?? []).map(({ id, status }) => [id, status]));
    };
    const isSeen = async () => {
      const { website, database, api, shop, backup } = await statuses();
      return [website, database, api, shop, backup].every((status) => status === 'up');
    };
    await until(isSeen, () => JSON.stringify(daemon.lines));
    const page = await (await fetch(daemon.url)).text();
    for (const told of [/Database upgrade|New search index/, /99\.\d+\s?%/]) assert.match(page, told);
    const lines = daemon.lines.flatMap(({ event, message }) => {
      return event === 'demo.scene' && message.startsWith('  ') ? [message.trim()] : [];
    });
    assert.equal(lines.length, Object.keys(contents).length);
    assert.deepEqual(offencesOf(daemon.lines.map(({ message }) => message).join('\n')), []);
    for (const line of lines) {
      const [, ...args] = line.split(' ');
      const { code, stdout, stderr } = await runCli(args, { cwd: folder.path });
      const name = args.slice(0, args.indexOf('-c')).join(' ');
      // On a busy machine its own plan may have come to the failure of the database.
      const isBroken = daemon.lines.some(({ message }) => /the database fails, and/.test(message));
      const allowed = name === 'check' && isBroken ? [0, 1] : [0];
      assert.ok(allowed.includes(code ?? -1), `${line}: ${code} ${stderr}`);
      for (const content of contents[name] ?? [/^never$/]) assert.match(stdout, content, line);
    }
  });

  it('removes what a demo that was killed left behind, nothing of one that runs, and all of its own', async () => {
    assert.ok(!isLeft);
    const second = await startDemo();
    const homes = [await homeOf(daemon), await homeOf(second)];
    assert.deepEqual(homes.map(existsSync), [true, true]);
    assert.deepEqual(
      homes.map((home) => dirname(home)),
      [temporary.path, temporary.path],
    );
    const ends = await Promise.all([daemon.end('SIGINT'), second.end('SIGINT')]);
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0],
    );
    assert.deepEqual(readdirSync(temporary.path), []);
  });

  it('starts past what others left in the temporary folder, and touches none of it', async () => {
    const shared = makeFolder();
    const elsewhere = makeFolder();
    const dead = { state: 'held', token: '', pid: 2 ** 22 + 1, since: 0, boot: null, namespace: null };
    writeFileSync(elsewhere.at('owner.json'), JSON.stringify({ ...dead, started: null }));
    const pipe = shared.at('statusd-demo-pipe');
    mkdirSync(pipe);
    execFileSync('mkfifo', [join(pipe, 'owner.json')]);
    const endless = shared.at('statusd-demo-endless');
    mkdirSync(endless);
    symlinkSync('/dev/zero', join(endless, 'owner.json'));
    symlinkSync(elsewhere.path, shared.at('statusd-demo-link'));
    const left = ['statusd-demo-endless', 'statusd-demo-link', 'statusd-demo-pipe'];
    // Only root can give a folder to another user.
    if (process.getuid?.() === 0) {
      const strange = shared.at('statusd-demo-strange');
      mkdirSync(strange, { mode: 0o755 });
      writeFileSync(join(strange, 'owner.json'), readFileSync(elsewhere.at('owner.json')));
      chownSync(strange, 65_534, 65_534);
      left.push('statusd-demo-strange');
    }
    try {
      const started = await startDaemon(folder.path, { command: 'demo', env: { TMPDIR: shared.path } });
      assert.equal((await started.end('SIGTERM')).code, 0);
      assert.deepEqual(readdirSync(shared.path).sort(), left);
      assert.deepEqual(readdirSync(elsewhere.path), ['owner.json']);
    } finally {
      shared.remove();
      elsewhere.remove();
    }
  });

  it('takes no configuration', async () => {
    const { code, stderr } = await runCli(['demo', '-c', 'statusd.toml'], { cwd: folder.path });
    assert.equal(code, 2);
    assert.match(stderr, /^statusd: demo brings its own configuration\n/);
  });
});
