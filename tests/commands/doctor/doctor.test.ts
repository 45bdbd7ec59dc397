import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { examine } from '../../../src/commands/doctor/perform.ts';
import type { DoctorFinding } from '../../../src/commands/doctor/finding.ts';
import { clockCheck } from '../../../src/commands/doctor/checks/clock.ts';
import { namesCheck } from '../../../src/commands/doctor/checks/network.ts';
import { ProbeFault } from '../../../src/engine/net/faults.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { runHere } from '../../support/operator-world.ts';
import { load } from '../../support/config.ts';
import { startHttp } from '../../support/http-target.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';
import { startSilentPort } from '../../support/silent-port.ts';
import { pluginFolder } from '../../support/plugins.ts';
import { probeContext } from '../../support/probing.ts';
import { startVendor } from '../../support/vendor-server.ts';
import { recipes } from '../../support/vendor-world.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openRealStore } from '../../support/real-store.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

interface NamedFinding extends DoctorFinding {
  readonly check: string;
}
interface Notified {
  readonly code: number | null;
  readonly ok: boolean;
  readonly checks: readonly NamedFinding[];
  readonly of: (check: string) => readonly NamedFinding[];
}

let files = 0;
const file = (toml: string): string => {
  files += 1;
  writeFileSync(join(world.cwd, `${files}.toml`), toml);
  return `${files}.toml`;
};
const notified = ({ code, stdout }: { code: number | null; stdout: string }): Notified => {
  const { ok, checks } = JSON.parse(stdout) as Pick<Notified, 'ok' | 'checks'>;
  return { code, ok, checks, of: (check) => checks.filter((each) => each.check === check) };
};
const doctor = async (toml: string, ...args: readonly string[]) =>
  notified(await world.run('doctor', '-c', file(toml), '--json', ...args));
/** With this environment. */
const doctorIn = async (env: Readonly<Record<string, string>>, toml: string) =>
  notified(await runHere(['doctor', '-c', file(toml), '--json'], { cwd: world.cwd, env }));

const anyPort = '[server]\nbind = "127.0.0.1:0"\n';
const monitor = (kind: string, more: string) => `[[monitors]]\nid = "a"\nkind = "${kind}"\n${more}\n`;
/** Talks to nobody. */
const push = monitor('push', 'push_token = "the-token-of-the-tests"');
const one = (findings: readonly DoctorFinding[]) => {
  assert.equal(findings.length, 1, JSON.stringify(findings));
  return { verdict: findings[0]?.verdict, message: findings[0]?.message };
};

describe('statusd doctor', () => {
  it('finds nothing missing where nothing is, and changes nothing', async () => {
    const { code, ok, checks } = await doctor(`${anyPort}${push}`);
    assert.deepEqual([code, ok], [0, true]);
    assert.deepEqual(
      checks.map(({ check, verdict }) => [check, verdict]).filter(([check]) => check !== 'network'),
      [
        ['config', 'ok'],
        ['database', 'ok'],
        ['listen', 'ok'],
        ['names', 'ok'],
        ['clock', 'ok'],
        ['channels', 'warn'],
      ],
    );
    assert.match(checks[1]?.message ?? '', /statusd\.db does not exist yet: the daemon creates it/);
  });

  it('writes a line each, with the cure below what is wrong', async () => {
    const toml = `${anyPort}${monitor('exec', 'command = ["check_x"]')}`;
    const { code, stdout } = await world.run('doctor', '-q', '-c', file(toml));
    assert.equal(code, 1);
    const text = stdout.slice(stdout.indexOf('FAIL'));
    assert.equal(
      text,
      'FAIL  plugins   there is no folder of plugins, so no exec monitor or channel can run\n' +
        '                Name it in exec_dir of [probes], or in STATUSD_EXEC_DIR, for the daemon too.\n' +
        'warn  channels  none are configured: no alert is ever sent\n' +
        '                Add [[channels]] to the configuration.\n',
    );
  });

  it('needs a configuration (exit 3)', async () => {
    assert.equal((await world.run('doctor', '-c', 'none.toml')).code, 3);
  });
});

