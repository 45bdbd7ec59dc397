import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { completionConfig, CompletionFolder, hasShell } from '../../support/shells.ts';

describe('the fish script', { skip: !hasShell('fish') }, () => {
  let folder: CompletionFolder;
  let script = '';

  before(() => {
    folder = new CompletionFolder(completionConfig);
    script = folder.script('fish');
  });
  after(() => {
    folder.remove();
  });

  const complete = (line: string): string[] => {
    const text = folder.run('fish', [
      '--no-config',
      '-c',
      'source $argv[1]; complete -C $argv[2]',
      script,
      line,
    ]);
    return text.split('\n').flatMap((row) => (row === '' ? [] : [row.split('\t')[0] ?? '']));
  };

  it('is valid', () => {
    assert.equal(folder.run('fish', ['--no-execute', script]), '');
  });

  it('completes commands', () => {
    assert.deepEqual(complete('statusd ch'), ['check']);
    assert.deepEqual(complete('statusd help comp'), ['completion']);
    assert.deepEqual(complete('statusd completion ').sort(), ['bash', 'fish', 'zsh']);
  });

  it('completes options and their values, also after =', () => {
    assert.deepEqual(complete('statusd check --fo'), ['--format']);
    assert.deepEqual(complete('statusd check --format j'), ['json', 'junit']);
    assert.deepEqual(complete('statusd check --format=j'), ['--format=json', '--format=junit']);
    assert.deepEqual(complete('statusd check --concurrency '), []);
  });

  it('completes live monitor ids, of the configuration that the line names', () => {
    assert.deepEqual(complete('statusd check api ap'), ['api', 'app-db']);
    assert.deepEqual(complete('statusd -c ./statusd.toml check ap'), ['api', 'app-db']);
    assert.deepEqual(complete('statusd check --config=nosuch.toml ap'), []);
  });

  it('completes a file where one is wanted', () => {
    assert.deepEqual(complete('statusd check -c statusd.t'), ['statusd.toml']);
  });

  it('offers a group as it is and never runs what is in it', () => {
    assert.deepEqual(complete('statusd check --group '), ['Web $(touch pwned) `touch pwned` sites']);
    assert.ok(!readdirSync(folder.path).includes('pwned'));
  });
});
