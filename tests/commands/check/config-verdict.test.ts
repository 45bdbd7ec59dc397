import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNamer, verdictOnError } from '../../../src/commands/check/config-verdict.ts';
import { ConfigError } from '../../../src/engine/config/problem.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';

const cwd = '/home/me/site';

test('people read a file name from where they are, and in full when it lies elsewhere', () => {
  const nameOf = fileNamer('human', { cwd, env: {} });
  assert.equal(nameOf('/home/me/site/conf/statusd.toml'), 'conf/statusd.toml');
  assert.equal(nameOf('/etc/statusd/statusd.toml'), '/etc/statusd/statusd.toml');
});

test('programs read a file name in full', () => {
  for (const format of ['json', 'ndjson'] as const) {
    assert.equal(fileNamer(format, { cwd, env: {} })(`${cwd}/statusd.toml`), `${cwd}/statusd.toml`);
  }
});

test('GitHub reads a file name from the root of the repository', () => {
  const env = { GITHUB_WORKSPACE: '/home/me' };
  assert.equal(fileNamer('github', { cwd, env })(`${cwd}/statusd.toml`), 'site/statusd.toml');
  assert.equal(fileNamer('github', { cwd, env: {} })(`${cwd}/statusd.toml`), 'statusd.toml');
});

test('every problem of a configuration is in the verdict, at its place', () => {
  const problem = { file: `${cwd}/a.toml`, fileName: 'a.toml', line: 3, column: 5, key: 'id', hint: null };
  const error = new ConfigError([
    { ...problem, path: 'monitors[0].id', subject: 'monitors[0].id:', message: 'is missing' },
    { ...problem, path: '', subject: '', message: 'is not TOML' },
  ]);
  const verdict = verdictOnError(error, fileNamer('human', { cwd, env: {} }));
  assert.equal(verdict?.file, 'a.toml');
  assert.deepEqual(
    verdict.problems.map(({ file, line, path, message }) => [file, line, path, message]),
    [
      ['a.toml', 3, 'monitors[0].id', 'is missing'],
      ['a.toml', 3, null, 'is not TOML'],
    ],
  );
});

test('a configuration that is not there is a problem without a place', () => {
  const error = new StatusdError('config_missing', 'there is none', { hint: 'write one' });
  assert.deepEqual(
    verdictOnError(error, (file) => file),
    {
      file: null,
      problems: [
        {
          file: null,
          line: null,
          column: null,
          path: null,
          subject: '',
          message: 'there is none',
          hint: 'write one',
        },
      ],
    },
  );
});

test('any other error is not about the configuration', () => {
  assert.equal(
    verdictOnError(new StatusdError('not_found', 'x'), (file) => file),
    null,
  );
  assert.equal(
    verdictOnError(new Error('x'), (file) => file),
    null,
  );
});
