import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { announcements } from '../../src/db/tables/announcements.ts';
import { silences } from '../../src/db/tables/silences.ts';
import { bin, runCli, runOnTerminal, runShell } from '../support/cli.ts';
import { makeOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

let cwd = '';

before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'statusd-cli-'));
});
after(async () => {
  await rm(cwd, { recursive: true });
});

const escape = '\u001b';

describe('statusd', { concurrency: 2 }, () => {
  it('prints its version, and nothing else', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as {
      version: string;
    };
    for (const word of ['--version', '-v', '-V', 'version'])
      assert.deepEqual(await runCli([word], { cwd }), { code: 0, stdout: `${version}\n`, stderr: '' }, word);
    const amid = [
      ['--version', '--no-color'],
      ['-q', 'version'],
      ['--debug', '-V', '--quiet'],
    ];
    for (const args of amid)
      assert.deepEqual(await runCli(args, { cwd }), { code: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await runCli(['--version', '--json'], { cwd });
    assert.deepEqual(JSON.parse(stdout), { version });
  });

  it('says that the folder it is started in was removed', async () => {
    const words = [process.execPath, bin, 'check'].map((word) => `'${word}'`).join(' ');
    const { code, stderr } = await runShell(`mkdir gone && cd gone && rmdir ../gone && ${words}`, { cwd });
    assert.equal(
      stderr,
      'statusd: the working folder does not exist any more\n  Change to another folder and run it again.\n',
    );
    assert.equal(code, 2);
  });

  it('takes options of one letter in one word', async () => {
    const missing = await runCli(['check', '-qc', 'none.toml'], { cwd });
    assert.equal(missing.code, 3);
    assert.match(missing.stderr, /there is no configuration file .*none\.toml/);
    const empty = await runCli(['check', '-cq'], { cwd });
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /the option -c needs a value/);
    assert.deepEqual(await runCli(['check', '-qh'], { cwd }), await runCli(['check', '--help'], { cwd }));
  });

  it('prints the same help for no arguments, help and --help', async () => {
    const [bare, word, option, amid] = await Promise.all([
      runCli([], { cwd }),
      runCli(['help'], { cwd }),
      runCli(['--help'], { cwd }),
      runCli(['--no-color', 'help'], { cwd }),
    ]);
    assert.equal(bare.code, 0);
    assert.match(bare.stdout, /^A self-hosted uptime monitor/);
    assert.equal(bare.stderr, '');
    assert.deepEqual(word, bare);
    assert.deepEqual(option, bare);
    assert.deepEqual(amid, bare);
  });

  it('prints the help of a command for help check, check --help and check -h', async () => {
    const [word, option, letter, withWords] = await Promise.all([
      runCli(['help', 'check'], { cwd }),
      runCli(['check', '--help'], { cwd }),
      runCli(['-c', 'help', 'check', '-h'], { cwd }),
      runCli(['check', 'api', '--nosuch', '--help'], { cwd }),
    ]);
    assert.equal(word.code, 0);
    assert.match(word.stdout, /^Check the configuration.*\n\nUsage\n {2}statusd check /);
    assert.deepEqual(option, word);
    assert.deepEqual(letter, word);
    assert.deepEqual(withWords, word);
  });

  it('says of which word it has no help, instead of showing that of the command before it', async () => {
    const said = async (...args: string[]) => {
      const { code, stderr } = await runCli(args, { cwd });
      return [code, ...stderr.trim().split(/\n\s*/)];
    };
    const show = ["statusd: incidents has no subcommand 'shwo'", 'Did you mean `statusd incidents show`?'];
    assert.deepEqual(await said('help', 'incidents', 'shwo'), [2, ...show]);
    assert.deepEqual(await said('incidents', 'shwo', '--help'), [2, ...show]);
    assert.deepEqual(await said('help', 'silence', 'lst'), [
      2,
      "statusd: silence has no subcommand 'lst'",
      'Did you mean `statusd silence list`?',
    ]);
    assert.match(String((await said('help', 'import', 'nosuch'))[2]), /^It is one of: .*kuma/);
    // What may be an argument is one.
    for (const args of [
      ['help', 'incidents', 'show'],
      ['help', 'incidents', 'list'],
      ['help', 'acknowledge'],
      ['help', 'check', 'web'],
      ['silence', 'lisbon', '1h', '--help'],
    ])
      assert.equal((await runCli(args, { cwd })).code, 0, args.join(' '));
  });

  it('colours help on a terminal, and not with --no-color', async () => {
    const coloured = await runOnTerminal(`${process.execPath} ${bin} --help`, { cwd });
    const plain = await runOnTerminal(`${process.execPath} ${bin} --help --no-color`, { cwd });
    assert.ok(coloured.stdout.includes(`${escape}[1mUsage${escape}[22m`));
    assert.ok(!plain.stdout.includes(escape));
  });

  it('colours help that goes to a file when FORCE_COLOR asks for it', async () => {
    const { stdout } = await runCli(['--help'], { cwd, env: { FORCE_COLOR: '1' } });
    assert.ok(stdout.includes(`${escape}[1m`));
  });
});

