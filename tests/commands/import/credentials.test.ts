import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hideCredentials, secretHeader } from '../../../src/commands/import/credentials.ts';
import { tomlValue } from '../../../src/commands/import/toml-value.ts';
import { createSecrets } from '../../../src/commands/import/variables.ts';

const owner = (wish: 'env' | 'inline' = 'env') => ({
  id: 'shop',
  whose: 'of the monitor "Shop"',
  secrets: createSecrets(wish),
});

describe('hideCredentials', () => {
  it('leaves an address without credentials as it is written', () => {
    for (const address of ['https://example.com', 'http://a.example/x?q=1#top', 'no address', 'https://']) {
      assert.deepEqual(hideCredentials(address, owner()), { target: address, login: null });
    }
  });

  it('turns a login into a header, and credentials in the query into variables', () => {
    const mine = owner();
    const { target, login } = hideCredentials('https://me:p%40ss@example.com/a?x=1&api_key=k9&y=2#z', mine);
    assert.equal(tomlValue(target), '"https://example.com/a?x=1&api_key=${STATUSD_SHOP_API_KEY}&y=2#z"');
    assert.equal(login === null ? null : tomlValue(login), '"Basic ${STATUSD_SHOP_BASIC_AUTH}"');
    assert.deepEqual(
      mine.secrets.wanted().map(({ value }) => value),
      [Buffer.from('me:p@ss').toString('base64'), 'k9'],
    );
  });

  it('writes them where they are wanted in the file', () => {
    const { target, login } = hideCredentials('https://me:you@example.com/?token=t', owner('inline'));
    assert.equal(target, 'https://example.com/?token=t');
    assert.equal(login, `Basic ${Buffer.from('me:you').toString('base64')}`);
  });
});

describe('secretHeader', () => {
  it('hides what logs in, all but the scheme', () => {
    assert.equal(tomlValue(secretHeader('Accept', 'text/html', owner())), '"text/html"');
    assert.equal(
      tomlValue(secretHeader('authorization', 'Bearer abc', owner())),
      '"Bearer ${STATUSD_SHOP_AUTHORIZATION}"',
    );
    assert.equal(tomlValue(secretHeader('X-Api-Key', 'abc def', owner())), '"${STATUSD_SHOP_X_API_KEY}"');
  });
});

describe('createSecrets', () => {
  it('gives one variable to one value, and different ones different names', () => {
    const { keep, wanted } = createSecrets('env');
    const about = { label: 'ops token', origin: 'here' };
    assert.deepEqual(keep('a', about), keep('a', { label: 'other', origin: 'there' }));
    assert.notDeepEqual(keep('b', about), keep('a', about));
    assert.deepEqual(
      wanted().map(({ name }) => name),
      ['STATUSD_OPS_TOKEN', 'STATUSD_OPS_TOKEN_2'],
    );
  });

  it('names every variable as the shell and the loader allow', () => {
    const { keep, wanted } = createSecrets('env');
    for (const label of ['', '状態', '9 lives', 'x'.repeat(300), 'a$b{c}'])
      keep(label, { label, origin: '' });
    for (const { name } of wanted()) assert.match(name, /^STATUSD_[A-Z0-9_]{1,60}$/);
  });
});