describe('the database', () => {
  const at = (path: string) => `[server]\nbind = "127.0.0.1:0"\ndatabase_path = "${path}"\n`;

  it('has to have a folder', async () => {
    const { code, of } = await doctor(at('missing/statusd.db'));
    assert.equal(code, 1);
    const { verdict, message } = one(of('database'));
    assert.equal(verdict, 'fail');
    assert.match(message ?? '', /^the folder .*\/missing does not exist$/);
  });

  it('has to be a database', async () => {
    writeFileSync(join(world.cwd, 'text.db'), 'This is no database, and it is not empty either.'.repeat(20));
    const { code, of } = await doctor(at('text.db'));
    assert.equal(code, 1);
    assert.equal(of('database')[0]?.verdict, 'fail');
  });

  it('says whether a daemon uses it', async () => {
    await world.write();
    assert.match(
      one((await doctor(at('statusd.db'))).of('database')).message ?? '',
      /opens, no daemon uses it$/,
    );
    const daemon = await world.openDaemon();
    const { of } = await doctor(at('statusd.db'));
    await daemon.close();
    assert.match(
      one(of('database')).message ?? '',
      new RegExp(`opens, in use by the daemon with pid ${process.pid} since \\d{4}-`),
    );
  });
});

describe('a damaged database', () => {
  const record = 'a reason to find in the log';
  const log = (name: string) => join(world.cwd, `${name}-log.1`);
  /** A database at `name` whose one record had its length changed after it was acknowledged. */
  const damaged = async (name: string) => {
    const toml = `[server]\nbind = "127.0.0.1:0"\ndatabase_path = "${name}"\n${push}`;
    const config = file(toml);
    const added = await world.run('silence', 'a', '1h', record, '--offline', '-q', '-c', config);
    assert.equal(added.code, 0, added.stderr);
    const bytes = readFileSync(log(name));
    const at = bytes.lastIndexOf(Buffer.from([0xf5, 0x53, 0x44, 0x4c]), bytes.indexOf(record));
    bytes.writeUInt8(bytes.readUInt8(at + 11) ^ 0x40, at + 11);
    writeFileSync(log(name), bytes);
    return { toml, config };
  };

  it('is reported once and with its path once, before the daemon repairs it', async () => {
    const { toml, config } = await damaged('flipped.db');
    const { checks, code } = await doctor(toml);
    assert.equal(code, 0);
    const warned = checks.filter(({ check, verdict }) => check === 'database' && verdict === 'warn');
    assert.match(
      one(warned).message ?? '',
      /^\/\S+flipped\.db-log\.1 is damaged \(\d+ bytes at \d+\); the changes there are lost$/,
    );
    const { stderr } = await world.run('silence', 'list', '-c', config);
    assert.match(stderr, /^statusd: warning: \/\S+flipped\.db-log\.1 is damaged \(\d+ bytes at \d+\); .*\n$/);
  });

  it('is warned of for as long as the damaged file lies beside it', async () => {
    const { toml } = await damaged('repaired.db');
    const store = await openRealStore(join(world.cwd, 'repaired.db'), { role: 'daemon' });
    await store.close();
    const [aside = ''] = readdirSync(world.cwd).filter((name) =>
      name.startsWith('repaired.db-log.1.damaged-'),
    );
    assert.equal((await doctor(toml)).code, 1, 'the lost changes were not seen yet');
    await doctor(toml, '--seen');
    for (let time = 0; time < 2; time += 1) {
      const found = await doctor(toml);
      assert.deepEqual([found.code, found.ok], [0, true]);
      const { verdict, message, cure } = found.of('database')[1] ?? assert.fail('nothing is told');
      assert.deepEqual([verdict, found.of('database').length], ['warn', 2]);
      assert.equal(
        message,
        `${join(realpathSync(world.cwd), aside)} is damaged and was set aside: changes in it may be missing from the database`,
      );
      assert.match(cure ?? '', /backup.*delete/);
    }
    rmSync(join(world.cwd, aside));
    one((await doctor(toml)).of('database'));
  });
});

