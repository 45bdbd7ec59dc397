import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandPage, Manual } from '../../src/commands/help/page.ts';
import { usageError } from '../../src/commands/usage-error.ts';

const page = (words: string[], parts: Partial<CommandPage> = {}): CommandPage => ({
  words,
  category: '',
  summary: '',
  details: '',
  arguments: [],
  options: [],
  examples: [],
  exits: [],
  ...parts,
});
const argument = (name: string, isRequired: boolean) => ({
  name,
  isRequired,
  text: `The ${name}.`,
  isRepeatable: false,
  values: null,
});
const manual: Manual = {
  globalOptions: [
    { names: ['-c', '--config'], valueName: 'PATH', text: '', isRequired: false, values: 'file' },
    { names: ['--json'], valueName: null, text: '', isRequired: false, values: null },
  ],
  pages: [
    page(['silence'], {
      arguments: [argument('ids', true), argument('duration', true), argument('why', false)],
    }),
    page(['silence', 'list']),
    page(['import', 'kuma']),
    page(['import', 'gatus']),
  ],
};

const notified = (...args: string[]) => {
  const { code, message, hint } = usageError(manual, args, new Error('Some reason.'));
  assert.equal(code, 'usage');
  return [message, hint];
};

describe('usageError', () => {
  it('names the argument that is missing', () => {
    assert.deepEqual(notified('silence'), ['silence needs <ids>', 'The ids. See `statusd silence --help`.']);
    assert.deepEqual(notified('silence', 'a', '--json'), [
      'silence needs <duration>',
      'The duration. See `statusd silence --help`.',
    ]);
  });

  it('names the argument that is too much', () => {
    assert.deepEqual(notified('silence', 'list', 'x\u001b[2J'), [
      "silence list cannot use the argument 'x'",
      'See `statusd silence list --help`.',
    ]);
  });

  it('asks for the second word of a command that needs one', () => {
    assert.deepEqual(notified('import'), ['import needs one word more', 'It is one of: kuma, gatus.']);
    assert.deepEqual(notified('-c', 'x', 'import', 'kumma'), [
      'import needs one word more',
      'It is one of: kuma, gatus.',
    ]);
  });

  it('knows the negation of a switch, but not of an option with a value', () => {
    assert.deepEqual(notified('silence', 'list', '--no-json'), [
      'silence list: some reason',
      'See `statusd silence list --help`.',
    ]);
    assert.deepEqual(notified('silence', 'list', '--no-jsn'), [
      'silence list has no option --no-jsn',
      'See `statusd silence list --help`.',
    ]);
  });
});
