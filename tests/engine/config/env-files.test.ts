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

  it('take back what envLine wrote', async () => {
    for (const value of ['plain', '', "it's", 'a "b"', 'x # y', '$HOME `ls` \\', '\'"\\$`', ' blank '])
      assert.equal(await titleOf({}, { [at('statusd.env')]: envLine('NAME', value) }), value || 'none');
  });
});
