import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { allCommands } from '../../src/commands/all.ts';
import { createCli } from '../../src/commands/cli.ts';
import { exitCodes } from '../../src/commands/exit.ts';
import { describe as read } from '../../src/commands/help/describe.ts';
import { parseConfig } from '../../src/engine/config/load.ts';
import { readSmallFile } from '../../src/engine/config/read-file.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const { pages } = read(allCommands);

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

/** The first cells of the rows of the table under a heading that begins so. */
const firstColumn = (heading: string) => {
  const [, table = ''] = readme.split(`| ${heading} |`);
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.map((row) => (row.split('|')[1] ?? '').trim().replaceAll('`', ''));
};

describe('README.md', () => {
  it('has a table of all exit codes', () => {
    assert.deepEqual(firstColumn('code'), Object.values(exitCodes).map(String));
  });

  it('has a table of all formats of check', () => {
    const check = pages.find(({ words }) => words.join(' ') === 'check');
    const format = check?.options.find(({ names }) => names.includes('--format'));
    assert.deepEqual(firstColumn('`--format`'), format?.values);
  });

  it('shows a configuration that loads, and what can be added to it', async () => {
    const [base = '', ...more] = blocks('toml');
    const token = 'x'.repeat(20);
    const env = { API_TOKEN: token, NTFY_TOPIC: 'harbour', PARIS_TOKEN: token, BERLIN_TOKEN: `${token}y` };
    for (const text of ['', ...more]) {
      const read = { file: 'a.toml', env, readFile: readSmallFile };
      const { config, warnings } = await parseConfig(base + text, read);
      assert.deepEqual([config.monitors.length, warnings], [2, []]);
    }
  });

  it('shows commands that there are', () => {
    const cli = createCli([]);
    const code = [...blocks('sh'), ...blocks('yaml'), ...blocks('console')].join('\n');
    const lines = [...code.matchAll(/(?:npx |\$ |\()statusd ([^#|)\n]*)/g)].map(([, args = '']) =>
      args.trim(),
    );
    assert.ok(lines.length >= 5);
    for (const line of lines) cli.process(line.split(' '), {} as never);
  });
});
