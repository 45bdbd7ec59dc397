import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Option } from 'clipanion';
import { StatusdCommand } from '../../../src/commands/base.ts';
import { exitCodes, type ExitCode } from '../../../src/commands/exit.ts';
import { describe as read } from '../../../src/commands/help/describe.ts';

abstract class TestCommand extends StatusdCommand {
  run(): Promise<ExitCode> {
    return Promise.resolve(exitCodes.ok);
  }
}

class GrepCommand extends TestCommand {
  static override paths = [['grep']];
  static override usage = StatusdCommand.Usage({
    category: 'Text',
    description: 'Find lines.',
    details: 'More.',
    examples: [['Find one.', '$0 grep needle']],
  });
  static override complete = { '--format': ['a', 'b'], files: 'file' } as const;
  static override positionals = { pattern: 'What to find.', files: 'Where to look.' };
  static override exits = { wrong: 'Nothing was found.' };

  format = Option.String('-f,--format', { description: 'Print as `FORM`.' });
  level = Option.String('--level', { description: 'How much.', required: true });
  secret = Option.Boolean('--secret', false, { hidden: true });
  override json = Option.Boolean('--json', false, { description: 'Print the lines as JSON.' });
  pattern = Option.String();
  files = Option.Rest();
}

class QuietCommand extends TestCommand {
  static override paths = [['machine', 'only']];
}

const manual = read([GrepCommand, QuietCommand]);

describe('describe', () => {
  it('reads a page off a class', () => {
    const [page] = manual.pages;
    assert.deepEqual(page, {
      words: ['grep'],
      aliases: [],
      category: 'Text',
      summary: 'Find lines.',
      details: 'More.',
      arguments: [
        { name: 'pattern', isRequired: true, isRepeatable: false, text: 'What to find.', values: null },
        { name: 'files', isRequired: false, isRepeatable: true, text: 'Where to look.', values: 'file' },
      ],
      options: [
        {
          names: ['--json'],
          valueName: null,
          text: 'Print the lines as JSON.',
          isRequired: false,
          values: null,
        },
        {
          names: ['-f', '--format'],
          valueName: 'FORM',
          text: 'Print as `FORM`.',
          isRequired: false,
          values: ['a', 'b'],
        },
        { names: ['--level'], valueName: 'VALUE', text: 'How much.', isRequired: true, values: null },
      ],
      examples: [{ text: 'Find one.', line: 'statusd grep needle' }],
      exits: [
        { code: 0, meaning: 'Success.' },
        { code: 1, meaning: 'Nothing was found.' },
        { code: 2, meaning: 'The command line is wrong: an unknown command or option, a bad argument.' },
        { code: 130, meaning: 'Interrupted.' },
      ],
    });
  });

  it('reads other words for a command as aliases, and names each in the details', () => {
    class ListCommand extends GrepCommand {
      static override paths = [['files', 'list'], ['files'], ['files', 'all']];
    }
    const [page] = read([ListCommand]).pages;
    assert.deepEqual([page?.words, page?.aliases], [['files', 'list'], [['files', 'all']]]);
    assert.deepEqual(page?.details.split('\n\n'), [
      'More.',
      '`statusd files` without more words does the same.',
      '`statusd files all` does the same.',
    ]);
  });

  it('leaves a command without a usage out', () => {
    assert.deepEqual(
      manual.pages.map(({ words }) => words),
      [['grep']],
    );
  });

  it('lists the options of every command once, --help among them', () => {
    assert.deepEqual(
      manual.globalOptions.map(({ names }) => names.join()),
      ['-c,--config', '--json', '-q,--quiet', '--no-color', '--debug', '-h,--help'],
    );
  });
});
