import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandNames, grammarOf, valuedNames } from '../../../src/commands/completion/grammar.ts';
import type { CommandPage, Manual } from '../../../src/commands/help/page.ts';

const page = (words: string[], parts: Partial<CommandPage> = {}): CommandPage => ({
  words,
  aliases: [],
  category: '',
  summary: `Do ${words.join(' ')}. And more.`,
  details: '',
  arguments: [],
  options: [],
  examples: [],
  exits: [],
  ...parts,
});

const manual: Manual = {
  globalOptions: [
    { names: ['-c', '--config'], valueName: 'PATH', text: 'Read `PATH`.', isRequired: false, values: 'file' },
  ],
  pages: [
    page(['silence'], {
      arguments: [{ name: 'ids', text: '', isRequired: true, isRepeatable: false, values: 'monitor' }],
    }),
    page(['silence', 'list']),
    page(['import', 'kuma'], {
      options: [
        { names: ['--out'], valueName: 'F', text: 'Write. Or not.', isRequired: false, values: null },
      ],
    }),
  ],
};
const nodes = grammarOf(manual);
const node = (command: string) => nodes.find((one) => one.command === command);

describe('grammarOf', () => {
  it('has a node for the program, every command, every word that begins one, and help', () => {
    assert.deepEqual(
      nodes.map(({ command }) => command),
      ['', 'silence', 'silence list', 'import', 'import kuma', 'help'],
    );
  });

  it('offers the next word of longer commands beside the arguments of a shorter one', () => {
    assert.deepEqual(node('silence')?.children, [{ word: 'list', text: 'Do silence list' }]);
    assert.deepEqual(node('silence')?.arguments, [{ text: '<ids>', values: 'monitor', isRepeatable: false }]);
    assert.deepEqual(node('import')?.children, [{ word: 'kuma', text: 'Do import kuma' }]);
  });

  it('offers an alias of two words after the first, with the options of its command, and no alias of one', () => {
    const options = [
      { names: ['--open'], valueName: null, text: 'Open ones.', isRequired: false, values: null },
    ];
    const pages = [page(['incidents'], { aliases: [['incidents', 'list'], ['outages']], options })];
    const aliased = grammarOf({ pages, globalOptions: [] });
    const found = (command: string) => aliased.find((one) => one.command === command);
    assert.deepEqual(found('incidents')?.children, [{ word: 'list', text: 'Do incidents' }]);
    assert.deepEqual(commandNames(aliased), ['incidents']);
    for (const command of ['incidents list', 'outages'])
      assert.deepEqual(found(command)?.options, [{ names: ['--open'], text: 'Open ones', values: null }]);
  });

  it('says of an option its first sentence, and whether it takes a value', () => {
    assert.deepEqual(node('import kuma')?.options, [
      { names: ['--out'], text: 'Write', values: [] },
      { names: ['-c', '--config'], text: 'Read PATH', values: 'file' },
    ]);
  });

  it('knows the first words, and the options that take values', () => {
    assert.deepEqual(commandNames(nodes), ['silence', 'import']);
    assert.deepEqual(valuedNames(nodes), ['--config', '--out', '-c']);
  });
});
