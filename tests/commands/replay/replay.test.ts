import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samples } from '../../../src/db/tables/samples.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

const minuteMs = 60_000;
const startAt = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000;

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

/** A check a minute for a day, down in the minutes from each start on. */
function day(id: string, outages: readonly (readonly [number, number])[]) {
  const isDown = (minute: number) =>
    outages.some(([from, length]) => minute >= from && minute < from + length);
  const history = Array.from({ length: 1440 }, (_, minute) => ({
    at: startAt + minute * minuteMs,
    status: isDown(minute) ? ('down' as const) : ('up' as const),
    latencyMs: isDown(minute) ? null : 100,
    holdSecs: 82,
    isHeartbeat: false,
  }));
  return samples.addHistory(id, history);
}

function writeOther(name: string, change: (text: string) => string): void {
  writeFileSync(join(world.cwd, name), change(readFileSync(join(world.cwd, 'statusd.toml'), 'utf8')));
}

interface Compared {
  readonly told_by_both: number;
  readonly told_only_now: number;
  readonly told_only_then: number;
  readonly monitors: readonly {
    readonly id: string;
    readonly alerts: readonly {
      readonly told: string;
      readonly now: Side | null;
      readonly then: Side | null;
    }[];
  }[];
  readonly monitors_renamed: readonly { readonly from: string; readonly to: string }[];
  readonly monitors_only_now: readonly string[];
  readonly monitors_only_then: readonly string[];
  readonly not_replayed: readonly { readonly id: string; readonly settings: readonly string[] }[];
}
interface Side {
  readonly start: string;
  readonly delay_secs: number | null;
  readonly fate: string;
  readonly folded_into: string | null;
  readonly muted_by: string | null;
}
const replay = async (...args: readonly string[]) => (await world.json('replay', ...args)) as Compared;
const sums = ({ told_by_both: both, told_only_now: now, told_only_then: then }: Compared) => [
  both,
  now,
  then,
];

