import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { envLine } from '../../../src/engine/config/env-files.ts';
import { parseConfig } from '../../../src/engine/config/load.ts';
import { ConfigError, sentence } from '../../../src/engine/config/problem.ts';
import { load, problemsOf } from '../../support/config.ts';

const toml = '[page]\ntitle = "${NAME:-none}"\n[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';
const titleOf = async (env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>) =>
  (await load(toml, { env, files })).config.page.title;
const at = (name: string) => `/etc/statusd/${name}`;

describe('the files of variables beside a configuration', () => {
  it('are read where nothing is set: statusd.env first, then .env', async () => {
    const files = { [at('statusd.env')]: 'NAME=one\n', [at('.env')]: 'NAME=two\n' };
    assert.equal(await titleOf({}, files), 'one');
    assert.equal(await titleOf({ NAME: '' }, files), 'one');
    assert.equal(await titleOf({ NAME: 'mine' }, files), 'mine');
    assert.equal(await titleOf({}, { [at('.env')]: 'NAME=two\n' }), 'two');
    assert.equal(await titleOf({}, {}), 'none');
  });

  const lines: readonly (readonly [line: string, value: string])[] = [
    ['NAME=plain # why', 'plain'],
    ['  export NAME = a#b c ', 'a#b c'],
    ['NAME=\'a "b" $c \\d\' # why', 'a "b" $c \\d'],
    ['NAME="a \\"b\\" \\$c \\\\ \\n"', 'a "b" $c \\ \\n'],
    ['# NAME=no\r\n\r\nNAME=yes\r', 'yes'],
    ['NAME=first\nNAME=last', 'last'],
  ];
  for (const [line, value] of lines) {
    it(`give ${JSON.stringify(value)} for ${JSON.stringify(line)}`, async () => {
      assert.equal(await titleOf({}, { [at('statusd.env')]: line }), value);
    });
  }

  it('hold secrets, which are masked like those of the environment', async () => {
    const { redact, config } = await load('[server]\nauth_token = "${TOKEN}"\n', {
      files: { [at('statusd.env')]: 'TOKEN=cAnArY-env-4711\n' },
    });
    assert.equal(config.server.auth_token?.reveal(), 'cAnArY-env-4711');
    assert.ok(!redact('it said cAnArY-env-4711').includes('cAnArY'));
  });

  it('warn of a line that says nothing at its place, without quoting it, and of a file that cannot be read', async () => {
    const files = {
      [at('statusd.env')]: "NAME=x\nhunter2\nOTHER=\"open\nA-B=1\nC='a'b\n",
      [at('.env')]: '\0',
    };
    const { warnings } = await load(toml, { files });
    assert.deepEqual(
      warnings.map((finding) => [finding.beside?.file, finding.beside?.line, sentence(finding)]),
      [
        [
          '/etc/statusd/statusd.env',
          2,
          'the line is not NAME=value, and is left out; put # before it if it is a comment',
        ],
        [
          '/etc/statusd/statusd.env',
          3,
          'the value has no closing quotation mark, so the line is left out; close it; a value that holds such a mark needs the other kind around it',
        ],
        [
          '/etc/statusd/statusd.env',
          4,
          'the name before the = is none that a variable can have, so the line is left out; letters, digits and _ make one, and no digit is its first',
        ],
        [
          '/etc/statusd/statusd.env',
          5,
          'something follows the closing quotation mark, so the line is left out; put the whole value in quotation marks',
        ],
        ['/etc/statusd/.env', 1, 'the file is not a small text file, and is not read'],
      ],
    );
  });

  const secret = '[server]\nauth_token = "${TOKEN}"\n';
  const refuse = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it('that keep a variable from being set are named with the errors, which send nobody to remove the key', async () => {
    const files = { [at('statusd.env')]: '# secrets\nTOKEN="abc\n' };
    assert.deepEqual(
      (await problemsOf(secret, { files })).map((problem) => [
        basename(problem.file),
        problem.line,
        sentence(problem),
      ]),
      [
        [
          'statusd.env',
          2,
          'the value has no closing quotation mark, so the line is left out; close it; a value that holds such a mark needs the other kind around it',
        ],
        [
          'statusd.toml',
          2,
          'server.auth_token: must not be empty; $TOKEN is not set: see to statusd.env first',
        ],
      ],
    );
  });

  it('that cannot be read are named, a folder in the place of statusd.env too', async () => {
    const told = async (code: string) => {
      const file = '/etc/statusd/statusd.toml';
      const error: unknown = await parseConfig(secret, { file, env: {}, readFile: refuse(code) }).catch(
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ConfigError);
      return error.problems.filter((problem) => problem.file.endsWith('statusd.env')).map(sentence);
    };
    assert.deepEqual(await told('EACCES'), [
      'the file may not be read by this user; check its owner and mode',
    ]);
    assert.deepEqual(await told('EISDIR'), [
      'the file is a directory; put a file with NAME=value lines in its place',
    ]);
    assert.deepEqual(await told('ENOENT'), []);
  });

  it('set what $STATUSD_BIND and its like set, also where the configuration names no variable', async () => {
    const plain = '[server]\nbind = "127.0.0.1:2"\ndatabase_path = "a.db"\n';
    const files = { [at('statusd.env')]: 'STATUSD_BIND=127.0.0.1:9\nSTATUSD_DATABASE=data/s.db\n' };
    const serverOf = async (env: Readonly<Record<string, string>>) =>
      (await load(plain, { env, files })).config.server;
    // A relative path starts from the folder of the file, as one in the configuration does.
    const { bind, database_path } = await serverOf({});
    assert.deepEqual([bind, database_path], ['127.0.0.1:9', '/etc/statusd/data/s.db']);
    const mine = await serverOf({ STATUSD_BIND: '[::1]:7', STATUSD_DATABASE: '/mine.db' });
    assert.deepEqual([mine.bind, mine.database_path], ['[::1]:7', '/mine.db']);
    assert.equal((await serverOf({ STATUSD_BIND: '' })).bind, '127.0.0.1:9');
    const shared =
      '[storage]\nurl = "postgres://a/b"\n[node]\nid = "oslo"\nurl = "http://127.0.0.1:1"\ntoken = "a-long-token-of-nodes"\n';
    const beside = { [at('.env')]: 'STATUSD_NODE=rome\nSTATUSD_STORAGE_URL=postgres://c/d\n' };
    const { config } = await load(shared, { files: beside });
    assert.deepEqual([config.node.id, config.storage?.url.reveal()], ['rome', 'postgres://c/d']);
  });

  it('are named where what they set is wrong', async () => {
    const wrong = { [at('statusd.env')]: 'STATUSD_BIND=here\n' };
    assert.deepEqual((await problemsOf('', { files: wrong })).map(sentence), [
      'server.bind: must be host:port; the value comes from STATUSD_BIND in statusd.env',
    ]);
  });

  it('may name the folder of the plugins, from the folder of the configuration', async () => {
    const exec = '[[monitors]]\nid = "job"\nkind = "exec"\ncommand = ["run"]\n';
    const files = { [at('.env')]: 'STATUSD_EXEC_DIR=plugins\n' };
    const { config, warnings } = await load(exec, { files });
    assert.deepEqual([config.probes.exec_dir, warnings], [at('plugins'), []]);
  });

  it('say nothing of lines that no configuration asks for, unless one may be of this program', async () => {
    const plain = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';
    const warned = async (text: string) =>
      (await load(plain, { files: { [at('.env')]: text } })).warnings.map(sentence);
    assert.deepEqual(await warned('what another program reads\n'), []);
    assert.deepEqual(await warned('STATUSD_BIND 0.0.0.0:80\n'), [
      'the line is not NAME=value, and is left out; put # before it if it is a comment',
    ]);
  });

  it('take back what envLine wrote', async () => {
    for (const value of ['plain', '', "it's", 'a "b"', 'x # y', '$HOME `ls` \\', '\'"\\$`', ' blank '])
      assert.equal(await titleOf({}, { [at('statusd.env')]: envLine('NAME', value) }), value || 'none');
  });
});
