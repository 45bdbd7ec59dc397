import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

type Banner = Parameters<typeof announcements.add>[0];
const add = (...changes: Partial<Banner>[]) =>
  world.write(
    announcements.clear({ id: null }),
    ...changes.map((change) =>
      announcements.add({
        title: 'Hello',
        body: null,
        severity: 'info',
        untilAt: null,
        createdAt: Date.UTC(2026, 0, 1),
        ...change,
      }),
    ),
  );
const stored = () => world.read((sql) => announcements.active(sql, 0));

it('a banner can be pinned before the first start, offline, by the program itself', async () => {
  assert.equal((await world.spawn('announce', 'Soon')).code, 4);
  const { code, stdout, stderr } = await world.spawn('announce', 'Soon', '--offline');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    'Banner 1 (info) is shown on the status page until cleared (`statusd announce clear 1`): Soon\n',
  );
});

describe('statusd announce <title> [body]', () => {
  beforeEach(() => add());

  it('stores title, body, severity and end, and says until when', async () => {
    const startedAt = Date.now();
    const { code, stdout } = await world.run(
      ...['announce', 'Maintenance', 'Logins pause.', '--severity', 'warning', '--until', '4h'],
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Banner \d+ \(warning\) is shown on the status page until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(4h\): Maintenance\n$/,
    );
    const [row] = await stored();
    assert.deepEqual([row?.title, row?.body, row?.severity], ['Maintenance', 'Logins pause.', 'warning']);
    assert.ok((row?.untilAt ?? 0) - startedAt - 4 * 3_600_000 < 60_000);
  });

  it('takes several words without quotes as its title, and the words after a quoted title as its body', async () => {
    await world.run('announce', 'Fibre', 'cut');
    await world.run('announce', 'Fibre', 'incident', 'ETA', '18:00');
    await world.run('announce', 'Fibre incident', 'Back', 'at', 'six.');
    assert.deepEqual(
      (await stored()).map(({ title, body }) => [title, body]),
      [
        ['Fibre incident', 'Back at six.'],
        ['Fibre incident ETA 18:00', null],
        ['Fibre cut', null],
      ],
    );
  });

  it('takes a time of the day in UTC as its end', async () => {
    for (const until of ['18:00', '18:00 UTC']) {
      const { until: end } = (await world.json('announce', 'x', '--until', until)) as { until: string };
      assert.match(end, /T18:00:00Z$/);
      const left = Date.parse(end) - Date.now();
      assert.ok(left > -1000 && left <= 86_400_000, String(left));
    }
  });

  it('is JSON as the interface has it, without an end that is not there', async () => {
    const { id, ...rest } = (await world.json('announce', 'Title', 'The body')) as { id: number };
    assert.ok(id > 0);
    assert.deepEqual(rest, { title: 'Title', severity: 'info', until: null });
  });

  it('keeps 200 characters of a title and 2,000 of a body, and no half of one', async () => {
    await world.run('announce', `${'t'.repeat(199)}🙂🙂`, `a ${'b'.repeat(3000)}`);
    const [row] = await stored();
    assert.equal(row?.title, 't'.repeat(199));
    assert.equal(row.body, `a ${'b'.repeat(1998)}`);
  });

  it('masks a secret of the configuration that was pasted into it', async () => {
    await world.run('announce', 'the-token-of-the-tests leaked', 'see the-token-of-the-tests');
    assert.doesNotMatch(JSON.stringify(await stored()), /the-token-of-the-tests/);
  });

  it('several stand side by side, and --quiet prints nothing', async () => {
    for (const title of ['one', 'two']) {
      assert.deepEqual(await world.run('announce', title, '-q'), { code: 0, stdout: '', stderr: '' });
    }
    assert.deepEqual(
      (await stored()).map(({ title }) => title),
      ['two', 'one'],
    );
  });

  const refused: [args: string[], code: number, stderr: RegExp][] = [
    [[''], 2, /^statusd: the title is empty\n/],
    [['\u200b \u202e'], 2, /^statusd: the title is empty\n/],
    [['x', '--severity', 'critcal'], 2, /there is no severity 'critcal'\n {2}Did you mean critical\?/],
    [['x', '--severity', 'error'], 2, /It is one of: info, warning, critical, resolved\./],
    [['x', '--until', 'tomorrow'], 2, /the end 'tomorrow' is not a duration\n {2}Write how long/],
    [['x', '--until', '25:00'], 2, /the end '25:00' is no time of a day/],
    [['x', '--until', '4'], 2, /the end '4' has no unit/],
    [['--severity', 'info'], 2, /^statusd: announce needs <title>/],
    [['rm', '1'], 2, /announce has no subcommand 'rm'\n {2}Did you mean `statusd announce clear 1`\?/],
    [['delete', '1,2'], 2, /no subcommand 'delete'\n {2}Did you mean `statusd announce clear 1,2`\?/],
    [['clera', '1'], 2, /no subcommand 'clera'\n {2}Did you mean `statusd announce clear 1`\?/],
    [['lst'], 2, /no subcommand 'lst'\n {2}Did you mean `statusd announce list`\?/],
    [['ls'], 2, /no subcommand 'ls'\n {2}Did you mean `statusd announce list`\?/],
    [['help'], 2, /no subcommand 'help'\n {2}Did you mean `statusd announce --help`\?/],
    [['x', '-c', 'none.toml'], 3, /none\.toml/],
  ];
  for (const [args, code, stderr] of refused) {
    it(`refuses ${JSON.stringify(args)} with ${code}, and stores nothing`, async () => {
      const result = await world.run('announce', ...args);
      assert.deepEqual([result.code, result.stdout], [code, '']);
      assert.match(result.stderr, stderr);
      assert.deepEqual(await stored(), []);
    });
  }
});

