import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { freshPeer } from '../../../src/engine/peers/rules/state.ts';
import { startPty } from '../../support/pty.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const hour = 3_600_000;
const noDaemon =
  /^statusd: no daemon is running on .*statusd\.db: the change takes effect when `statusd serve` starts\n$/;
const add = (...changes: Partial<Parameters<typeof silences.add>[0]>[]) =>
  world.write(
    silences.clear({ id: null }),
    ...changes.map((change) =>
      silences.add({
        monitors: ['api'],
        untilAt: Date.now() + hour,
        reason: null,
        createdAt: 1_000_000,
        ...change,
      }),
    ),
  );

describe('statusd silence, before there is a database', () => {
  it('list and clear say that there is none: exit 4, and make none', async () => {
    for (const words of [['list'], ['clear', '1'], ['clear', '--all']]) {
      const { code, stdout, stderr } = await world.run('silence', ...words);
      assert.deepEqual([code, stdout], [4, ''], words.join(' '));
      assert.match(stderr, /^statusd: there is no database at .*statusd\.db\n {2}Start `statusd serve` once/);
    }
  });

  it('an invalid argument is reported first: exit 2', async () => {
    for (const args of [
      [',', '1h'],
      ['db', '1'],
      ['db', '8d'],
    ]) {
      const { code, stderr } = await world.run('silence', ...args);
      assert.equal(code, 2, stderr);
    }
    const report = await world.run('report', '2026-13');
    assert.deepEqual([report.code, report.stderr.split('\n')[0]], [2, "statusd: '2026-13' is no month"]);
  });

  it('a silence needs one too, and --offline makes it, for the first start', async () => {
    const refused = await world.spawn('silence', 'db', '5m');
    assert.deepEqual([refused.code, refused.stdout], [4, '']);
    assert.match(
      refused.stderr,
      /^statusd: there is no database at .*--offline makes it now\. .*set it here too\.\n$/s,
    );
    assert.deepEqual(readdirSync(world.cwd), ['statusd.toml']);
    const { code, stderr } = await world.spawn('silence', 'db', '5m', '--offline');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(await world.read((sql) => silences.active(sql, Date.now()).length), 1);
  });
});

