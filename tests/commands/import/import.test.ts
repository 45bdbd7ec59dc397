import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli, type CliOptions } from '../../support/cli.ts';
import { startDaemon, until } from '../../support/daemon.ts';
import { household, householdSecrets } from '../../support/kuma-household.ts';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { makeOperatorWorld, runHere } from '../../support/operator-world.ts';
import { kumaDatabase, type KumaRow } from '../../support/kuma-database.ts';

let folder = '';
let count = 0;

/** A new folder for a run of its own, with these files in it. */
const place = (files: Readonly<Record<string, Uint8Array | string>> = {}) => {
  const path = mkdtempSync(join(folder, `${count++}-`));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
};

const kuma = (rows: Readonly<Record<string, readonly KumaRow[]>>) => kumaDatabase('2.0', rows);

/** Answers what it is asked like the service that is being watched. */
const server = createServer((request, response) => {
  const isKnown = request.headers.authorization === `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
  if (request.url === '/private' && !isKnown) response.statusCode = 401;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ status: 'UP', checks: [{ ok: 'yes' }], text: 'Add to cart' }));
});
let origin = '';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-import-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const row = (over: KumaRow): KumaRow => ({
  interval: 60,
  retry_interval: 60,
  timeout: 5,
  type: 'http',
  ...over,
});

/** Runs a command line within this process. */
const here = (args: readonly string[], { cwd, env = {} }: CliOptions) =>
  runHere(args, { cwd, env, columns: null });

/** What `check --json` found, by id. */
const checked = async (cwd: string, env: Readonly<Record<string, string>>) => {
  const { stdout } = await runCli(['check', '--json'], { cwd, env });
  const { results } = JSON.parse(stdout) as {
    results: readonly { id: string; status: string; error: string | null }[];
  };
  return Object.fromEntries(results.map(({ id, status }) => [id, status]));
};

describe('import kuma', { concurrency: 2 }, () => {
  it('writes a configuration that asks what Uptime Kuma asked', async () => {
    const port = Number(new URL(origin).port);
    const cwd = place({
      'kuma.db': await kuma({
        monitor: [
          row({ id: 1, name: 'Plain', url: `${origin}/` }),
          row({ id: 2, name: 'Keyword', type: 'keyword', url: `${origin}/`, keyword: 'Add to cart' }),
          row({
            id: 3,
            name: 'No keyword',
            type: 'keyword',
            url: `${origin}/`,
            keyword: 'sold out',
            invert_keyword: 1,
          }),
          row({
            id: 4,
            name: 'Query',
            type: 'json-query',
            url: `${origin}/`,
            json_path: 'checks[0].ok',
            expected_value: 'yes',
          }),
          row({
            id: 5,
            name: 'Wrong query',
            type: 'json-query',
            url: `${origin}/`,
            json_path: 'checks[0].ok',
            expected_value: 'no',
          }),
          row({
            id: 6,
            name: 'Private',
            url: `${origin}/private`,
            auth_method: 'basic',
            basic_auth_user: 'me',
            basic_auth_pass: 'hunter2',
          }),
          row({ id: 7, name: 'Refused', url: `${origin}/private`, accepted_statuscodes_json: '["401"]' }),
          row({ id: 8, name: 'Port', type: 'port', hostname: '127.0.0.1', port }),
          row({ id: 9, name: 'Job', type: 'push', push_token: 'secret-of-the-job' }),
        ],
      }),
    });
    const { code, stdout, stderr } = await runCli(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^8 exact, 1 approximated, 1 dropped$/m);
    assert.match(stdout, /^Wrote statusd.toml\. /m);
    assert.equal(statSync(join(cwd, 'statusd.toml')).mode & 0o777, 0o600);
    assert.match(stdout, /^Secrets in .*statusd\.env$/m);
    assert.match(stdout, /--secrets inline/);
    assert.doesNotMatch(stdout, /variables to set|Set the variables/);
    assert.equal(statSync(join(cwd, 'statusd.env')).mode & 0o777, 0o600);
    assert.equal(
      readFileSync(join(cwd, 'statusd.env'), 'utf8'),
      `STATUSD_PRIVATE_BASIC_AUTH=${Buffer.from('me:hunter2').toString('base64')}\nSTATUSD_JOB_PUSH_TOKEN=secret-of-the-job\n`,
    );
    // As printed: with nothing set by hand.
    assert.deepEqual(await checked(cwd, {}), {
      plain: 'up',
      keyword: 'up',
      'no-keyword': 'up',
      query: 'up',
      'wrong-query': 'down',
      private: 'up',
      refused: 'up',
      port: 'up',
      job: 'skipped',
    });
  });

  it('keeps secrets that are there: refused without --force, beside the new ones with it, mode 0600', async () => {
    const job = row({ id: 1, name: 'Job', type: 'push', push_token: "it is \"a 'secret' $HOME" });
    const cwd = place({
      'kuma.db': await kuma({ monitor: [job] }),
      'statusd.env': 'MINE=1\nSTATUSD_JOB_PUSH_TOKEN=old\n',
    });
    const refused = await here(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /statusd\.env exists already/);
    assert.ok(!existsSync(join(cwd, 'statusd.toml')));
    const forced = await here(['import', 'kuma', '--force', '--json', 'kuma.db'], { cwd });
    assert.equal(forced.code, 0, forced.stderr);
    assert.equal(
      (JSON.parse(forced.stdout) as { secrets_file: string }).secrets_file,
      join(cwd, 'statusd.env'),
    );
    assert.equal(
      readFileSync(join(cwd, 'statusd.env'), 'utf8'),
      'MINE=1\nSTATUSD_JOB_PUSH_TOKEN="it is \\"a \'secret\' \\$HOME"\n',
    );
    assert.equal(statSync(join(cwd, 'statusd.env')).mode & 0o777, 0o600);
    const { config, warnings } = await loadConfig(join(cwd, 'statusd.toml'), {
      env: {},
      readFile: readSmallFile,
    });
    assert.equal(config.monitors[0]?.push_token?.reveal(), "it is \"a 'secret' $HOME");
    assert.deepEqual(warnings, []);
  });

  it('wants no variable that nothing uses, and keeps no secret of what it left out', async () => {
    const headers = JSON.stringify({ Authorization: 'Bearer own-token-1' });
    const cwd = place({
      'kuma.db': await kuma({
        monitor: [
          row({ id: 1, name: 'Shop', url: 'https://me:login-secret@shop.example.com/', headers }),
          row({
            id: 2,
            name: 'Bad',
            url: 'https://bad.example.com/',
            headers: '{"X-Api-Key": "bad\\u0000secret"}',
          }),
        ],
      }),
    });
    const { code, stdout } = await here(['import', 'kuma', 'kuma.db', '--json'], { cwd });
    assert.equal(code, 0, stdout);
    const { variables } = JSON.parse(stdout) as { variables: readonly { name: string }[] };
    const toml = readFileSync(join(cwd, 'statusd.toml'), 'utf8');
    for (const { name } of variables) assert.ok(toml.includes(`\${${name}}`), name);
    assert.deepEqual(
      variables.map(({ name }) => name),
      ['STATUSD_SHOP_AUTHORIZATION'],
    );
    const kept = readFileSync(join(cwd, 'statusd.env'), 'utf8');
    assert.match(kept, /^STATUSD_SHOP_AUTHORIZATION=.*own-token-1/m);
    assert.doesNotMatch(kept, /BASIC_AUTH|BAD/);
    assert.doesNotMatch(toml, /BASIC_AUTH|X_API_KEY/);
  });

  it('keeps two monitors of one name apart, and says which became which', async () => {
    const monitor = [1, 2, 3].map((id) => row({ id, name: 'Web shop', url: `${origin}/${id}` }));
    const cwd = place({ 'kuma.db': await kuma({ monitor }) });
    const { code, stdout } = await here(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /Web shop \(http\), now web-shop-2\n +another monitor has the name Web shop too: this one becomes "Web shop \(2\)"/,
    );
    assert.match(stdout, /this one becomes "Web shop \(3\)"/);
    const { config, warnings } = await loadConfig(join(cwd, 'statusd.toml'), {
      env: {},
      readFile: readSmallFile,
    });
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map(({ id, name }) => [id, name, config.monitors.length]),
      [
        ['web-shop', 'Web shop', 3],
        ['web-shop-2', 'Web shop (2)', 3],
        ['web-shop-3', 'Web shop (3)', 3],
      ],
    );
    assert.ok(!existsSync(join(cwd, 'statusd.env')));
  });

  it('keeps what lies in a paused group paused, also in groups within it', async () => {
    const monitor = [
      row({ id: 1, name: 'Rack', type: 'group', active: 0 }),
      row({ id: 2, name: 'Shelf', type: 'group', parent: 1, active: 1 }),
      row({ id: 3, name: 'Sleeping', url: `${origin}/`, parent: 2, active: 1 }),
      row({ id: 4, name: 'Awake', url: `${origin}/`, active: 1 }),
    ];
    const cwd = place({
      'kuma.db': await kuma({ monitor }),
      'backup.json': JSON.stringify({
        version: '1.23.0',
        monitorList: monitor,
        notificationList: [],
        proxyList: [],
      }),
    });
    for (const source of ['kuma.db', 'backup.json']) {
      const { code, stdout } = await here(['import', 'kuma', source, '--force'], { cwd });
      assert.equal(code, 0, stdout);
      const { config } = await loadConfig(join(cwd, 'statusd.toml'), { env: {}, readFile: readSmallFile });
      assert.deepEqual(
        config.monitors.map(({ id }) => id),
        ['awake'],
        source,
      );
      assert.match(stdout, /Sleeping \(http\)\n +(dropped: )?is paused/);
    }
  });

  it('never replaces a file unless asked to, and writes nothing but that file and its secrets', async () => {
    const cwd = place({ 'kuma.db': await kuma(household('2.0')), 'statusd.toml': 'mine' });
    const refused = await here(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /statusd\.toml exists already/);
    assert.equal(readFileSync(join(cwd, 'statusd.toml'), 'utf8'), 'mine');
    const forced = await here(['import', 'kuma', '--force', '-q', 'kuma.db'], { cwd });
    assert.deepEqual([forced.code, forced.stdout], [0, '']);
    assert.match(readFileSync(join(cwd, 'statusd.toml'), 'utf8'), /^# Imported from Uptime Kuma 2\.x/);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['kuma.db', 'statusd.env', 'statusd.toml']);
  });

  it('prints the configuration alone, and the report beside it', async () => {
    const cwd = place({ 'kuma.db': await kuma(household('2.0')) });
    const { code, stdout, stderr } = await here(['import', 'kuma', '--out', '-', 'kuma.db'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /^# Imported/);
    assert.match(stderr, /^11 exact, 9 approximated, 9 dropped$/m);
    for (const secret of householdSecrets.filter((each) => each !== 'basic-hunter2')) {
      assert.ok(!(stdout + stderr).includes(secret), secret);
    }
    assert.ok(!existsSync(join(cwd, 'statusd.toml')));
    const both = await here(['import', 'kuma', '--out', '-', '--json', 'kuma.db'], { cwd });
    assert.equal(both.code, 2);
  });

  it('reports as JSON', async () => {
    const cwd = place({ 'kuma.db': await kuma(household('2.0')) });
    const { stdout } = await here(['import', 'kuma', '--json', '--secrets', 'inline', 'kuma.db'], { cwd });
    const report = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual(report['counts'], { exact: 11, approximated: 9, dropped: 9 });
    assert.deepEqual(report['variables'], []);
    for (const secret of householdSecrets) assert.ok(!stdout.includes(secret), secret);
    assert.ok(readFileSync(join(cwd, 'statusd.toml'), 'utf8').includes('smtp-hunter2'));
  });

  it('says in one sentence what a file is that it cannot read', async () => {
    const whole = await kuma(household('2.0'));
    const cwd = place({ 'cut.db': whole.slice(0, Math.floor(whole.length / 3)), 'text.db': 'hello' });
    for (const [name, message] of [
      ['cut.db', /cut\.db is damaged/],
      ['text.db', /neither a database nor a backup of Uptime Kuma/],
    ] as const) {
      const { code, stdout, stderr } = await here(['import', 'kuma', name], { cwd });
      assert.equal(code, 2, `${name}: ${stderr}`);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n\s+at /);
      assert.equal(stdout, '');
      assert.ok(!existsSync(join(cwd, 'statusd.toml')));
    }
  });

  it('ends with 1 and writes nothing when there is nothing to watch', async () => {
    const cwd = place({ 'kuma.db': await kuma({ monitor: [row({ id: 1, name: 'Only', type: 'docker' })] }) });
    const { code, stdout } = await here(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(code, 1);
    assert.match(stdout, /nothing in it that statusd could watch/);
    assert.ok(!existsSync(join(cwd, 'statusd.toml')));
  });

  it('warns of what Kuma has not written into its database yet', async () => {
    const cwd = place({ 'kuma.db': await kuma(household('2.0')), 'kuma.db-wal': 'x' });
    const { code, stderr } = await here(['import', 'kuma', 'kuma.db'], { cwd });
    assert.equal(code, 0);
    assert.match(stderr, /warning: kuma\.db-wal holds changes/);
  });
});

describe('import kuma --history', { concurrency: 2 }, () => {
  const today = Math.floor(Date.now() / 86_400_000);
  const daily = (monitor_id: number, days: number): KumaRow[] =>
    Array.from({ length: days }, (_, index) => ({
      monitor_id,
      timestamp: (today - index) * 86_400,
      ping: 12.5,
      up: index === 3 ? 1430 : 1440,
      down: index === 3 ? 10 : 0,
    }));
  const monitor = [
    row({ id: 1, name: 'Shop', url: 'https://shop.example.com/' }),
    row({ id: 2, name: 'Gone', url: 'https://gone.example.com/' }),
  ];
  const toml = '[[monitors]]\nid = "shop"\nname = "Shop"\ntarget = "https://shop.example.com/"\n';

  it('brings a year of version 2 into the database, once, and says who is not there', async () => {
    const cwd = place({
      'kuma.db': await kuma({ monitor, stat_daily: [...daily(1, 500), ...daily(2, 5)] }),
      'statusd.toml': toml,
    });
    const first = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
    assert.equal(first.code, 0, first.stderr);
    assert.equal(
      first.stdout,
      'Brought in 365 days of uptime and 0 incidents of 1 monitor.\nNot in the configuration: Gone.\n',
    );
    const again = await here(['import', 'kuma', '--history', '--json', 'kuma.db'], { cwd });
    const notified = JSON.parse(again.stdout) as { monitors: readonly { days: number; found: number }[] };
    assert.deepEqual(
      { ...notified, monitors: notified.monitors.map(({ days, found }) => [days, found]) },
      {
        days: 0,
        incidents: 0,
        monitors: [[0, 365]],
        unknown: ['Gone'],
      },
    );
    assert.equal(readFileSync(join(cwd, 'statusd.toml'), 'utf8'), toml);
  });

  it('counts the heartbeats of version 1 by day', async () => {
    const beats = [2, 3, 4].flatMap((ago) =>
      Array.from({ length: 24 }, (_, hour) => ({
        monitor_id: 1,
        status: hour === 5 && ago === 3 ? 0 : hour === 6 ? 3 : 1,
        important: hour === 5 || hour === 6 || hour === 7 ? 1 : 0,
        time: new Date((today - ago) * 86_400_000 + hour * 3_600_000)
          .toISOString()
          .replace('T', ' ')
          .replace('Z', ''),
      })),
    );
    const bytes = await kumaDatabase('1.23', { monitor, heartbeat: beats });
    const cwd = place({ 'kuma.db': bytes, 'statusd.toml': toml });
    const { stdout, stderr } = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
    assert.match(stdout, /^Brought in 3 days of uptime and 1 incident of 1 monitor\./, stderr);
  });

  describe('brings outages', () => {
    const ago = (minutes: number) =>
      new Date(Date.now() - minutes * 60_000).toISOString().replace('T', ' ').replace('Z', '');
    const turn = (minutes: number, status: number, msg = ''): KumaRow => ({
      monitor_id: 1,
      status,
      important: 1,
      time: ago(minutes),
      msg,
    });
    const day = 1440;
    const heartbeat = [
      turn(400 * day, 0, 'before the year'),
      turn(399 * day, 1),
      turn(20 * day, 0, 'connect to the-secret-key\u001b[2J'),
      turn(20 * day - 30, 1),
      turn(90, 0, 'status 503'),
      turn(60, 3),
      turn(5, 0, 'still'),
    ];
    const settings = `[server]\nbind = "127.0.0.1:0"\nauth_token = "the-secret-key"\n${toml}interval_secs = 600\n`;
    const listed = async (cwd: string) => {
      const { stdout } = await here(['incidents', '--json'], { cwd });
      return JSON.parse(stdout) as { readonly incidents: readonly Readonly<Record<string, unknown>>[] };
    };

    it('that are over into the record, once, and says what it left out', async () => {
      const cwd = place({ 'kuma.db': await kuma({ monitor, heartbeat }), 'statusd.toml': settings });
      const { stdout } = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
      assert.match(stdout, /^Brought in \d+ days? of uptime and 2 incidents of 1 monitor\.$/m);
      assert.match(stdout, /^1 incident was not over when Uptime Kuma looked last\.$/m);
      assert.match(stdout, /^1 incident ended more than a year ago\.$/m);
      const found = await listed(cwd);
      assert.deepEqual(
        found.incidents.map(({ monitor: id, duration_secs, reason }) => [id, duration_secs, reason]),
        [
          ['shop', 1800, 'status 503'],
          ['shop', 1800, 'connect to ***'],
        ],
      );
      const uid = String(found.incidents[0]?.['uid']);
      assert.match(uid, /^kuma-shop-\d+$/);
      const notified = await here(['explain', uid], { cwd });
      assert.match(notified.stdout, /Not sent here: Uptime Kuma monitored it\./);
      const again = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
      assert.match(again.stdout, /^2 incidents were on record already\.$/m);
      assert.deepEqual(await listed(cwd), found);
    });

    it('but none that ended when statusd was watching, and `last` stays the one that started last', async () => {
      const cwd = place({ 'kuma.db': await kuma({ monitor }), 'statusd.toml': settings });
      await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
      const later = await kuma({ monitor, heartbeat: [...heartbeat, turn(0, 0, 'late'), turn(-1, 1)] });
      writeFileSync(join(cwd, 'kuma.db'), later);
      const { stdout } = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
      assert.match(stdout, /^1 incident ended when statusd was watching itself\.$/m);
      assert.match((await here(['explain', 'last'], { cwd })).stdout, /status 503/);
    });

    it('when the monitor is up again: the record holds one at a time that is not over', async () => {
      const world = makeOperatorWorld();
      try {
        const named = [row({ id: 1, name: 'api', url: 'https://api.example.com/' })];
        writeFileSync(join(world.cwd, 'kuma.db'), await kuma({ monitor: named, heartbeat }));
        const about = { uid: 'own', monitor: 'api', name: 'The API', startedAt: 1, confirmedAt: 1 };
        const unknown = {
          category: null,
          reason: null,
          cause: null,
          impacted: [],
          snapshot: null,
          vantage: null,
        };
        await world.write(incidents.open({ ...about, ...unknown }));
        const notified = async () => {
          const report = await world.json('import', 'kuma', '--history', 'kuma.db');
          const [first] = (report as { monitors: readonly Readonly<Record<string, unknown>>[] }).monitors;
          return [first?.['incidents'], first?.['incidents_left_out']];
        };
        const others = { watched_here: 0, unfinished: 1, too_old: 1, too_many: 0 };
        assert.deepEqual(await notified(), [0, { on_record: 0, ...others, down_now: 2 }]);
        const { stdout } = await world.run('import', 'kuma', '--history', 'kuma.db');
        assert.match(stdout, /^2 incidents of api left out: it is down now\./m);
        await world.write(incidents.close({ uid: 'own', endedAt: 2 }));
        assert.deepEqual(await notified(), [2, { on_record: 0, ...others, down_now: 0 }]);
      } finally {
        world.remove();
      }
    });

    it('beside a daemon that notifies nobody, and shows them', async () => {
      const notified: string[] = [];
      const channel = createServer((request, response) => {
        notified.push(String(request.url));
        response.end();
      });
      channel.listen(0, '127.0.0.1');
      await once(channel, 'listening');
      const url = `http://127.0.0.1:${(channel.address() as AddressInfo).port}/`;
      const ops = `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "${url}"\n`;
      const quiet = settings.replace('https://shop.example.com/', origin);
      const cwd = place({ 'kuma.db': await kuma({ monitor, heartbeat }), 'statusd.toml': quiet + ops });
      const daemon = await startDaemon(cwd);
      try {
        const { code, stdout } = await here(['import', 'kuma', '--history', 'kuma.db'], { cwd });
        assert.equal(code, 0);
        assert.match(stdout, /and 2 incidents of 1 monitor/);
        const page = await until(
          async () => {
            const text = await (await fetch(`${daemon.url}history?token=the-secret-key`)).text();
            return /status\s503/i.test(text) && text;
          },
          () => 'the page does not show them',
        );
        assert.match(page, /30 min/);
        // Whatever were told about them would be sent now.
        const proof = await runCli(['test-alert'], { cwd });
        assert.equal(proof.code, 0, proof.stderr);
        const outbox = JSON.parse((await here(['outbox', '--json'], { cwd })).stdout) as object;
        assert.deepEqual(Object.values(outbox).flat(), []);
        assert.equal(notified.length, 2, 'the two messages of the test alert');
      } finally {
        await daemon.end('SIGTERM');
        channel.close();
      }
    });
  });

  it('refuses a backup, and options that are about the configuration', async () => {
    const cwd = place({ 'b.json': '{"version":"1.23","monitorList":[]}', 'statusd.toml': toml });
    const backup = await here(['import', 'kuma', '--history', 'b.json'], { cwd });
    assert.equal(backup.code, 2);
    assert.match(backup.stderr, /is a backup, which has no history/);
    const out = await here(['import', 'kuma', '--history', '--out', 'x.toml', 'b.json'], { cwd });
    assert.equal(out.code, 2);
    const config = await here(['import', 'kuma', '-c', 'statusd.toml', 'b.json'], { cwd });
    assert.match(config.stderr, /import reads no configuration/);
  });
});

