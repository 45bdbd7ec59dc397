import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allCommands } from '../../src/commands/all.ts';
import { createCli } from '../../src/commands/cli.ts';
import { describe as read } from '../../src/commands/help/describe.ts';

const cli = createCli([]);
const manual = read(allCommands);

/** The words that a shell would hand to statusd; examples quote with ' and " only. */
function wordsOfExample(line: string): string[] {
  const own = /(?:^|[\s(])statusd\s([^|>)]*)/.exec(line)?.[1];
  assert.ok(own !== undefined, `'${line}' does not run statusd`);
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}

describe('an example that help prints is accepted by the command line', () => {
  for (const { examples, words } of manual.pages) {
    for (const { line } of examples) {
      it(line, () => {
        const args = wordsOfExample(line);
        assert.deepEqual(args.slice(0, words.length), [...words]);
        const command = cli.process(args, {} as never);
        assert.deepEqual(command.path, words);
      });
    }
  }
});
