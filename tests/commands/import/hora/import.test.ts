import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../../src/db/tables/incidents.ts';
import { runCli } from '../../../support/cli.ts';
import { startDaemon, until } from '../../../support/daemon.ts';
import { horaDatabase, type HoraRow } from '../../../support/hora-database.ts';
import { kumaDatabase } from '../../../support/kuma-database.ts';
import { makeOperatorWorld, runHere } from '../../../support/operator-world.ts';

let folder = '';
let count = 0;

const place = (files: Readonly<Record<string, Uint8Array | string>>) => {
  const path = mkdtempSync(join(folder, `${count++}-`));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
};

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-hora-'));
});
after(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a command line within this process; with a database of its own unless `env` says otherwise. */
const here = (args: readonly string[], cwd: string, env = { STATUSD_DATABASE: join(cwd, 'statusd.db') }) =>
  runHere(args, { cwd, env, columns: null });

const nowSecs = Math.floor(Date.now() / 1000);
const today = Math.floor(nowSecs / 86_400);
const daySecs = 86_400;

const daily = (monitor: string, days: number): HoraRow[] =>
  Array.from({ length: days }, (_, index) => ({
    monitor_id: monitor,
    day: (today - index) * daySecs,
    up_count: index === 3 ? 1430 : 1440,
    down_count: index === 3 ? 10 : 0,
  }));

const incident = (startedAgo: number, endedAgo: number | null, over: HoraRow = {}): HoraRow => ({
  monitor_id: 'shop',
  started_at: nowSecs - startedAgo * 60,
  ended_at: endedAgo === null ? null : nowSecs - endedAgo * 60,
  created_at: nowSecs,
  ...over,
});

const dayMinutes = 1440;
const rows = {
  checks_daily: [...daily('shop', 400), ...daily('gone', 5), ...daily('node-b', 2)],
  incidents: [
    incident(400 * dayMinutes, 399 * dayMinutes),
    incident(20 * dayMinutes, 20 * dayMinutes - 30, {
      error: 'connect to the-secret-key-of-mine\u001b[2J',
      note: 'fiber cut near the-secret-key-of-mine',
      cause: 'The database',
      impacted: '["The database"]',
    }),
    incident(90, 60, { error: 'HTTP 503' }),
    incident(5, null, { error: 'still' }),
  ],
  announcements: [
    { title: 'Pinned', created_at: nowSecs },
    { title: 'Over', created_at: nowSecs, until: nowSecs - 5 },
  ],
  silences: [{ monitor_id: '*', until: nowSecs + 3600, created_at: nowSecs }],
  events: [{ title: 'deploy v2.3', created_at: nowSecs }],
  pushed_alerts: [{ monitor_id: 'shop', title: 'Disk', created_at: nowSecs }],
};

/** A configuration as Hora has it, which names its own database. */
const config = (target = 'https://shop.example.com/') => `
[server]
bind = "127.0.0.1:0"
database_path = "hora.db"
auth_token = "the-secret-key-of-mine"
[[peers]]
id = "b"
listen_id = "node-b"
listen_token = "a-token-for-the-peer"
expect_every_secs = 90
[[monitors]]
id = "shop"
name = "The shop"
target = "${target}"
interval_secs = 600
depends_on = ["db"]
[[monitors]]
id = "db"
name = "The database"
kind = "tcp"
target = "127.0.0.1:1"
interval_secs = 600
`;

const args = ['import', 'hora', '-c', 'config.toml', 'hora.db'];
const listed = async (cwd: string) => {
  const { stdout } = await here(['incidents', '--json', '-c', 'config.toml'], cwd);
  return JSON.parse(stdout) as { readonly incidents: readonly Readonly<Record<string, unknown>>[] };
};

describe('import hora', { concurrency: 2 }, () => {
  it('brings a year into the database, once, and says what it left out', async () => {
    const bytes = await horaDatabase('0.11', rows);
    const cwd = place({ 'hora.db': bytes, 'config.toml': config() });
    const first = await here(args, cwd);
    assert.deepEqual(first, {
      code: 0,
      stderr: '',
      stdout: [
        'Brought in 365 days of uptime and 2 incidents of 1 monitor.',
        '1 incident was not over when Hora looked last.',
        '1 incident ended more than a year ago.',
        'Not taken over: 1 peer, 1 announcement, 1 silence, 1 event marker and 1 producer alert.',
        'Not in the configuration: gone.',
        '',
      ].join('\n'),
    });
    const again = await here([...args, '--json'], cwd);
    assert.deepEqual(JSON.parse(again.stdout), {
      days: 0,
      incidents: 0,
      monitors: [
        {
          id: 'shop',
          days: 0,
          found: 365,
          incidents: 0,
          incidents_left_out: {
            on_record: 2,
            watched_here: 0,
            unfinished: 1,
            too_old: 1,
            too_many: 0,
            down_now: 0,
          },
        },
      ],
      unknown: ['gone'],
      not_taken_over: { peers: 1, announcements: 1, silences: 1, event_markers: 1, producer_alerts: 1 },
    });
    const quiet = await here([...args, '--quiet'], cwd);
    assert.equal(quiet.stdout, 'Not in the configuration: gone.\n');
    assert.deepEqual(readFileSync(join(cwd, 'hora.db')), Buffer.from(bytes), 'what Hora has stays as it is');
  });

  it('gives the report of a month its figures, before the first start too', async () => {
    const cwd = place({ 'hora.db': await horaDatabase('0.11', rows), 'config.toml': config() });
    const months = [1, 200].map((ago) => new Date((today - ago) * daySecs * 1000).toISOString().slice(0, 7));
    const report = (month: string) => here(['report', month, '-c', 'config.toml'], cwd);
    await here(args, cwd);
    for (const month of months) {
      const { code, stdout } = await report(month);
      assert.equal(code, 0);
      assert.match(stdout, /^The shop +(?:100|99\.\d+) ?% /m, stdout);
      assert.match(stdout, /^The database +–/m, stdout);
    }
    const earlier = await report('2001-01');
    assert.match(earlier.stdout, /^No data: the record begins in /m);
  });

  it('makes incidents of outages: with reason, note and cause, without secrets, sent to nobody', async () => {
    const cwd = place({ 'hora.db': await horaDatabase('0.9', rows), 'config.toml': config() });
    await here(args, cwd);
    const found = await listed(cwd);
    assert.deepEqual(
      found.incidents.map(({ monitor, duration_secs, reason, note, cause, impacted }) => [
        monitor,
        duration_secs,
        reason,
        note,
        cause,
        impacted,
      ]),
      [
        ['shop', 1800, 'HTTP 503', null, null, []],
        ['shop', 1800, 'connect to ***', 'fiber cut near ***', 'db', ['db']],
      ],
    );
    const uid = String(found.incidents[0]?.['uid']);
    assert.match(uid, /^hora-shop-\d+$/);
    const why = await here(['explain', uid, '-c', 'config.toml'], cwd);
    assert.match(why.stdout, /Not sent here: Hora monitored it\./);
  });

  it('reads what releases before the record of incidents left', async () => {
    const checks = [2, 3].flatMap((ago) =>
      [1, 1, 0].map((status, index) => ({
        monitor_id: 'shop',
        time: (today - ago) * daySecs + index * 600,
        status,
      })),
    );
    const cwd = place({ 'hora.db': await horaDatabase('0.2', { checks }), 'config.toml': config() });
    const { code, stdout } = await here(args, cwd);
    assert.deepEqual([code, stdout], [0, 'Brought in 2 days of uptime and 0 incidents of 1 monitor.\n']);
  });

  it('brings none that ended when statusd was watching, nor any while another is open', async () => {
    const cwd = place({ 'hora.db': await horaDatabase('0.9', {}), 'config.toml': config() });
    const nothing = await here(args, cwd);
    assert.deepEqual(
      [nothing.code, nothing.stdout],
      [1, 'Brought in 0 days of uptime and 0 incidents of 0 monitors.\n'],
    );
    writeFileSync(join(cwd, 'hora.db'), await horaDatabase('0.9', rows));
    await here(args, cwd);
    const late = { ...rows, incidents: [...rows.incidents, incident(1, -1)] };
    writeFileSync(join(cwd, 'hora.db'), await horaDatabase('0.9', late));
    const { stdout } = await here(args, cwd);
    assert.match(stdout, /^1 incident ended when statusd was watching itself\.$/m);
    const world = makeOperatorWorld();
    try {
      const api = { ...rows, incidents: rows.incidents.map((row) => ({ ...row, monitor_id: 'api' })) };
      writeFileSync(join(world.cwd, 'hora.db'), await horaDatabase('0.9', api));
      await world.write(
        incidents.open({
          ...{ uid: 'own', monitor: 'api', name: 'The API', startedAt: 1, confirmedAt: 1 },
          ...{ category: null, reason: null, cause: null, impacted: [], snapshot: null, vantage: null },
        }),
      );
      const held = await world.run('import', 'hora', 'hora.db');
      assert.match(held.stdout, /^2 incidents of api left out: it is down now\./m);
      await world.write(incidents.close({ uid: 'own', endedAt: 2 }));
      assert.match((await world.run('import', 'hora', 'hora.db')).stdout, /and 2 incidents of 1 monitor/);
    } finally {
      world.remove();
    }
  });

  it('beside a daemon with the configuration of Hora, which notifies nobody and shows them', async () => {
    const sent: string[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/hook') sent.push(request.url);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ops = `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "${origin}/hook"\n`;
    const cwd = place({
      'hora.db': await horaDatabase('0.11', rows),
      'statusd.toml': config(`${origin}/`).replace('database_path = "hora.db"\n', '') + ops,
    });
    const daemon = await startDaemon(cwd);
    try {
      const { stdout } = await runCli(['import', 'hora', 'hora.db'], { cwd });
      assert.match(stdout, /^Brought in 365 days of uptime and 2 incidents of 1 monitor\.$/m);
      const page = await until(
        async () => {
          const text = await (await fetch(`${daemon.url}history?token=the-secret-key-of-mine`)).text();
          return /HTTP\s503/.test(text) && text;
        },
        () => 'the page does not show them',
      );
      assert.match(page, /30 min/);
      assert.match(page, /fiber cut/);
      // Whatever were sent about them would be sent now.
      const proof = await runCli(['test-alert'], { cwd });
      assert.equal(proof.code, 0, proof.stderr);
      const outbox = JSON.parse((await runCli(['outbox', '--json'], { cwd })).stdout) as object;
      assert.deepEqual(Object.values(outbox).flat(), []);
      assert.equal(sent.length, 2, 'the two messages of the test alert');
    } finally {
      await daemon.end('SIGTERM');
      server.close();
    }
  });

  it('says what is wrong with a file, and how to go on, and makes no database', async () => {
    const whole = await horaDatabase('0.9', rows);
    const torn = Uint8Array.from(whole);
    torn.fill(0x55, 4096 + 20);
    const renamed = 'ALTER TABLE checks RENAME COLUMN status TO state';
    const files: Readonly<Record<string, readonly [content: Uint8Array | string, says: RegExp]>> = {
      'torn.db': [torn, /the database .*torn\.db is damaged\n.*hora backup copy\.db/],
      'short.db': [whole.slice(0, 5000), /short\.db is damaged/],
      'empty.db': ['', /empty\.db is no database of Hora\n.*server\.database_path/],
      'text.db': ['hello', /text\.db is no database of Hora/],
      'kuma.db': [await kumaDatabase('2.0', {}), /not one of Hora\n.*statusd import kuma --history/],
      'odd.db': [
        await horaDatabase('0.9', {}, { script: renamed }),
        /odd\.db is a SQLite database, but not one of Hora/,
      ],
      'newer.db': [
        await horaDatabase('0.11', {}, { applied: 30, script: renamed }),
        /newer\.db was written by a newer Hora: its schema is 30, statusd reads up to 22, and checks\.status is not there\n/,
      ],
      'config.toml': [
        config(),
        /config\.toml is no database of Hora\n.*needs no import: statusd check --config-only/,
      ],
    };
    const contents = Object.fromEntries(Object.entries(files).map(([name, [content]]) => [name, content]));
    const cwd = place(contents);
    for (const [name, [, says]] of Object.entries(files)) {
      const { code, stdout, stderr } = await here(['import', 'hora', '-c', 'config.toml', name], cwd);
      assert.deepEqual([code, stdout], [2, ''], name);
      assert.match(stderr, says);
    }
    mkdirSync(join(cwd, 'folder'));
    for (const [name, says] of [
      ['folder', /folder is a directory/],
      ['missing.db', /missing\.db does not exist/],
    ] as const) {
      const { code, stderr } = await here(['import', 'hora', '-c', 'config.toml', name], cwd);
      assert.equal(code, 2);
      assert.match(stderr, says);
    }
    const without = await here(['import', 'hora', '-c', 'none.toml', 'newer.db'], cwd);
    assert.equal(without.code, 3);
  });

  it('makes no database for a file that it refuses', async () => {
    const cwd = place({ 'text.db': 'no database', 'config.toml': config() });
    for (const [program, file] of [
      ['hora', 'text.db'],
      ['hora', 'nothing.db'],
      ['kuma', 'text.db'],
      ['kuma', 'nothing.db'],
    ] as const) {
      const given = program === 'kuma' ? [file, '--history'] : [file];
      const { code, stderr } = await here(['import', program, '-c', 'config.toml', ...given], cwd);
      assert.equal(code, 2, stderr);
      assert.deepEqual(readdirSync(cwd).toSorted(), ['config.toml', 'text.db'], `${program} ${file}`);
    }
  });

  it('refuses the database of Hora as the one of statusd too, under whatever name', async () => {
    const cwd = place({ 'hora.db': await horaDatabase('0.9', rows), 'config.toml': config() });
    symlinkSync('hora.db', join(cwd, 'link.db'));
    for (const name of ['hora.db', './hora.db', 'link.db']) {
      const { code, stderr } = await here(['import', 'hora', '-c', 'config.toml', name], cwd, {
        STATUSD_DATABASE: '',
      });
      assert.equal(code, 2);
      assert.match(
        stderr,
        /is also the database that the configuration names for statusd\n.*STATUSD_DATABASE=/,
      );
    }
  });

  it('warns of a newer schema that still has what is read, and of what is not in the file yet', async () => {
    const cwd = place({
      'hora.db': await horaDatabase('0.11', rows, { applied: 23 }),
      'hora.db-wal': 'x',
      'config.toml': config(),
    });
    const { code, stderr, stdout } = await here(args, cwd);
    assert.equal(code, 0);
    assert.match(stderr, /warning: hora\.db-wal holds changes .*`hora backup copy\.db`/);
    assert.match(stderr, /warning: hora\.db was written by a newer Hora \(schema 23, known are 22\)/);
    assert.match(stdout, /^Brought in 365 days/);
  });
});