describe('the address to listen on', () => {
  const at = (port: number) => `[server]\nbind = "127.0.0.1:${port}"\n`;

  it('may be taken by the daemon of this database, which is asked how it is', async () => {
    let isOk = true;
    const http = await startHttp((_, response) => {
      response.writeHead(isOk ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'ok', scheduler_ok: isOk, db_ok: true, last_tick_age: 2 }));
    });
    const port = Number(new URL(http.origin).port);
    const another = one((await doctor(at(port))).of('listen'));
    const daemon = await world.openDaemon();
    const well = one((await doctor(at(port))).of('listen'));
    isOk = false;
    const sick = one((await doctor(at(port))).of('listen'));
    await daemon.close();
    await http.close();
    const bind = `127.0.0.1:${port}`;
    assert.deepEqual(
      [another, well, sick],
      [
        { verdict: 'fail', message: `another statusd, with another database, listens on ${bind}` },
        { verdict: 'ok', message: `the daemon listens on ${bind} and says: ok, last tick 2 s ago` },
        {
          verdict: 'warn',
          message: `the daemon listens on ${bind} and says: not healthy: the scheduler is stalled, last tick 2 s ago`,
        },
      ],
    );
    assert.deepEqual(one((await doctor(at(port))).of('listen')), {
      verdict: 'ok',
      message: `${bind} is free`,
    });
  });

  it('must not be taken by another program', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-something\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, of } = await doctor(at(port));
    server.close();
    assert.equal(code, 1);
    const [finding] = of('listen');
    assert.equal(finding?.message, `another program listens on 127.0.0.1:${port}`);
    assert.match(finding.cure ?? '', /Stop that program/);
  });

  it('has to be an address of this machine', async () => {
    const { of } = await doctor('[server]\nbind = "192.0.2.77:8787"\n');
    assert.deepEqual(one(of('listen')), {
      verdict: 'fail',
      message: 'cannot listen on 192.0.2.77:8787: this machine has no such address',
    });
  });
});

describe('ping', () => {
  it('is missing where there is none, and is looked for only when a monitor needs it', async () => {
    const { code, of } = await doctor(`${anyPort}${monitor('icmp', 'target = "127.0.0.1"')}`);
    assert.equal(code, 1);
    const [finding] = of('ping');
    assert.equal(finding?.verdict, 'fail');
    assert.equal(finding.message, 'there is no ping on this host');
    assert.match(finding.cure ?? '', /^install it/);
  });
});

