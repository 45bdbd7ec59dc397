import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samples } from '../../../src/db/tables/samples.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

interface Tuned {
  readonly days: number;
  readonly patch: string | null;
  readonly monitors: readonly {
    readonly id: string;
    readonly samples: number;
    readonly samples_left_out: number;
    readonly fail_threshold: { readonly now: number; readonly recommended: number; readonly reason: string };
    readonly alerts: { readonly now: { readonly alerts: number; readonly flaps: number } };
    readonly outages: readonly { readonly delay_now_secs: number; readonly delay_recommended_secs: number }[];
  }[];
}
const tune = async (...args: readonly string[]) => (await world.json('tune', ...args)) as Tuned;

/** A check a minute for eight days: a flap of four checks every day, and one outage of half an hour. */
function flappingWeek(id: string, now: number) {
  const first = Math.floor(now / 1000) * 1000 - 8 * dayMs;
  const history = Array.from({ length: 8 * 1440 - 5 }, (_, minute) => {
    const ofDay = minute % 1440;
    const isDown = (ofDay >= 600 && ofDay < 604) || (minute > 5000 && minute <= 5030);
    return {
      at: first + minute * minuteMs,
      status: isDown ? ('down' as const) : ('up' as const),
      latencyMs: isDown ? null : 100 + (minute % 50),
      holdSecs: 82,
      isHeartbeat: false,
    };
  });
  return samples.addHistory(id, history);
}

