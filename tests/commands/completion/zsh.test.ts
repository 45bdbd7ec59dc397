import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { completionConfig, CompletionFolder, hasShell } from '../../support/shells.ts';

/**
 * Types a line and a tab into an interactive zsh on a pseudo-terminal. zsh completes in its editor only, so
 * the words are written down where it accepts them: in compadd.
 */
const driver = String.raw`
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; setopt no_beep; autoload -Uz compinit; compinit -u -D; source $1"
zpty -w z 'compadd() {
  local -a accepted_words
  if [[ $\{(j: :)@[1,(i)(-|--)]} == *-[ADO]\ * ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A accepted_words "$@"
  print -rl -- $accepted_words >> words
  builtin compadd "$@"
}'
zpty -w z 'finished() { print -r -- finished >> words }'
zpty -w z "bindkey '^I' complete-word; zle -N finished; bindkey '^X' finished; echo re''ady"
zpty -r z text '*ready*'
zpty -w -n z "$2"$'\t\x18'
for i in {1..400}; do sleep 0.05; [[ -e words && "$(<words)" == *finished* ]] && break; done
zpty -d z
`.replaceAll('$\\{', '${');

describe('the zsh script', { skip: !hasShell('zsh') }, () => {
  let folder: CompletionFolder;
  let script = '';

  before(() => {
    folder = new CompletionFolder(completionConfig);
    script = folder.script('zsh');
  });
  after(() => {
    folder.remove();
  });

  const complete = (line: string): string[] => {
    rmSync(join(folder.path, 'words'), { force: true });
    folder.run('zsh', ['-f', '-c', driver, 'zsh', script, line]);
    const words = folder.read('words').split('\n');
    assert.ok(words.includes('finished'), 'zsh did not come back from completing');
    return [...new Set(words.filter((word) => word !== '' && word !== 'finished'))];
  };

  it('is valid', () => {
    assert.equal(folder.run('zsh', ['-f', '-n', script]), '');
  });

  it('completes commands', () => {
    assert.deepEqual(complete('statusd ch'), ['check']);
    assert.deepEqual(complete('statusd completion '), ['bash', 'zsh', 'fish']);
  });

  it('completes options and their values, also after =', () => {
    assert.deepEqual(complete('statusd check --fo'), ['--format']);
    assert.deepEqual(complete('statusd check --format j'), ['json', 'junit']);
    assert.deepEqual(complete('statusd check --format=j'), ['json', 'junit']);
  });

  it('completes live monitor ids, of the configuration that the line names', () => {
    assert.deepEqual(complete('statusd check api ap'), ['api', 'app-db']);
    assert.deepEqual(complete('statusd -c ./statusd.toml check ap'), ['api', 'app-db']);
    assert.deepEqual(complete('statusd check --config=nosuch.toml ap'), []);
  });

  it('quotes a group and never runs what is in it', () => {
    assert.deepEqual(complete('statusd check --group '), [
      'Web\\ \\$\\(touch\\ pwned\\)\\ \\`touch\\ pwned\\`\\ sites',
    ]);
    assert.ok(!readdirSync(folder.path).includes('pwned'));
  });
});
