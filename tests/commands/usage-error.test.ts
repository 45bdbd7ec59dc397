import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandPage, Manual } from '../../src/commands/help/page.ts';
import { usageError } from '../../src/commands/usage-error.ts';

const page = (words: string[], parts: Partial<CommandPage> = {}): CommandPage => ({
  words,
  aliases: [],
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
    page(['plan'], {
      arguments: [argument('title', false)],
      options: [
        { names: ['--for'], valueName: 'D', text: 'It lasts for `D`.', isRequired: true, values: null },
        { names: ['--group'], valueName: 'G', text: 'The group `G`.', isRequired: false, values: null },
      ],
    }),
    page(['outbox'], { aliases: [['outbox', 'list']] }),
    page(['outbox', 'drop']),
    page(['nodes'], { aliases: [['nodes', 'list']] }),
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
  it('proposes `list` for `ls` where there is a list', () => {
    for (const command of ['outbox', 'nodes'])
      assert.deepEqual(notified(command, 'ls'), [
        `${command} has no subcommand 'ls'`,
        `Did you mean \`statusd ${command} list\`?`,
      ]);
    assert.deepEqual(notified('import', 'list'), [
      "import has no subcommand 'list'",
      'It is one of: kuma, gatus.',
    ]);
  });

  it('names the argument that is missing', () => {
    assert.deepEqual(notified('silence'), ['silence needs <ids>', 'The ids. See `statusd silence --help`.']);
    assert.deepEqual(notified('silence', 'a', '--json'), [
      'silence needs <duration>',
      'The duration. See `statusd silence --help`.',
    ]);
  });

  it('names the option that is missing', () => {
    assert.deepEqual(notified('plan', 'x', '--group', 'a'), [
      'plan needs --for D',
      'It lasts for `D`. See `statusd plan --help`.',
    ]);
    assert.deepEqual(notified('plan', '--', '--for'), [
      'plan needs --for D',
      'It lasts for `D`. See `statusd plan --help`.',
    ]);
  });

  it('names the option whose value is missing', () => {
    for (const args of [
      ['--group'],
      ['--group', '--for', '1h'],
      ['--group', '-5'],
      ['--for=1h', 'x', '--group', '--', 'y'],
    ])
      assert.deepEqual(notified('plan', ...args), [
        'plan: the option --group needs a value',
        'The group `G`. See `statusd plan --help`.',
      ]);
  });

  it('names the option that takes no value', () => {
    assert.deepEqual(notified('silence', 'list', '--json=true'), [
      'silence list: the option --json takes no value',
      'Write --json alone. See `statusd silence list --help`.',
    ]);
  });

  it('says how to write a word that begins with a dash', () => {
    assert.deepEqual(notified('silence', 'last', '-5', 'degrees'), [
      "silence takes '-5' for an option",
      'Put `--` before words that begin with a dash. See `statusd silence --help`.',
    ]);
  });

  it('names the argument that is too much', () => {
    assert.deepEqual(notified('silence', 'list', 'x\u001b[2J'), [
      "silence list cannot use the argument 'x'",
      'See `statusd silence list --help`.',
    ]);
  });

  it('names the argument that is too much after an alias', () => {
    assert.deepEqual(notified('outbox', 'list', 'x'), [
      "outbox list cannot use the argument 'x'",
      'See `statusd outbox list --help`.',
    ]);
  });

  it('asks for the second word of a command that needs one', () => {
    assert.deepEqual(notified('import'), ['import needs one word more', 'It is one of: kuma, gatus.']);
  });

  it('names the subcommand that there is not, and the one that was meant', () => {
    assert.deepEqual(notified('-c', 'x', 'import', 'kumma'), [
      "import has no subcommand 'kumma'",
      'Did you mean `statusd import kuma`?',
    ]);
    assert.deepEqual(notified('import', 'x\u001b[2J'), [
      "import has no subcommand 'x'",
      'It is one of: kuma, gatus.',
    ]);
    assert.deepEqual(notified('import', 'help'), [
      "import has no subcommand 'help'",
      'Did you mean `statusd import --help`?',
    ]);
  });

  it('takes a word for an argument where the command has one', () => {
    assert.deepEqual(notified('silence', 'lits', '1h', '--nosuch'), [
      'silence has no option --nosuch',
      'See `statusd silence --help`.',
    ]);
    assert.deepEqual(notified('plan', 'x', 'y', '--for', '1h'), [
      "plan cannot use the argument 'y'",
      'See `statusd plan --help`.',
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
