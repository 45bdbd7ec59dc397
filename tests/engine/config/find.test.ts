import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConfig, type ConfigLocation } from '../../../src/engine/config/find.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';

const nowhere: ConfigLocation = { flag: null, env: {}, cwd: '/srv/site', home: '/home/ada' };

function find(whereabouts: Partial<ConfigLocation>, existing: readonly string[]): string {
  return findConfig({ ...nowhere, ...whereabouts }, (path) => existing.includes(path));
}

describe('the configuration file', () => {
  const all = [
    '/srv/site/statusd.toml',
    '/xdg/statusd/statusd.toml',
    '/home/ada/.config/statusd/statusd.toml',
    '/etc/statusd/statusd.toml',
  ];
  const env = { STATUSD_CONFIG: '/env.toml', XDG_CONFIG_HOME: '/xdg' };

  it('is the one that --config names, there or not', () => {
    assert.equal(find({ flag: 'a/b.toml', env }, all), '/srv/site/a/b.toml');
    assert.equal(find({ flag: '/b.toml', env }, []), '/b.toml');
  });

  it('is the one that $STATUSD_CONFIG names, there or not', () => {
    assert.equal(find({ env }, all), '/env.toml');
    assert.equal(find({ env: { STATUSD_CONFIG: 'x.toml' } }, []), '/srv/site/x.toml');
  });

  it('is the first that exists of the folder, that of the user, that of the system', () => {
    const { XDG_CONFIG_HOME } = env;
    assert.equal(find({ env: { XDG_CONFIG_HOME } }, all), all[0]);
    assert.equal(find({ env: { XDG_CONFIG_HOME } }, all.slice(1)), all[1]);
    assert.equal(find({ env: { STATUSD_CONFIG: '' } }, all.slice(1)), all[2]);
    assert.equal(find({ env: { XDG_CONFIG_HOME: 'relative' } }, all.slice(1)), all[2]);
    assert.equal(find({ home: null }, all.slice(1)), all[3]);
  });

  it('is missing when there is none, which names the places and what to do', () => {
    assert.throws(
      () => find({}, []),
      (error) => {
        assert.ok(error instanceof StatusdError);
        assert.equal(error.code, 'config_missing');
        assert.equal(
          error.message,
          'there is no configuration: looked for /srv/site/statusd.toml, /home/ada/.config/statusd/statusd.toml, /etc/statusd/statusd.toml',
        );
        assert.match(error.hint ?? '', /`statusd init`.*`statusd demo`/);
        return true;
      },
    );
    assert.throws(() => find({ flag: '' }, all), { code: 'config_missing' });
  });
});
