import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exampleConfig } from '../../../src/engine/config/example.ts';
import { allSections, heading, tablesOf } from '../../../src/engine/config/sections.ts';
import { authorityFiles, load } from '../../support/config.ts';

const example = exampleConfig();

/** The tables of the example, those behind a comment sign too: heading to the keys below it. */
function tablesIn(text: string): readonly (readonly [heading: string, keys: readonly string[]])[] {
  const tables: [string, string[]][] = [];
  for (const line of text.split('\n')) {
    const opening = /^#?(\[\[?\w+\]?\])$/.exec(line)?.[1];
    const key = /^#?(\w+) = /.exec(line)?.[1];
    if (opening !== undefined) tables.push([opening, []]);
    if (key !== undefined) tables.at(-1)?.[1].push(key);
  }
  return tables;
}

describe('the example', () => {
  it('loads unchanged, without a warning, and watches something', async () => {
    const { config, warnings } = await load(example);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['website', 'domain'],
    );
  });

  it('loads with every setting in it switched on', async () => {
    const everything = example.replace(/^#(?=[^ \n#])/gm, '');
    const names = [...everything.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
    const env = Object.fromEntries(
      names.map((name) => [
        name,
        /WEBHOOK|URL/.test(name) ? 'https://hooks.example.com/x' : `value-of-${name}`,
      ]),
    );
    const { config, warnings } = await load(everything, {
      env: { ...env, STATUSD_EXEC_DIR: '/plugins' },
      files: authorityFiles,
    });
    // The pictures of the example are nowhere, its channels take outages of monitors alone, and one of them mails readers too.
    assert.deepEqual(
      warnings.map(({ path }) => path.join('.')),
      [
        'page.logo',
        'page.logo_dark',
        'page.favicon',
        'page.css_file',
        'peers.0',
        'digest',
        'subscribe.email_channel',
      ],
    );
    assert.deepEqual(
      config.monitors.map(({ kind }) => kind),
      ['http', 'tcp', 'icmp', 'dns', 'push', 'exec'],
    );
    assert.equal(config.channels.length, 22);
    assert.notEqual(config.digest, null);
    assert.deepEqual([config.maintenance.length, config.incidents.length, config.peers.length], [1, 1, 1]);
  });

  it('names further files above all tables', () => {
    assert.match(example.split('\n[')[0] ?? '', /^#include = \["conf\.d\/\*\.toml"\]$/m);
  });

  it('shows every setting', () => {
    const tables = tablesIn(example);
    for (const section of allSections) {
      const shown = tables.filter(([name]) => name === heading(section));
      assert.equal(shown.length, tablesOf(section).length, section.name);
      const keys = new Set(shown.flatMap(([, names]) => names));
      for (const [, rows] of tablesOf(section)) {
        for (const key of Object.keys(rows)) assert.ok(keys.has(key), `${section.name}.${key}`);
      }
    }
  });

  it('has a value in every row that the row itself takes', () => {
    for (const section of allSections) {
      for (const [, rows] of tablesOf(section)) {
        for (const [key, row] of Object.entries(rows)) {
          assert.ok(row.example !== '' && row.doc.endsWith('.'), `${section.name}.${key}`);
        }
      }
    }
  });

  it('has no line longer than 120 columns but for values', () => {
    const long = example.split('\n').filter((line) => line.length > 100 && line.startsWith('# '));
    assert.deepEqual(long, []);
  });

  it('is the file in man/', () => {
    assert.equal(
      readFileSync(new URL('../../../man/statusd.example.toml', import.meta.url), 'utf8'),
      example,
    );
  });
});

describe('the short example', () => {
  it('loads without a warning, on one page', async () => {
    const text = readFileSync(new URL('../../../man/statusd.quick.toml', import.meta.url), 'utf8');
    const env = { NTFY_URL: 'https://ntfy.example.com/topic', BACKUP_TOKEN: 'x'.repeat(20) };
    const { config, warnings } = await load(text, { env });
    assert.deepEqual(warnings, []);
    assert.deepEqual([config.monitors.length, config.channels.length], [4, 1]);
    assert.ok(text.split('\n').length <= 50);
  });
});