describe('statusd replay', () => {
  it('needs both configurations (exit 3), a database (exit 4) and a duration (exit 2)', async () => {
    assert.equal((await world.run('replay', 'statusd.toml')).code, 4);
    await world.write();
    assert.equal((await world.run('replay', 'none.toml')).code, 3);
    assert.equal((await world.run('replay', 'statusd.toml', '--since', '30')).code, 2);
    assert.equal((await world.run('replay')).code, 2);
    writeOther('broken.toml', (text) => text.replace('depends_on', 'depend_on'));
    const { code, stderr } = await world.run('replay', 'broken.toml');
    assert.equal(code, 3);
    assert.match(stderr, /broken\.toml:26:1 .*depend_on/);
  });

  it('finds nothing where there is no history', async () => {
    const { stdout, code } = await world.run('replay', 'statusd.toml');
    assert.equal(code, 0);
    assert.match(stdout, /both send the same 0 outage alerts\.\n\nThere is no history of these days\.\n/);
  });

  it('finds no difference between a configuration and itself', async () => {
    await world.write(
      ...day('db', [[200, 20]]),
      ...day('api', [
        [100, 4],
        [202, 15],
        [600, 60],
      ]),
    );
    assert.deepEqual(sums(await replay('statusd.toml')), [3, 0, 0]);
    assert.match((await world.run('replay', 'statusd.toml')).stdout, /both send the same 3 outage alerts\./);
    assert.equal((await world.run('replay', 'statusd.toml', '-q')).stdout, '');
    assert.deepEqual(sums(await replay('statusd.toml', '--since', '1m')), [0, 0, 0]);
  });

  it('names what only one of them sends, and what the other made of it', async () => {
    writeOther('five.toml', (text) => text.replace('name = "The API"', 'fail_threshold = 5'));
    const five = await replay('five.toml');
    assert.deepEqual(sums(five), [2, 1, 0]);
    const only = five.monitors.flatMap(({ alerts }) => alerts).find(({ told }) => told === 'now');
    const start = new Date(startAt + 100 * minuteMs).toISOString().replace('.000', '');
    assert.deepEqual([only?.now?.start, only?.now?.delay_secs, only?.then], [start, 150, null]);
    const { stdout } = await world.run('replay', 'five.toml');
    assert.match(stdout, /sends 3 outage alerts, five\.toml 2; 2 are the same\./);
    assert.match(stdout, /^api +2 +1 +1 +1 +2m 30s → 4m 30s$/m);
    assert.match(stdout, /^api +down +\S+ \S+ +4m +2m 30s +not confirmed$/m);
  });

  it('recognises a monitor that has another id, as a reload does', async () => {
    writeOther('renamed.toml', (text) =>
      text
        .replace('id = "db"', 'id = "database"')
        .replace('depends_on = ["db"]', 'depends_on = ["database"]')
        .concat(
          `[[maintenance]]\nstart = ${new Date(startAt + 190 * minuteMs).toISOString()}\n` +
            `end = ${new Date(startAt + 230 * minuteMs).toISOString()}\nmonitors = ["database"]\n`,
        ),
    );
    const renamed = await replay('renamed.toml');
    assert.deepEqual(renamed.monitors_renamed, [{ from: 'db', to: 'database' }]);
    assert.deepEqual([renamed.monitors_only_now, renamed.monitors_only_then], [[], []]);
    assert.deepEqual(sums(renamed), [2, 1, 0]);
    const muted = renamed.monitors.find(({ id }) => id === 'db')?.alerts[0];
    assert.deepEqual([muted?.told, muted?.then?.fate], ['now', 'muted']);
    const { stdout } = await world.run('replay', 'renamed.toml');
    assert.match(stdout, /^Under another id in renamed\.toml: db \(database\)\.$/m);
    writeOther('others.toml', (text) =>
      text
        .replace('id = "db"', 'id = "other"')
        .replace('"db"', '"other"')
        .replace('target = "127.0.0.1:1"', 'target = "127.0.0.1:2"'),
    );
    const others = await replay('others.toml');
    assert.deepEqual(
      [others.monitors_renamed, others.monitors_only_now, others.monitors_only_then],
      [[], ['db'], ['other']],
    );
  });

  it('replays folding, maintenance and the group window', async () => {
    writeOther('alone.toml', (text) => text.replace('depends_on = ["db"]\n', ''));
    const alone = await replay('alone.toml');
    assert.deepEqual(sums(alone), [3, 0, 1]);
    const spared = alone.monitors.flatMap(({ alerts }) => alerts).find(({ told }) => told === 'then');
    assert.deepEqual([spared?.now?.fate, spared?.now?.folded_into], ['folded', 'db']);

    const [from, to] = [90, 120].map((minute) => new Date(startAt + minute * minuteMs).toISOString());
    const window = `[[maintenance]]\ntitle = "Upgrade"\nstart = "${from ?? ''}"\nend = "${to ?? ''}"\n`;
    writeOther('muted.toml', (text) => `${text}\n${window}`);
    const muted = await replay('muted.toml');
    assert.deepEqual(sums(muted), [2, 1, 0]);
    assert.equal(
      muted.monitors.flatMap(({ alerts }) => alerts).find(({ told }) => told === 'now')?.then?.muted_by,
      'Upgrade',
    );

    writeOther('patient.toml', (text) => `[alerts]\ngroup_window_secs = 600\n${text}`);
    assert.deepEqual(sums(await replay('patient.toml')), [2, 1, 0]);
  });

  it('names the monitors of one of them alone, and what stored answers cannot show', async () => {
    writeOther('else.toml', (text) =>
      text
        .replace(
          'id = "intern"\ntarget = "http://127.0.0.1:1/"',
          'id = "extern"\ntarget = "http://127.0.0.1:3/"',
        )
        .replace('target = "127.0.0.1:1"', 'target = "127.0.0.1:2"'),
    );
    const compared = await replay('else.toml');
    assert.deepEqual(compared.monitors_only_now, ['intern']);
    assert.deepEqual(compared.monitors_only_then, ['extern']);
    assert.deepEqual(compared.not_replayed, [{ id: 'db', settings: ['target'] }]);
    const { stdout } = await world.run('replay', 'else.toml');
    assert.match(
      stdout,
      /Only in statusd\.toml: intern\.\nOnly in else\.toml: extern\.\nAsked differently.*: db \(target\)\./,
    );
    assert.match(stdout, /Not replayed: storms/);
  });

  it('fits a narrow terminal', async () => {
    const { stdout } = await world.runOnTerminal(80, 'replay', 'five.toml', '--no-color');
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
  });
});