describe('statusd announce list', () => {
  it('says so when there is none', async () => {
    await add({ untilAt: Date.now() - 1 });
    const { stdout } = await world.run('announce', 'list');
    assert.equal(stdout, 'No banners. `statusd announce <title>` pins one.\n');
    assert.deepEqual(await world.json('announce', 'list'), { announcements: [] });
    assert.equal((await world.run('announce', 'list', '-q')).stdout, '');
  });

  it('shows those that stand, the newest first', async () => {
    await add({ title: 'first', body: 'words' }, { title: 'second', severity: 'critical' });
    const { stdout } = await world.run('announce', 'list');
    assert.match(
      stdout,
      /^ID {2,}SEVERITY {2}UNTIL \(UTC\) {4}TITLE {3}BODY\n *\d+ {2}critical {2}until cleared {2}second\n/,
    );
    assert.match(stdout, /\n *\d+ {2}info {6}until cleared {2}first {3}words\n$/);
  });

  it('is JSON as the interface has it', async () => {
    const [, id] = await add({ title: 'first', body: 'words', untilAt: Date.UTC(2100, 0, 2) });
    assert.deepEqual(await world.json('announce', 'list'), {
      announcements: [
        {
          id,
          title: 'first',
          body: 'words',
          severity: 'info',
          until: '2100-01-02T00:00:00Z',
          created_at: '2026-01-01T00:00:00Z',
        },
      ],
    });
  });

  it('never lets a title or a body act on the terminal', async () => {
    await add({ title: '\u001b[2Jti\u202etle', body: 'a\u009b31mb\nc' });
    for (const args of [['list'], ['list', '--json'], ['list', '-q']]) {
      const { stdout } = await world.run('announce', ...args);
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
    assert.match((await world.run('announce', 'list')).stdout, /title {2}ab c\n$/);
    const { stdout } = await world.run('announce', '\u001b[2Jx\u202e');
    assert.match(stdout, /: x\n$/);
  });
});

describe('statusd announce clear [ids...]', () => {
  it('takes one down, and then all that are left', async () => {
    const [, first] = await add({}, {}, {}, { untilAt: Date.now() - 1 });
    const id = String(Number(first));
    assert.equal((await world.run('announce', 'clear', id)).stdout, `Took down banner ${id}.\n`);
    assert.equal((await world.run('announce', 'clear', '--all')).stdout, 'Took down 2 banners.\n');
    assert.equal((await world.run('announce', 'clear', '--all')).stdout, 'No banners to take down.\n');
    assert.deepEqual(await world.json('announce', 'clear', '--all'), { cleared: 0 });
  });

  it('takes all down without a number, and nothing for an empty one', async () => {
    await add({}, {});
    const { code, stderr } = await world.run('announce', 'clear', '');
    assert.equal(code, 2);
    assert.match(stderr, /^statusd: the number of the banner is empty\n.*`statusd announce clear --all`/s);
    assert.equal((await stored()).length, 2);
    assert.equal((await world.run('announce', 'clear')).stdout, 'Took down 2 banners.\n');
    assert.equal((await stored()).length, 0);
  });

  it('refuses a number that there is not: exit 5', async () => {
    await add();
    const { code, stderr } = await world.run('announce', 'clear', '999');
    assert.deepEqual([code, stderr], [5, "statusd: there is no banner '999'\n  There are no banners.\n"]);
  });
});