describe('the plugins', () => {
  const commands = (...words: readonly string[]) =>
    words
      .map((word, index) => `[[monitors]]\nid = "m${index}"\nkind = "exec"\ncommand = ["${word}"]\n`)
      .join('');

  it('have to be in their folder, and executable', async () => {
    const folder = pluginFolder();
    folder.script('good', 'exit 0');
    folder.script('dull', 'exit 0', 0o644);
    writeFileSync(join(folder.parent, 'far'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync(join(folder.parent, 'far'), join(folder.path, 'far'));
    mkdirSync(join(folder.path, 'folder'));
    const { of } = await doctorIn(
      { STATUSD_EXEC_DIR: folder.path },
      `${anyPort}${commands('good', 'dull', 'far', 'folder', 'gone')}`,
    );
    const { of: ofGood } = await doctorIn(
      {},
      `[probes]\nexec_dir = "${folder.path}"\n${anyPort}${commands('good', 'good')}`,
    );
    const where = folder.path;
    chmodSync(join(where, 'dull'), 0o755);
    folder.remove();
    assert.deepEqual(
      of('plugins').map(({ verdict, message }) => [verdict, message]),
      [
        ['ok', `1 of 5 plugins in ${where} can be run`],
        ['fail', 'the plugin dull is not executable for this user'],
        ['fail', `the plugin far lies outside of ${where}`],
        ['fail', 'the plugin folder is no file'],
        ['fail', `there is no plugin gone in ${where}`],
      ],
    );
    assert.equal(one(ofGood('plugins')).message, `1 of 1 plugin in ${where} can be run`);
    const { of: ofNone } = await doctorIn({ STATUSD_EXEC_DIR: where }, `${anyPort}${commands('good')}`);
    assert.equal(one(ofNone('plugins')).message, `there is no folder ${where} (exec_dir)`);
  });
});

describe('the name servers', () => {
  const look = async (resolve: ProbeContext['resolver']['resolve'], ...hosts: readonly string[]) => {
    const toml = hosts.map((host, n) => `[[monitors]]\nid = "m${n}"\ntarget = "http://${host}/"\n`).join('');
    const { config } = await load(toml);
    const ctx = probeContext({ resolver: { resolve } });
    return namesCheck.run({ config, env: {}, ctx, isAskingChannels: false, isSeen: false });
  };
  const fault = (outcome: 'failed' | 'unknown', message: string) =>
    Promise.reject(new ProbeFault({ outcome, category: 'dns', message }));

  it('are asked for hosts of the configuration, once each', async () => {
    const asked: string[] = [];
    const found = await look(
      (host) => {
        asked.push(host);
        return Promise.resolve([{ address: '192.0.2.1', family: 4 }]);
      },
      'a.example.com',
      'a.example.com:81',
      '192.0.2.9',
      '[2001:db8::1]',
      'localhost',
    );
    assert.deepEqual(one(found), { verdict: 'ok', message: 'a.example.com is 192.0.2.1' });
    assert.deepEqual(asked, ['a.example.com']);
  });

  it('are missing when none answers', async () => {
    const found = await look(
      () => fault('unknown', 'no name server answered for a.example.com'),
      'a.example.com',
    );
    assert.deepEqual(one(found), { verdict: 'fail', message: 'no name server answered for a.example.com' });
  });

  it('may say that there is no such host, which is no fault of theirs', async () => {
    const found = await look(() => fault('failed', 'a.example.com does not exist'), 'a.example.com');
    assert.deepEqual(one(found), { verdict: 'warn', message: 'a.example.com does not exist' });
  });
});

describe('the clock', () => {
  const nowAt = Date.UTC(2026, 10, 21, 12);
  const look = async (at: number, target = 'tcp') => {
    const { config } = await load(
      target === 'tcp'
        ? monitor('tcp', 'target = "127.0.0.1:1"')
        : monitor('http', `target = "${target}/secret?token=cAnArY"`),
    );
    const ctx = probeContext({ clock: new VirtualClock(at) });
    return one(await clockCheck.run({ config, env: {}, ctx, isAskingChannels: false, isSeen: false }));
  };

  it('is wrong in 1970', async () => {
    const { verdict, message } = await look(0);
    assert.deepEqual([verdict, message], ['fail', 'the clock is wrong: it says 1970-01-01 00:00:00 UTC']);
  });

  it('is compared with the target that answers while others stay silent', { timeout: 20_000 }, async () => {
    const silent = [await startSilentPort(), await startSilentPort()];
    const http = await startHttp((_, response) => {
      response.sendDate = false;
      response.writeHead(200, { date: new Date(nowAt).toUTCString() });
      response.end();
    });
    const targets = silent.map(({ port }) => `http://127.0.0.1:${port}/`);
    const report = async (...all: readonly string[]) => {
      const each = all.map((url, at) => `[[monitors]]\nid = "m${at}"\ntarget = "${url}"\n`);
      const { config } = await load(each.join(''));
      const clock = new VirtualClock(nowAt);
      const ctx = probeContext({ clock });
      const found = await clock.until(
        clockCheck.run({ config, env: {}, ctx, isAskingChannels: false, isSeen: false }),
      );
      return { ...one(found), passedMs: clock.now() - nowAt };
    };
    try {
      const alone = await report(...targets);
      assert.equal(alone.verdict, 'ok');
      assert.match(alone.message ?? '', /no target answered with its own time to compare/);
      assert.ok(alone.passedMs < 10_000, `${alone.passedMs} ms`);
      const { verdict, message } = await report(...targets, http.origin);
      assert.equal(verdict, 'ok');
      assert.match(message ?? '', new RegExp(`of the clock of ${new URL(http.origin).host}$`));
    } finally {
      for (const { close } of silent) close();
      await http.close();
    }
  });

  it('says that it was compared with nothing when no target says the time', async () => {
    const { verdict, message } = await look(nowAt);
    assert.equal(verdict, 'ok');
    assert.match(message ?? '', /no target answered with its own time/);
  });

  it('is held against the Date header of a target, less what a cache says of its age', async () => {
    let headers: Record<string, string> = {};
    const seen: string[] = [];
    const http = await startHttp((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
      response.sendDate = false;
      response.writeHead(200, headers);
      response.end();
    });
    const host = new URL(http.origin).host;
    const report = (offsetSecs: number, more = {}) => {
      headers = { date: new Date(nowAt + offsetSecs * 1000).toUTCString(), ...more };
      return look(nowAt, http.origin);
    };
    const said = [await report(0), await report(3600), await report(-90), await report(-600, { age: '600' })];
    headers = {};
    said.push(await look(nowAt, http.origin));
    await http.close();
    const close = {
      verdict: 'ok',
      message: `it says 2026-11-21 12:00:00 UTC, within 2 s of the clock of ${host}`,
    };
    assert.deepEqual(said.slice(0, 4), [
      close,
      { verdict: 'warn', message: `it is 1h behind the clock of ${host}: one of the two is wrong` },
      { verdict: 'warn', message: `it is 1m 30s ahead of the clock of ${host}: one of the two is wrong` },
      close,
    ]);
    assert.match(said[4]?.message ?? '', /no target answered with its own time/);
    assert.deepEqual([...new Set(seen)], ['HEAD /']);
  });
});

describe('systemd', () => {
  it('is checked only when systemd expects notifications', async () => {
    const folder = pluginFolder();
    folder.script('systemd-notify', 'exit 0');
    const path = process.env['PATH'] ?? '';
    const there = await doctorIn({ NOTIFY_SOCKET: '/run/x', PATH: `${folder.path}:${path}` }, anyPort);
    const nowhere = await doctorIn({ NOTIFY_SOCKET: '/run/x', PATH: '/nonexistent' }, anyPort);
    const unasked = await doctorIn({}, anyPort);
    folder.remove();
    assert.deepEqual(one(there.of('systemd')).verdict, 'ok');
    assert.deepEqual(one(nowhere.of('systemd')), {
      verdict: 'fail',
      message: 'systemd expects notifications (Type=notify), but systemd-notify is not installed',
    });
    assert.deepEqual(unasked.of('systemd'), []);
  });
});

describe('the channels', () => {
  it('are active, or disabled by an empty secret', async () => {
    const { code, of } = await doctor(
      `${anyPort}[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "http://127.0.0.1:1/x"\n` +
        '[[channels]]\nname = "chat"\ntype = "telegram"\ntoken = "\${NOPE}"\nchat_id = "1"\n',
    );
    assert.equal(code, 0);
    assert.deepEqual(
      of('channels').map(({ verdict, message }) => [verdict, message]),
      [
        ['ok', 'ops (webhook) is active'],
        ['warn', 'chat (telegram) is disabled: token is empty'],
      ],
    );
  });

  it('have their credentials checked with --channels, and nobody is notified', async () => {
    const types = ['telegram', 'gotify', 'matrix', 'webhook'] as const;
    const vendors = await Promise.all(types.map((type) => startVendor(recipes[type].rules)));
    const tables = types.map(
      (type, n) =>
        `[[channels]]\nname = "${type}"\ntype = "${type}"\n${recipes[type].toml(vendors[n]?.origin ?? '')}\n`,
    );
    const toml = `${anyPort}${tables.join('')}`;
    const good = await doctor(toml, '--channels');
    const body = recipes.matrix.toml('http://x');
    vendors[2]?.misbehave({ kind: 'answer', answer: { status: 401, body } });
    const bad = await doctor(toml, '--channels');
    await Promise.all(vendors.map((vendor) => vendor.close()));
    const [telegram, , , webhook] = good.of('channels');
    assert.equal(telegram?.message, 'telegram (telegram) is active, and its credentials are valid');
    assert.match(webhook?.message ?? '', /is active; only `statusd test-alert` can try its credentials$/);
    assert.equal(good.code, 0);
    assert.equal(bad.code, 1);
    const failed = bad.of('channels').filter(({ verdict }) => verdict === 'fail');
    assert.match(failed[0]?.message ?? '', /^matrix: Matrix answered 401/);
    assert.doesNotMatch(JSON.stringify([good.checks, bad.checks]), /cAnArY/);
    assert.deepEqual(
      vendors.map((vendor) => vendor.notified.length),
      [0, 0, 0, 0],
    );
  });
});

describe('the outputs', () => {
  it('take metrics, whatever their receivers warn of', async () => {
    const target = await startHttp((request, response) => {
      // An answer of OTLP: nothing is rejected, and "old" is its message.
      request.resume().on('end', () => response.end(Buffer.from('0a0512036f6c64', 'hex')));
    });
    try {
      const output = (type: string) => `[[outputs]]\ntype = "${type}"\nurl = "${target.origin}/"\n`;
      const { of } = await doctor(`${anyPort}${push}${output('otlp')}${output('remote_write')}`);
      assert.deepEqual(
        of('outputs').map(({ verdict, message }) => [verdict, message]),
        [
          ['ok', 'otlp (otlp) accepts metrics; the receiver warns: old'],
          ['ok', 'remote_write (remote_write) accepts metrics'],
        ],
      );
    } finally {
      await target.close();
    }
  });
});

describe('a look that takes too long', () => {
  it('ends by its deadline, and the others are reported all the same', async () => {
    const clock = new VirtualClock();
    const { config } = await load(`${anyPort}[[monitors]]\nid = "a"\ntarget = "http://a.example.com/"\n`);
    const ctx = probeContext({
      clock,
      resolver: { resolve: () => new Promise(() => undefined) },
    });
    const found = await clock.during(
      examine({ config, env: {}, ctx, isAskingChannels: false, isSeen: false }),
      10,
    );
    const names = found.filter(({ check }) => check === 'names');
    assert.deepEqual(one(names), { verdict: 'fail', message: 'no result within 15 s' });
    assert.ok(found.some(({ check, verdict }) => check === 'listen' && verdict === 'ok'));
  });
});