describe('statusd tune', () => {
  it('needs a database (exit 4), a configuration (exit 3) and a number of days (exit 2)', async () => {
    assert.equal((await world.run('tune')).code, 4);
    assert.equal((await world.run('tune', '-c', 'none.toml')).code, 3);
    for (const days of ['0', '3651', 'x', '-1', '1.5']) {
      assert.equal((await world.run('tune', `--days=${days}`)).code, 2, days);
    }
  });

  it('names the monitors of which too little is known', async () => {
    await world.write();
    const { stdout, code } = await world.run('tune');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^There is too little history to recommend anything\.\n30 days of 3 monitors: 0 samples/,
    );
    assert.match(stdout, /Too little history \(six days at least\): db, api, intern\.\n$/);
    assert.equal((await world.run('tune', '-q')).stdout, '');
    assert.match((await world.run('tune', 'api')).stdout, /No sample of these days is stored\./);
  });

  it('recommends a threshold, in text and with the arithmetic in JSON', async () => {
    await world.write(...flappingWeek('api', Date.now()));
    const { monitors, days } = await tune('--days', '8');
    assert.deepEqual(
      monitors.map(({ id }) => id),
      ['db', 'api', 'intern'],
    );
    const api = monitors[1] ?? assert.fail();
    assert.equal(days, 8);
    assert.deepEqual(
      [api.fail_threshold.now, api.fail_threshold.recommended, api.fail_threshold.reason],
      [3, 5, 'quieter'],
    );
    assert.equal(api.alerts.now.alerts, 9);
    assert.equal(api.alerts.now.flaps, 8);
    assert.deepEqual(
      api.outages.map((outage) => [outage.delay_now_secs, outage.delay_recommended_secs]),
      [[150, 270]],
    );
    assert.match(
      (await world.run('tune')).stdout,
      /^api +fail_threshold +3 +5 +9 → 1 alert, 1 of 1 outage,/m,
    );
    assert.match((await world.run('tune', 'api')).stdout, /^then +5 +1 +0 +1 of 1 +4m 30s +4m 30s$/m);
  });

  it('fits a narrow terminal and draws it in colour only where that is wanted', async () => {
    for (const args of [['tune'], ['tune', 'api']]) {
      const { stdout } = await world.runOnTerminal(80, ...args, '--no-color');
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
      assert.ok(!stdout.includes('\u001b'));
    }
    assert.match((await world.runOnTerminal(80, 'tune')).stdout, /\u001b\[33m/);
  });

  it('knows only the monitors there are (exit 5, with the nearest)', async () => {
    const { code, stderr } = await world.run('tune', 'apii');
    assert.equal(code, 5);
    assert.match(stderr, /there is no monitor 'apii'\n {2}Did you mean api\?/);
    await world.write(...flappingWeek('retired', Date.now()).slice(0, 1));
    const retired = await world.run('tune', 'retired');
    assert.equal(retired.code, 5);
    assert.match(retired.stderr, /the configuration has no monitor 'retired' any more/);
  });

  it('prints a patch that can be applied, and nothing when nothing is to be changed', async () => {
    const { stdout, stderr, code } = await world.run('tune', '--days', '8', '--write');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^--- a\/statusd\.toml\n\+\+\+ b\/statusd\.toml\n@@ /);
    assert.match(
      stdout,
      /\n id = "api"\n\+fail_threshold = 5\n\+degraded_over_ms = 190\n name = "The API"\n/,
    );
    const file = join(world.cwd, 'patched.toml');
    copyFileSync(join(world.cwd, 'statusd.toml'), file);
    const applied = spawnSync('git', ['apply', '-p1', '-'], {
      cwd: world.cwd,
      input: stdout.replaceAll('statusd.toml', 'patched.toml'),
      encoding: 'utf8',
      env: { ...process.env, GIT_CEILING_DIRECTORIES: world.cwd },
    });
    if (applied.error === undefined) {
      assert.equal(applied.status, 0, applied.stderr);
      const again = await world.run('tune', '--days', '8', '--write', '-c', 'patched.toml');
      assert.deepEqual([again.stdout, again.stderr], ['', 'statusd: nothing is to be changed\n']);
    }
    assert.equal((await tune('--days', '8', '--write')).patch, stdout);
  });

  it('changes a value in its place, and says what cannot be placed', async () => {
    const text = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
    writeFileSync(
      join(world.cwd, 'set.toml'),
      text.replace('depends_on = ["db"]', '  fail_threshold = 3 # as ever\ndepends_on = ["db"]'),
    );
    const { stdout } = await world.run('tune', 'api', '--days', '8', '--write', '-c', 'set.toml');
    assert.match(stdout, /\n- {2}fail_threshold = 3 # as ever\n\+ {2}fail_threshold = 5 # as ever\n/);

    const inline =
      'monitors = [{ id = "api", target = "http://127.0.0.1:1/" }]\n[server]\ndatabase_path = "statusd.db"\n';
    writeFileSync(join(world.cwd, 'inline.toml'), inline);
    const unplaced = await world.run('tune', '--days', '8', '--write', '-c', 'inline.toml');
    assert.deepEqual([unplaced.code, unplaced.stdout], [0, '']);
    assert.match(unplaced.stderr, /warning: api: set fail_threshold = 5 by hand/);
  });

  it('has a part for each file of the configuration', async () => {
    const text = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
    const own = /\n\[\[monitors\]\]\nid = "api"\n(?:[^[\n].*\n)*/.exec(text)?.[0] ?? assert.fail();
    mkdirSync(join(world.cwd, 'conf.d'));
    writeFileSync(join(world.cwd, 'conf.d/api.toml'), own);
    writeFileSync(join(world.cwd, 'parts.toml'), `include = ["conf.d/*.toml"]\n${text.replace(own, '\n')}`);
    const { stdout, stderr } = await world.run('tune', '--days', '8', '--write', '-c', 'parts.toml');
    assert.equal(stderr, '');
    assert.match(stdout, /^--- a\/conf\.d\/api\.toml\n\+\+\+ b\/conf\.d\/api\.toml\n@@ /);
    assert.match(stdout, /\n id = "api"\n\+fail_threshold = 5\n/);
  });

  it('shows no line of a patch that holds a secret', async () => {
    const secret = 'a-token-nobody-may-see';
    const patched = async (far: string, near: string) => {
      const text = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
      const api = `${far}id = "api"\n${near}`;
      writeFileSync(join(world.cwd, 'secret.toml'), text.replace('id = "api"\n', api));
      return world.run('tune', 'api', '--days', '8', '--write', '-c', 'secret.toml');
    };
    const header = `headers = { Authorization = "Bearer ${secret}" }\n`;
    const open = await patched(`${header}group = "a"\n`, '');
    assert.equal(open.code, 0, open.stderr);
    assert.match(open.stdout, /^\+fail_threshold = 5$/m);
    assert.ok(!open.stdout.includes(secret));
    const shut = await patched('', header);
    assert.equal(shut.stdout, '');
    assert.match(shut.stderr, /api: set fail_threshold = 5 by hand/);
    assert.ok(!shut.stderr.includes(secret));
  });

  it('leaves out what was silenced, as far as that is stored', async () => {
    const now = Date.now();
    const silence = { monitors: ['db'], untilAt: now + dayMs, reason: null, createdAt: now - 2 * dayMs };
    await world.write(silences.add(silence));
    const { monitors } = await tune('--days', '8');
    const api = monitors[1] ?? assert.fail();
    assert.ok(Math.abs(api.samples_left_out - 2 * 1440) < 10, String(api.samples_left_out));
    assert.equal(api.alerts.now.alerts, 7);
  });
});
