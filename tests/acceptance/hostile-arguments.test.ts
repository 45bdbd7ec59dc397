import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allCommands } from '../../src/commands/all.ts';
import { barrage, volleys } from '../support/hostile-text.ts';
import { runHere } from '../support/operator-world.ts';
import { offencesOf } from '../support/terminal-text.ts';
import { makeFolder } from '../support/tiny-store.ts';

/** An argument cannot hold NUL, nor half a surrogate pair. */
const texts = [...volleys('word', 100), barrage('all')].map((text) => text.replace(/\0|\p{Cs}/gu, ''));

/** These begin to work before they look at anything that could be refused. */
const withoutConfig = new Set(['demo']);

describe('a hostile command line', () => {
  for (const { paths = [] } of allCommands) {
    for (const words of paths) {
      const name = words.join(' ');
      it(`of ${name} leaves the terminal unchanged`, async () => {
        const folder = makeFolder();
        try {
          for (const text of texts) {
            const lines = [
              [...words, `--${text}`],
              [...words, `--${text}=${text}`],
              [...words, text, text, text, text, `-x${text}`],
              [...words, '--json', text, '--nothing', text],
              ...(withoutConfig.has(name) ? [] : [[...words, '-c', `missing/${text}`]]),
            ];
            for (const line of lines) {
              const { stdout, stderr } = await runHere(line, { cwd: folder.path, columns: null });
              assert.deepEqual(offencesOf(stdout + stderr), [], JSON.stringify(line));
            }
          }
        } finally {
          folder.remove();
        }
      });
    }
  }

  it('that names no command leaves the terminal unchanged', async () => {
    for (const text of texts) {
      for (const line of [[text], [text, text], ['-c', text], ['help', text], ['silence', text]]) {
        const { stdout, stderr } = await runHere(line, { cwd: '/nonexistent', columns: null });
        assert.deepEqual(offencesOf(stdout + stderr), [], JSON.stringify(line));
      }
    }
  });

  it('is reported with its words', async () => {
    const { stderr } = await runHere(['check', '--word\u001b[2J\u202e'], {
      cwd: '/nonexistent',
      columns: null,
    });
    assert.match(stderr, /--word$/m);
  });
});
