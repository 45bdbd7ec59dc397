import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandWords, findCommand, unknownCommand } from '../../../src/commands/help/find.ts';
import type { CommandPage, Manual } from '../../../src/commands/help/page.ts';

const page = (...words: string[]): CommandPage => ({
  words,
  aliases: [],
  category: '',
  summary: '',
  details: '',
  arguments: [],
  options: [],
  examples: [],
  exits: [],
});
const manual: Manual = {
  pages: [
    page('check'),
    page('silence'),
    page('silence', 'list'),
    page('import', 'kuma'),
    page('import', 'gatus'),
  ],
  globalOptions: [
    { names: ['-c', '--config'], valueName: 'PATH', text: '', isRequired: false, values: 'file' },
  ],
};

describe('findCommand', () => {
  it('prefers the command with more words, and returns the remaining arguments', () => {
    const found = findCommand(manual, ['silence', 'list', 'x']);
    assert.ok(found.kind === 'page');
    assert.deepEqual([found.page.words, found.rest], [['silence', 'list'], ['x']]);
  });

  it('finds a command by an alias, and returns the alias and the arguments after it', () => {
    const aliased = { ...page('incidents'), aliases: [['incidents', 'list'], ['outages']] };
    const found = (...words: string[]) => findCommand({ ...manual, pages: [aliased] }, words);
    assert.deepEqual(found('incidents', 'list', '5'), {
      kind: 'page',
      page: aliased,
      name: ['incidents', 'list'],
      rest: ['5'],
    });
    assert.deepEqual(found('outages'), { kind: 'page', page: aliased, name: ['outages'], rest: [] });
  });

  it('takes a further word that is no command for an argument', () => {
    const found = findCommand(manual, ['silence', 'api']);
    assert.ok(found.kind === 'page');
    assert.deepEqual([found.page.words, found.rest], [['silence'], ['api']]);
  });

  it('finds the family of a word that is no command on its own', () => {
    const found = findCommand(manual, ['import']);
    assert.ok(found.kind === 'family');
    assert.equal(found.pages.length, 2);
  });

  it('finds nothing for other words, and for none', () => {
    assert.equal(findCommand(manual, ['nosuch']).kind, 'none');
    assert.equal(findCommand(manual, []).kind, 'none');
  });
});

describe('commandWords', () => {
  it('does not take the value of an option for a word', () => {
    assert.deepEqual(commandWords(manual, ['-c', 'silence', 'check', '--config=list', 'a']), ['check', 'a']);
  });

  it('takes everything after -- for words', () => {
    assert.deepEqual(commandWords(manual, ['check', '--', '-c', '--help']), ['check', '-c', '--help']);
  });
});

describe('unknownCommand', () => {
  const hintFor = (...words: string[]) => unknownCommand(manual, words).hint;

  it('suggests the nearest command', () => {
    assert.equal(hintFor('chekc'), 'Did you mean `statusd check`?');
    assert.equal(hintFor('silense', 'list'), 'Did you mean `statusd silence list`?');
    assert.equal(hintFor('silense', 'api', '1h'), 'Did you mean `statusd silence`?');
    assert.equal(hintFor('imprt'), 'Did you mean `statusd import`?');
  });

  it('suggests nothing when nothing is near', () => {
    assert.equal(hintFor('xyzzy'), '`statusd --help` lists the commands.');
  });
});
