import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { envLine } from '../../../src/engine/config/env-files.ts';
import { sentence } from '../../../src/engine/config/problem.ts';
import { load } from '../../support/config.ts';

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

  it('warn of a line that says nothing, without quoting it, and of a file that cannot be read', async () => {
    const files = { [at('statusd.env')]: 'NAME=x\nhunter2\nOTHER="open\n', [at('.env')]: '\0' };
    const { warnings } = await load(toml, { files });
    assert.deepEqual(warnings.map(sentence), [
      "statusd.env: line 2 is not NAME=value, and is left out; quote the value with '",
      "statusd.env: line 3 is not NAME=value, and is left out; quote the value with '",
      '.env is not a small text file, and is not read',
    ]);
  });

  it('take back what envLine wrote', async () => {
    for (const value of ['plain', '', "it's", 'a "b"', 'x # y', '$HOME `ls` \\', '\'"\\$`', ' blank '])
      assert.equal(await titleOf({}, { [at('statusd.env')]: envLine('NAME', value) }), value || 'none');
  });
});