describe('statusd silence <ids|all> <duration> [reason]', () => {
  beforeEach(() => add());

  it('stores the silence and says what is muted, until when, and how to end it', async () => {
    const startedAt = Date.now();
    const { code, stdout, stderr } = await world.run('silence', 'db', '1h30m', 'deploying 2.4');
    assert.equal(code, 0);
    assert.match(stderr, noDaemon);
    assert.match(
      stdout,
      /^Silence \d+: no alerts of db until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(1h 30m\): deploying 2\.4\n {2}It covers what depends on them too: api\.\n {2}Checks go on and are recorded\. `statusd silence clear \d+` ends it\.\n$/,
    );
    const [row, ...others] = await world.read((sql) => silences.active(sql, startedAt));
    assert.deepEqual(others, []);
    assert.deepEqual(row?.monitors, ['db']);
    assert.equal(row.reason, 'deploying 2.4');
    assert.ok(row.untilAt >= startedAt + 1.5 * hour && row.untilAt <= Date.now() + 1.5 * hour);
  });

  it('takes ids by spaces, and a reason without quotes', async () => {
    const { stdout } = await world.run('silence', 'db', 'intern,api', '10m', 'deploying', 'it', 'now');
    assert.match(
      stdout,
      /^Silence \d+: no alerts of db, api and intern until .* \(10m\): deploying it now\n/,
    );
  });

  it('takes groups, with ids or without', async () => {
    const toml = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
    const file = join(world.cwd, 'groups.toml');
    writeFileSync(file, toml.replaceAll(/^id = "(api|intern)"$/gm, 'id = "$1"\ngroup = "Back office"'));
    const run = (...args: string[]) => world.run('silence', ...args, '-c', file);
    assert.match(
      (await run('--group', 'Back office', '1h', 'move')).stdout,
      /of api and intern until .*: move\n/,
    );
    assert.match((await run('db', '1h', '--group', 'Back office')).stdout, /of db, api and intern until /);
    const unknown = await run('1h', '--group', 'Back');
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [5, "statusd: there is no group 'Back'\n  There are: Back office.\n"],
    );
  });

  it('says what to type instead of words that other tools have, or when the duration is missing: exit 2', async () => {
    for (const word of ['rm', 'end', 'delete']) {
      const { code, stderr } = await world.run('silence', word, '1');
      assert.equal(code, 2);
      assert.equal(
        stderr,
        `statusd: silence has no subcommand '${word}'\n  Did you mean \`statusd silence clear 1\`?\n`,
      );
    }
    for (const word of ['lst', 'ls']) {
      assert.equal(
        (await world.run('silence', word)).stderr,
        `statusd: silence has no subcommand '${word}'\n  Did you mean \`statusd silence list\`?\n`,
      );
    }
    const { code, stderr } = await world.run('silence', 'api');
    assert.equal(code, 2);
    assert.match(stderr, /^statusd: silence needs a duration\n {2}For example `statusd silence api 30m`\./);
  });

  it('takes several ids, in the order of the configuration and once each, and all', async () => {
    const several = (await world.json('silence', 'intern, api,intern', '60s')) as { ids: number[] };
    const all = (await world.json('silence', 'all', '7d', ' ')) as { ids: number[]; until: string };
    assert.deepEqual(
      [several, all].map(({ ids, ...rest }) => [ids.length, { ...rest, until: 'later' }]),
      [
        [1, { monitors: ['api', 'intern'], until: 'later', reason: null }],
        [1, { monitors: ['*'], until: 'later', reason: null }],
      ],
    );
    assert.match(all.until, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const rows = await world.read((sql) => silences.active(sql, Date.now()));
    assert.deepEqual(
      rows.map(({ id, monitors }) => [id, monitors]),
      [
        [several.ids[0], ['api', 'intern']],
        [all.ids[0], null],
      ],
    );
  });

  it('covers a monitor that is called all, and nothing else, when it is in a list', async () => {
    const toml = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
    writeFileSync(join(world.cwd, 'all.toml'), toml.replace('id = "intern"', 'id = "all"'));
    const run = (...words: string[]) => world.run('silence', ...words, '-c', 'all.toml');
    assert.match((await run('all,all', '1h')).stdout, /^Silence \d+: no alerts of monitor all until /);
    assert.match((await run('api', 'all', '1h')).stdout, /^Silence \d+: no alerts of api and all until /);
    assert.match((await run('all', '1h')).stdout, /^Silence \d+: no alerts of any monitor until /);
    const listed = (await run('list')).stdout;
    for (const row of [/^ *\d+ {2}monitor all {2}/m, /^ *\d+ {2}api, all {2}/m, /^ *\d+ {2}all {2}/m])
      assert.match(listed, row);
  });

  it('takes a peer by its listen_id or its id, beside monitors, and explains it by both its ids', async () => {
    const toml = readFileSync(join(world.cwd, 'statusd.toml'), 'utf8');
    writeFileSync(
      join(world.cwd, 'peers.toml'),
      `${toml}[health]\nid = "here"\n[[peers]]\nid = "paris"\nname = "Paris"\nlisten_id = "in-paris"\nlisten_token = "t0ken-p"\nexpect_every_secs = 90\n`,
    );
    const named = ['-c', 'peers.toml'];
    const silence = (await world.json('silence', 'in-paris,api', '1h', ...named)) as { monitors: string[] };
    assert.deepEqual(silence.monitors, ['api', 'in-paris']);
    const byId = (await world.json('silence', 'paris', '1h', ...named)) as {
      ids: number[];
      monitors: string[];
    };
    assert.deepEqual(byId.monitors, ['in-paris']);
    await world.run('silence', 'clear', String(byId.ids[0]), ...named);
    const unknown = await world.run('silence', 'in-pariss', '1h', ...named);
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [5, "statusd: there is no monitor 'in-pariss'\n  Did you mean in-paris?\n"],
    );
    const at = Date.now() - 60_000;
    const state = {
      ...freshPeer,
      state: 'down',
      sinceAt: at,
      heardAt: at,
      reason: 'it is silent',
      troubleAt: at,
    };
    const decided = {
      monitor: 'paris',
      incident: null,
      channel: 'ops',
      event: 'peer_down',
      verdict: 'queued',
    };
    await world.write(
      peers.save({ id: 'paris', heardAt: at, state }),
      decisions.log({ ...decided, at, reason: 'window', detail: 'It was found silent.' }),
    );
    for (const id of ['in-paris', 'paris']) {
      const { code, stdout, stderr } = await world.run('explain', id, ...named);
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        /^The peer paris is down since .* UTC, last heartbeat at .* UTC: it is silent\.\n/,
      );
      assert.match(stdout, /It was found silent\./);
      assert.match(stdout, /Messages are held back by silence \d+ until /);
      const json = (await world.json('explain', id, ...named)) as Record<string, unknown>;
      assert.deepEqual([json['monitor'], json['name'], json['status']], ['paris', 'Paris', 'down']);
    }
    const words = await world.run('completion', 'words', 'subject', ...named);
    assert.deepEqual(words.stdout.split('\n'), ['db', 'api', 'intern', 'in-paris', 'The API', 'Paris', '']);
    const monitors = await world.run('completion', 'words', 'monitor', ...named);
    assert.deepEqual(monitors.stdout.split('\n'), ['db', 'api', 'intern', 'The API', '']);
  });

  it('keeps 500 characters of a reason, and no half of one', async () => {
    await world.run('silence', 'api', '1m', '🙂'.repeat(251));
    const [row] = await world.read((sql) => silences.active(sql, Date.now()));
    assert.equal(row?.reason, '🙂'.repeat(250));
  });

  it('masks a secret of the configuration that was pasted into the reason', async () => {
    const { stdout } = await world.run('silence', 'api', '1m', 'rotating the-token-of-the-tests');
    assert.match(stdout, /: rotating /);
    assert.doesNotMatch(stdout, /the-token-of-the-tests/);
  });

  it('prints nothing with --quiet', async () => {
    assert.deepEqual(await world.run('silence', 'api', '1m', '-q'), { code: 0, stdout: '', stderr: '' });
  });

  const refused: [args: string[], code: number, stderr: RegExp][] = [
    [['abi', '1h'], 5, /^statusd: there is no monitor 'abi'\n {2}Did you mean api\?\n$/],
    [
      ['api,nothing-like-it', '1h'],
      5,
      /there is no monitor 'nothing-like-it'\n {2}There are: db, api, intern\./,
    ],
    [[',', '1h'], 2, /^statusd: no monitor is named\n/],
    [['api', '5'], 2, /^statusd: the duration '5' has no unit\n {2}Write numbers with a unit/],
    [['api', '0s'], 2, /the duration '0s' is no time at all/],
    [['api', 'soon'], 2, /the duration 'soon' is not a duration/],
    [
      ['api', '7d1s'],
      2,
      /the duration '7d1s' is too long: 7d is the most\n {2}What takes longer is maintenance/,
    ],
    [['api'], 2, /^statusd: silence needs a duration/],
    [['api', 'db', 'soon'], 2, /^statusd: the duration 'db' is not a duration/],
    [['api', '1h', '-c', 'none.toml'], 3, /none\.toml/],
    [['\u001b[31mx\u202e', '1h'], 5, /^statusd: there is no monitor 'x'\n/],
  ];
  for (const [args, code, stderr] of refused) {
    it(`refuses ${JSON.stringify(args)} with ${code}, and stores nothing`, async () => {
      const result = await world.run('silence', ...args);
      assert.deepEqual([result.code, result.stdout], [code, '']);
      assert.match(result.stderr, stderr);
      assert.doesNotMatch(result.stderr, /[\u001b\u202e]/);
      assert.deepEqual(await world.read((sql) => silences.active(sql, 0)), []);
    });
  }

  it('reports why a database cannot be used: exit 4', async () => {
    const file = join(world.cwd, 'broken.toml');
    writeFileSync(
      file,
      '[server]\nbind = "127.87.87.87:1"\ndatabase_path = "folder"\n[[monitors]]\nid = "a"\ntarget = "http://127.0.0.1:1/"\n',
    );
    mkdirSync(join(world.cwd, 'folder'));
    for (const args of [
      ['silence', 'a', '1m'],
      ['silence', 'list'],
      ['silence', 'clear', '--all'],
    ]) {
      const { code, stderr } = await world.run(...args, '-c', file);
      assert.equal(code, 4, stderr);
      assert.match(stderr, /cannot use the database .*folder/);
    }
  });
});