describe('import gatus', () => {
  it('writes a configuration that asks what Gatus asked', async () => {
    const yaml = `
endpoints:
  - name: Fine
    url: ${origin}/
    conditions: ["[STATUS] == 200", "[BODY].status == UP", "len([BODY].checks) == 1", "[BODY] == pat(*cart*)"]
  - name: Wrong
    url: ${origin}/
    conditions: ["[STATUS] == 200", "[BODY].status == UP", "len([BODY].checks) > 1"]
  - name: Private
    url: ${origin}/private
    headers: { Authorization: "Basic $LOGIN" }
    conditions: ["[STATUS] < 300"]
  - name: Port
    url: ${origin.replace('http', 'tcp')}
    conditions: ["[CONNECTED] == true"]
`;
    const cwd = place({ 'config.yaml': yaml });
    const { code, stderr, stdout } = await here(['import', 'gatus', 'config.yaml'], { cwd });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^3 exact, 2 approximated, 0 dropped$/m);
    const env = { LOGIN: Buffer.from('me:hunter2').toString('base64') };
    assert.deepEqual(await checked(cwd, env), { fine: 'up', wrong: 'down', private: 'up', port: 'up' });
  });

  it('says where the file is wrong', async () => {
    const cwd = place({ 'config.yaml': 'endpoints:\n  - name: "x\n' });
    const { code, stderr } = await here(['import', 'gatus', 'config.yaml'], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /config\.yaml:\d+:\d+: /);
  });
});