describe('a command that lists what there is', { concurrency: 2 }, () => {
  let world: OperatorWorld;
  before(async () => {
    world = makeOperatorWorld();
    await world.write(
      silences.add({ monitors: ['api'], untilAt: Date.now() + 3_600_000, reason: 'quiet', createdAt: 1 }),
      announcements.add({
        title: 'banner',
        body: null,
        severity: 'info',
        untilAt: null,
        createdAt: Date.now(),
      }),
    );
  });
  after(() => {
    world.remove();
  });

  for (const [command, entry] of [
    ['silence', /"reason":"quiet"/],
    ['announce', /"title":"banner"/],
    ['maintenance', /^\{"maintenances":/],
    ['subscribers', /^\{"subscribers":/],
    ['incidents', /^\{"incidents":/],
    ['outbox', /^\{"deliveries":/],
    ['oncall', /"rotations":/],
    ['peers', /"peers":/],
  ] as const)
    it(`${command} does so without a word, and with \`list\``, async () => {
      const bare = await world.run(command);
      assert.deepEqual([bare.code, bare.stderr], [0, '']);
      assert.notEqual(bare.stdout, '');
      for (const words of [[], ['list']]) {
        const json = await world.run(command, ...words, '--json');
        assert.deepEqual([json.code, json.stderr], [0, '']);
        assert.match(json.stdout, entry);
      }
      // The rest of a silence grows shorter between the two commands.
      const listed = async (...words: readonly string[]) => {
        const { code, stdout } = await world.run(command, ...words, '-q');
        return { code, stdout: stdout.replace(/\b\d+m( \d+s)?/g, 'SPAN') };
      };
      assert.deepEqual(await listed('list'), await listed());
    });

  it('nodes says with `list` and without that the configuration shares no database', async () => {
    const bare = await world.run('nodes');
    assert.match(bare.stderr, /this configuration has no \[storage\]/);
    assert.deepEqual(await world.run('nodes', 'list'), bare);
  });

  it('takes its options and arguments after `list`', async () => {
    assert.match((await world.run('incidents', 'list', '0')).stderr, /the limit '0' is not a number/);
    assert.match((await world.run('oncall', 'list', 'x')).stderr, /no rotation/);
    assert.match((await world.run('peers', 'list', 'nosuch')).stderr, /there is no monitor 'nosuch'/);
  });
});

describe('a wrong command line ends with 2, a sentence and a hint on stderr, and nothing on stdout', {
  concurrency: 2,
}, () => {
  const wrong: [args: string[], message: string, hint: string][] = [
    [['chekc'], "there is no command 'chekc'", 'Did you mean `statusd check`?'],
    [['help', 'complection'], "there is no command 'complection'", 'Did you mean `statusd completion`?'],
    [['xyzzy', '--help'], "there is no command 'xyzzy'", '`statusd --help` lists the commands.'],
    [[''], "there is no command ''", '`statusd --help` lists the commands.'],
    [['--version', 'check'], '--version cannot be combined with a command', 'Run `statusd --version`.'],
    [['version', '--nosuch'], '--version has no option --nosuch', 'Run `statusd --version`.'],
    [['--json'], 'no command given', '`statusd --help` lists the commands and options.'],
    [['-x'], 'there is no option -x without a command', '`statusd --help` lists the commands and options.'],
    [['--config'], 'the option --config needs a value', '-c, --config PATH'],
    [['-c', 'check'], 'no command given', '`statusd --help` lists the commands and options.'],
    [['-c', 'a.toml', 'chekc'], "there is no command 'chekc'", 'Did you mean `statusd check`?'],
    [
      ['check', '--fromat', 'json'],
      'check has no option --fromat',
      'Did you mean --format? See `statusd check --help`.',
    ],
    [['check', '--fo=1'], 'check has no option --fo', 'See `statusd check --help`.'],
    [['check', '-z'], 'check has no option -z', 'Did you mean -c? See `statusd check --help`.'],
    [
      ['check', '--format'],
      'check: the option --format needs a value',
      'Print `FORMAT`: human, json, ndjson, junit, tap, github or nagios. See `statusd check --help`.',
    ],
    [
      ['maintenance', 'add', 'x', '--monitor', 'db'],
      'maintenance add needs --for D',
      'Length `D`: numbers with a unit (`m`, `h`, `d`), joined, as in `1h30m`. See `statusd maintenance add --help`.',
    ],
    [
      ['completion'],
      'completion needs <shell>',
      'The shell: `bash`, `zsh` or `fish`. See `statusd completion --help`.',
    ],
    [
      ['completion', 'bash', 'x'],
      "completion cannot use the argument 'x'",
      'See `statusd completion --help`.',
    ],
    [
      ['incidents', 'shwo', '3'],
      "incidents has no subcommand 'shwo'",
      'Did you mean `statusd incidents show`?',
    ],
    [['incidents', 'shwo'], "incidents has no subcommand 'shwo'", 'Did you mean `statusd incidents show`?'],
    [
      ['incidents', 'opne', 'API slow', '--impact', 'major'],
      "incidents has no subcommand 'opne'",
      'Did you mean `statusd incidents open`?',
    ],
    [['outbox', 'rety'], "outbox has no subcommand 'rety'", 'Did you mean `statusd outbox retry`?'],
    [['outbox', '--json', 'rm', '3'], "outbox has no subcommand 'rm'", 'Did you mean `statusd outbox drop`?'],
    [['outbox', 'xyzzy'], "outbox has no subcommand 'xyzzy'", 'It is one of: list, retry, drop.'],
    [
      ['subscribers', 'exprt'],
      "subscribers has no subcommand 'exprt'",
      'Did you mean `statusd subscribers export`?',
    ],
    [
      ['maintenance', 'cancle', '3'],
      "maintenance has no subcommand 'cancle'",
      'Did you mean `statusd maintenance cancel`?',
    ],
    [['maintenance', 'xyzzy'], "maintenance has no subcommand 'xyzzy'", 'It is one of: add, list, cancel.'],
    [['import'], 'import needs one word more', 'It is one of: kuma, gatus, hora.'],
    [['import', 'kumma', 'a.db'], "import has no subcommand 'kumma'", 'Did you mean `statusd import kuma`?'],
    [['schema', '--help=1'], 'the option --help takes no value', ''],
    [
      ['\u001b]0;title\u0007che\u009bckc\u202e'],
      "there is no command 'che",
      '`statusd --help` lists the commands.',
    ],
  ];

  for (const [args, message, hint] of wrong) {
    it(JSON.stringify(args), async () => {
      const { code, stdout, stderr } = await runCli(args, { cwd });
      assert.equal(code, 2);
      assert.equal(stdout, '');
      const [first = '', second = '', ...rest] = stderr.split('\n');
      assert.ok(first.startsWith(`statusd: ${message}`), first);
      assert.equal(second, hint === '' ? '' : `  ${hint}`);
      assert.equal(rest.join(''), '');

      assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    });
  }
});

describe('a fault of the program', () => {
  const thrower = `data:text/javascript,setImmediate(function wait(){
    if (process.listenerCount('uncaughtException') === 0) return setTimeout(wait, 5).unref();
    throw new Error('boom\\u001b[2J');
  })`;
  const env = { NODE_OPTIONS: `--import=${thrower.replace(/\s+/g, '%20')}` };

  it('is given in one sentence without a stack trace, whatever threw it', async () => {
    const { code, stderr } = await runCli(['init', '--out', '-', '192.0.2.1:9'], { cwd, env });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /statusd: something unexpected went wrong: boom\n {2}Run it again with --debug to see where.\n$/,
    );
  });

  it('is traced with --debug', async () => {
    const { stderr } = await runCli(['init', '--debug', '--out', '-', '192.0.2.1:9'], { cwd, env });
    assert.match(stderr, /went wrong: boom\nError: boom\n {4}at /);
  });
});

describe('when the output cannot be written', () => {
  for (const option of ['--help', '--version']) {
    it(`a reader of ${option} that leaves early is no error`, async () => {
      const child = spawn(process.execPath, [bin, option], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number];
      assert.deepEqual([code, stderr], [0, '']);
    });

    it(`a full disk is one for ${option}, without a stack trace`, {
      skip: !existsSync('/dev/full'),
    }, async () => {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [bin, option], { cwd, stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 1);
      assert.match(stderr, /^statusd: the output cannot be written: ENOSPC[^\n]*\n$/);
    });
  }
});