describe('statusd silence list', () => {
  it('says so when there is none, and how to set one; nothing with --quiet', async () => {
    await add({ untilAt: Date.now() - 1 });
    assert.deepEqual(await world.run('silence', 'list'), {
      code: 0,
      stdout: 'No silences. `statusd silence <ids|all> <duration>` sets one.\n',
      stderr: '',
    });
    assert.deepEqual(await world.json('silence', 'list'), { silences: [] });
    assert.equal((await world.run('silence', 'list', '-q')).stdout, '');
  });

  it('shows those that last, aligned', async () => {
    const untilAt = Date.UTC(2100, 0, 2, 3, 4);
    await add({ monitors: null, untilAt, reason: 'move' }, { monitors: ['api', 'db'], untilAt });
    const { stdout } = await world.run('silence', 'list');
    const lines = stdout.replace(/ \d+d( \d+h)? */g, ' <left> ').split('\n');
    assert.match(lines[0] ?? '', /^ID {2,}MONITORS {2}UNTIL \(UTC\) {7}LEFT {2,}REASON$/);
    assert.match(lines[1] ?? '', /^ *\d+ {2}all {7}2100-01-02 03:04 {1,2}<left> +move$/);
    assert.match(lines[2] ?? '', /^ *\d+ {2}api, db {3}2100-01-02 03:04 {1,2}<left> *$/);
  });

  it('is JSON as the interface has it', async () => {
    await add({
      monitors: null,
      untilAt: Date.UTC(2100, 0, 2),
      reason: 'move',
      createdAt: Date.UTC(2026, 0, 1),
    });
    const { silences: rows } = (await world.json('silence', 'list')) as { silences: { id: number }[] };
    assert.deepEqual(rows, [
      {
        id: rows[0]?.id,
        monitors: ['*'],
        until: '2100-01-02T00:00:00Z',
        reason: 'move',
        created_at: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it('never lets a reason act on the terminal', async () => {
    await add({ reason: '\u001b]0;owned\u0007a\u009b31mb\u202ec\nd' });
    for (const args of [['list'], ['list', '--json']]) {
      const { stdout } = await world.run('silence', ...args);
      assert.doesNotMatch(stdout.trimEnd().split('\n').at(-1) ?? '', /[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
    assert.match((await world.run('silence', 'list')).stdout, /abc d\n$/);
  });
});

describe('statusd silence clear [ids...]', () => {
  it('ends one, and leaves the others', async () => {
    const [, first, second] = await add({}, {});
    const { code, stdout } = await world.run('silence', 'clear', String(Number(first)));
    assert.deepEqual([code, stdout], [0, `Ended silence ${String(Number(first))}.\n`]);
    assert.deepEqual(await world.read((sql) => silences.active(sql, 0).map(({ id }) => id)), [second]);
  });

  it('ends all, and counts only those that still lasted', async () => {
    await add({}, {}, { untilAt: Date.now() - 1 });
    assert.equal((await world.run('silence', 'clear', '--all')).stdout, 'Ended 2 silences.\n');
    assert.equal((await world.run('silence', 'clear', '--all')).stdout, 'No silences to end.\n');
    await add({});
    assert.deepEqual(await world.json('silence', 'clear', '--all'), { cleared: 1 });
    assert.deepEqual(await world.json('silence', 'clear', '--all'), { cleared: 0 });
    assert.deepEqual(await world.run('silence', 'clear', '--all', '-q'), { code: 0, stdout: '', stderr: '' });
  });

  it('ends several, by spaces or commas', async () => {
    const [, ...ids] = await add({}, {}, {}, {});
    const [first, second, third, last] = ids.map((id) => String(Number(id)));
    const { stdout } = await world.run('silence', 'clear', `${first ?? ''},${second ?? ''}`, third ?? '');
    assert.equal(stdout, 'Ended 3 silences.\n');
    const left = await world.read((sql) => silences.active(sql, 0).map(({ id }) => String(id)));
    assert.deepEqual(left, [last]);
  });

  it('ends all without a number, in a script without a question', async () => {
    await add({}, {});
    assert.equal((await world.run('silence', 'clear')).stdout, 'Ended 2 silences.\n');
    await add({}, {});
    assert.deepEqual(await world.json('silence', 'clear'), { cleared: 2 });
    assert.equal((await world.run('silence', 'clear')).stdout, 'No silences to end.\n');
  });

  it('refuses a number beside --all, and an empty one, which is a variable that is not set: exit 2', async () => {
    await add({}, {});
    for (const words of [['1', '--all'], [''], [' , ']])
      assert.equal((await world.run('silence', 'clear', ...words)).code, 2, words.join());
    assert.equal(await world.read((sql) => silences.active(sql, 0).length), 2);
  });

  it('asks on a terminal before it ends several, and not before one', async () => {
    const onTerminal = async (
      answer: string,
      env: Record<string, string> = {},
      words: readonly string[] = [],
    ) => {
      const pty = startPty(['silence', 'clear', '--offline', ...words], {
        cwd: world.cwd,
        columns: 100,
        rows: 24,
        env,
      });
      if (answer !== '') {
        await pty.until(() => pty.raw().includes('[y/N]'), 'the question');
        pty.type(answer);
      }
      await pty.ended;
      return { raw: pty.raw(), left: await world.read((sql) => silences.active(sql, 0).length) };
    };
    await add({}, {});
    const no = await onTerminal('\r');
    assert.match(no.raw, /End all 2 silences \(\d+ and \d+\)\? \[y\/N\]/);
    assert.match(no.raw, /Nothing was changed\.[^]*exit:0 stty:same/);
    assert.equal(no.left, 2);
    const interrupted = await onTerminal('\u0003');
    // The shell that would print the exit code is interrupted with it.
    assert.match(interrupted.raw, /statusd: interrupted/);
    assert.equal(interrupted.left, 2);
    const yes = await onTerminal('y\r');
    assert.match(yes.raw, /Ended 2 silences\.[^]*exit:0/);
    assert.equal(yes.left, 0);
    await add({});
    assert.deepEqual((await onTerminal('')).left, 0);
    for (const [env, words] of [
      [{ CI: 'true' }, []],
      [{}, ['-q']],
      [{}, ['--json']],
      [{}, ['--all']],
    ] as const) {
      await add({}, {});
      assert.deepEqual((await onTerminal('', env, words)).left, 0, words.join());
    }
  });

  it('names ten numbers, and how many more there are', async () => {
    await add(...Array.from({ length: 12 }, () => ({})));
    const { stderr } = await world.run('silence', 'clear', '999');
    assert.match(stderr, /There are: (\d+, ){9}\d+ and 2 more\. See /);
  });

  it('refuses a number that there is not, or that is over: exit 5', async () => {
    const [, id, gone] = await add({}, { untilAt: Date.now() - 1 });
    for (const word of ['999', String(Number(gone)), 'api']) {
      const { code, stderr } = await world.run('silence', 'clear', word);
      assert.equal(code, 5);
      assert.equal(
        stderr,
        `statusd: there is no silence '${word}'\n  There are: ${String(Number(id))}. See \`statusd silence list\`.\n`,
      );
    }
  });
});

describe('beside a daemon', () => {
  it('a silence reaches it, and what it wrote is kept', async () => {
    await add();
    const daemon = await world.openDaemon();
    try {
      const seen = new Promise<void>((resolve) => {
        daemon.onChange(({ isForeign }) => {
          if (isForeign && silences.active(daemon.sql, 0).length === 2) resolve();
        });
      });
      await daemon.write([
        silences.add({
          monitors: ['db'],
          untilAt: Date.now() + hour,
          reason: 'from the daemon',
          createdAt: 0,
        }),
      ]);
      assert.equal((await world.spawn('silence', 'api', '10m')).code, 0);
      await seen;
      const { stdout } = await world.run('silence', 'list');
      assert.match(stdout, / db .*from the daemon\n.* api /);
      assert.equal((await world.run('silence', 'clear', '--all')).stdout, 'Ended 2 silences.\n');
    } finally {
      await daemon.close();
    }
    assert.deepEqual(await world.read((sql) => silences.active(sql, 0)), []);
  });
});
