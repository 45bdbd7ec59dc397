import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { completionConfig, CompletionFolder, hasShell } from '../../support/shells.ts';

describe('the bash script', { skip: !hasShell('bash') }, () => {
  let folder: CompletionFolder;
  let script = '';

  before(() => {
    folder = new CompletionFolder(completionConfig);
    script = folder.script('bash');
  });
  after(() => {
    folder.remove();
  });

  /** What the words complete to; bash hands over `=` as a word of its own. */
  const complete = (...words: string[]): string[] => {
    const driver = [
      'source "$1"; shift',
      'COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))',
      '_statusd 2>&1',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n');
    const text = folder.run('bash', ['--norc', '-c', driver, 'bash', script, 'statusd', ...words]);
    return text.split('\n').filter((line) => line !== '');
  };

  it('is valid', () => {
    assert.equal(folder.run('bash', ['-n', script]), '');
  });

  it('registers itself', () => {
    const text = folder.run('bash', ['--norc', '-c', 'source "$1"; complete -p statusd', 'bash', script]);
    assert.equal(text, 'complete -F _statusd statusd\n');
  });

  it('completes commands', () => {
    assert.deepEqual(complete('ch'), ['check']);
    for (const word of ['check', 'init', 'completion', 'schema', 'help'])
      assert.ok(complete('').includes(word));
    assert.deepEqual(complete('help', 'comp'), ['completion']);
    assert.deepEqual(complete('completion', ''), ['bash', 'zsh', 'fish']);
  });

  it('completes options and their values, also after =', () => {
    assert.deepEqual(complete('check', '--fo'), ['--format']);
    assert.ok(complete('check', '-').includes('--no-color'));
    assert.deepEqual(complete('check', '--format', 'j'), ['json', 'junit']);
    assert.deepEqual(complete('check', '--format', '=', 'j'), ['json', 'junit']);
    assert.ok(complete('check', '--format', '=').includes('human'));
    assert.deepEqual(complete('check', '--concurrency', ''), []);
  });

  it('completes live monitor ids, any number of them', () => {
    assert.deepEqual(complete('check', ''), ['api', 'app-db']);
    assert.deepEqual(complete('check', '--format', 'json', 'api', 'app'), ['app-db']);
  });

  it('completes a file where one is wanted', () => {
    assert.deepEqual(complete('check', '-c', 'statusd.t'), ['statusd.toml']);
  });

  it('asks the configuration that the line names, and is silent about one that is not there', () => {
    assert.deepEqual(complete('-c', 'statusd.toml', 'check', 'ap'), ['api', 'app-db']);
    assert.deepEqual(complete('check', '--config', '=', 'nosuch.toml', ''), []);
  });

  it('quotes a group and never runs what is in it', () => {
    assert.deepEqual(complete('check', '--group', ''), [
      'Web\\ \\$\\(touch\\ pwned\\)\\ \\`touch\\ pwned\\`\\ sites',
    ]);
    assert.ok(!readdirSync(folder.path).includes('pwned'));
  });
});
