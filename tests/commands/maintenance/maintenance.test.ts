import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const hour = 3_600_000;
const rows = () => world.read((sql) => maintenances.list(sql));

describe('statusd maintenance', () => {
  it('add says what is wrong before it looks for a database: exit 2', async () => {
    for (const args of [
      ['Upgrade', 'db', '--for', '1'],
      ['Upgrade', 'db', '--for', '60d'],
      ['Upgrade', 'db', '--for', '1h', '--at', 'soon'],
      ['Upgrade', 'db', '--for', '1h', '--at', '2020-01-01T00:00:00Z'],
      ['Upgrade', 'db', '--for', '1h', '--at', '22:00', '--timezone', 'Mars'],
      ['Upgrade', 'db'],
      ['Upgrade', '--for', '1h'],
      ['all', '--for', '1h'],
      // As of a script whose variable is not set: it is not to cover everything.
      ['Upgrade', '--for', '1h', '--monitor', ''],
      ['Upgrade', '--for', '1h', '--monitor', 'db', '--monitor', ' '],
      ['Upgrade', '--for', '1h', '--group', ''],
    ]) {
      const { code, stderr } = await world.run('maintenance', 'add', ...args);
      assert.equal(code, 2, stderr);
    }
  });

  it('add plans it, with what it covers and when', async () => {
    const first = await world.run('maintenance', 'add', 'Disk swap', 'db', '--for', '2h', '--offline');
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^Maintenance 1: Disk swap, db, from now to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, 2h\n {2}Checks go on; alerts are held back\. `statusd maintenance cancel 1` ends it\.\n$/,
    );
    const json = (await world.json(
      'maintenance',
      'add',
      'Maintenance',
      'all',
      '--at',
      '3h',
      '--for',
      '90m',
    )) as Record<string, unknown>;
    assert.deepEqual(
      [json['id'], json['title'], json['monitors'], json['state'], json['source']],
      [2, 'Maintenance', ['*'], 'planned', 'operator'],
    );
    const [one, two] = await rows();
    assert.equal((one?.endAt ?? 0) - (one?.startAt ?? 0), 2 * hour);
    assert.equal((two?.endAt ?? 0) - (two?.startAt ?? 0), 1.5 * hour);
    const unknown = await world.run('maintenance', 'add', '--monitor', 'dbb', '--for', '1h');
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [5, "statusd: there is no monitor 'dbb'\n  Did you mean db?\n"],
    );
  });

  it('add covers everything only when it is asked to', async () => {
    const { code, stderr } = await world.run('maintenance', 'add', 'New switches', '--for', '1h');
    assert.deepEqual(
      [code, stderr],
      [
        2,
        'statusd: no monitor is named\n  Name monitors, a group or all after the title, as in ' +
          "`statusd maintenance add 'New switches' all --for 1h`.\n",
      ],
    );
    assert.equal((await rows()).length, 2);
  });

  it('add takes times for those of --timezone, else of the page, and says both', async () => {
    const planned = async (...words: readonly string[]) => {
      const { stdout, stderr } = await world.run(
        'maintenance',
        'add',
        'T',
        'The API',
        '--for',
        '1h',
        ...words,
      );
      const id = /^Maintenance (\d+)/.exec(stdout)?.[1] ?? '';
      await world.run('maintenance', 'cancel', id);
      return stdout === ''
        ? stderr
        : (stdout.split('\n')[0] ?? '').replace(/^Maintenance \d+: T, api, from /, '');
    };
    const day = new Date(Date.now() + 10 * 24 * hour).toISOString().slice(0, 10);
    const at = ['--at', `${day} 22:00`];
    assert.equal(await planned(...at), `${day} 22:00:00 UTC to ${day} 23:00:00 UTC, 1h`);
    const tokyo =
      `${day} 22:00:00 Asia/Tokyo (${day} 13:00:00 UTC) to ` +
      `${day} 23:00:00 Asia/Tokyo (${day} 14:00:00 UTC), 1h`;
    assert.equal(await planned(...at, '--timezone', 'Asia/Tokyo'), tokyo);
    const file = join(world.cwd, 'statusd.toml');
    const before = readFileSync(file, 'utf8');
    appendFileSync(file, '\n[page]\ntimezone = "Asia/Tokyo"\n');
    assert.equal(await planned(...at), tokyo);
    assert.match(await planned(...at, '--timezone', 'UTC'), / 22:00:00 UTC to /);
    assert.match(await planned('--at', '22:00'), / 22:00:00 Asia\/Tokyo \(/);
    writeFileSync(file, before);
  });

  it('list shows it beside the next window of each schedule of the configuration', async () => {
    appendFileSync(
      join(world.cwd, 'statusd.toml'),
      '\n[[maintenance]]\ntitle = "Weekly"\nschedule = "0 3 * * 0"\nduration = "1h"\ntimezone = "Europe/Berlin"\n',
    );
    const { stdout } = await world.run('maintenance', 'list');
    assert.match(stdout, /^ +ID +FROM \(UTC\) +FOR +STATE +MONITORS +TITLE\n/);
    assert.match(stdout, /\n +1 +\S+ \S+ +2h +active +db +Disk swap\n/);
    assert.match(stdout, /\n +2 +\S+ \S+ +1h 30m +planned +everything +Maintenance\n/);
    assert.match(stdout, /\n *config +\S+ 0[12]:00 +1h +(?:recurring|active) +everything +Weekly\n/);
    assert.equal(stdout.split('Weekly').length - 1, 1);
  });

  it('explain says what holds messages back, and until when', async () => {
    const { stdout } = await world.run('explain', 'db');
    assert.match(stdout, /Messages are held back by .*the maintenance window 'Disk swap'.* until /);
  });

  it('cancel ends what is under way and takes away what is to come', async () => {
    const one = await world.run('maintenance', 'cancel', '1', '--offline');
    assert.deepEqual([one.code, one.stdout], [0, 'Cancelled maintenance 1.\n']);
    const again = await world.run('maintenance', 'cancel', '1');
    assert.equal(again.code, 5);
    assert.match(again.stderr, /there is no maintenance '1'\n {2}There are: 2\./);
    const all = await world.run('maintenance', 'cancel', '--all');
    assert.equal(all.stdout, 'Cancelled 1 maintenance.\n');
    assert.deepEqual(
      (await rows()).map(({ title, endAt }) => [title, endAt <= Date.now()]),
      [['Disk swap', true]],
    );
    const ofFile =
      'The configuration has some (`statusd maintenance list`), which end by changing its `[[maintenance]]`.';
    const other = await world.run('maintenance', 'cancel', '7');
    assert.equal(
      other.stderr,
      `statusd: there is no maintenance '7'\n  None was planned by hand. ${ofFile}\n`,
    );
    const rest = await world.run('maintenance', 'cancel', '--all');
    assert.equal(rest.stdout, `No maintenance to cancel. ${ofFile}\n`);
    assert.match((await world.run('maintenance', 'cancel')).stdout, /^No maintenance to cancel\./);
  });

  it('cancel without a number takes the only one, and of several none', async () => {
    await world.run('maintenance', 'add', 'One', 'db', '--for', '1h');
    assert.match((await world.run('maintenance', 'cancel')).stdout, /^Cancelled 1 maintenance\.\n$/);
    await world.run('maintenance', 'add', 'One', 'db', '--for', '1h');
    await world.run('maintenance', 'add', 'Two', 'api', '--for', '1h');
    const several = await world.run('maintenance', 'cancel');
    assert.deepEqual([several.code, several.stdout], [2, '']);
    assert.match(several.stderr, /Write its number, as in `statusd maintenance cancel 3`/);
    assert.equal(
      (await world.run('maintenance', 'cancel', '--all')).stdout,
      'Cancelled 2 windows of maintenance.\n',
    );
  });
});
