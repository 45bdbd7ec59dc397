import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { convertGatus } from '../../../../src/commands/import/gatus/convert.ts';
import { mergeParts, readGatus } from '../../../../src/commands/import/gatus/folder.ts';
import { reportJson, reportText } from '../../../../src/commands/import/render.ts';
import { createSecrets } from '../../../../src/commands/import/variables.ts';
import { loadImported } from '../../../support/import-kuma.ts';
import { outputOf } from '../../../support/sheet.ts';
import { makeFolder } from '../../../support/tiny-store.ts';

/** Does `work` in a folder of these files. */
async function within<T>(
  files: Readonly<Record<string, string>>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = makeFolder();
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(folder.at(name)), { recursive: true });
      writeFileSync(folder.at(name), text);
    }
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}

const endpoint = (name: string, more = '') =>
  `endpoints:\n  - name: ${name}\n    url: https://${name}.example/\n${more || '    conditions: ["[STATUS] == 200"]\n'}`;

const house = {
  'a.yaml': 'alerting:\n  gotify:\n    server-url: https://gotify.example.com\n    token: abc123def\n',
  'b/web.yml': endpoint(
    'web',
    '    alerts: [{ type: gotify, send-on-resolved: true }]\n    conditions: ["[STATUS] == 200"]\n',
  ),
  'c.yaml': endpoint(
    'slow',
    '    headers: { Authorization: "Bearer xyz789uvw" }\n    conditions: ["[RESPONSE_TIME] < 5"]\n',
  ),
  'empty.yaml': '',
  'z.yaml':
    'endpoints:\n  - name: odd\n    url: wss://odd.example/\nalerting:\n  gotify:\n    priority: 3\n  line: {}\n',
  'notes.txt': 'not: [yaml',
};

describe('readGatus', () => {
  it('merges a folder, and says of everything which file it is in', async () => {
    await within(house, async (path) => {
      const { imported, text } = await loadImported(
        convertGatus(await readGatus(path), createSecrets('env')),
      );
      const { items } = reportJson(imported, null);
      assert.deepEqual(
        items.map(({ kind, name, outcome, found_in }) => [kind, name, outcome, found_in]),
        [
          ['settings', 'alerting', 'exact', 'a.yaml, z.yaml'],
          ['channel', 'gotify', 'approximated', 'a.yaml, z.yaml'],
          ['channel', 'line', 'dropped', 'z.yaml'],
          ['monitor', 'web', 'exact', 'b/web.yml'],
          ['monitor', 'slow', 'approximated', 'c.yaml'],
          ['monitor', 'odd', 'dropped', 'z.yaml'],
        ],
      );
      assert.match(text, /^# From c\.yaml\.\n# Approximated: takes a slow answer/m);
      assert.match(text, /^# monitor odd in z\.yaml: wss is nothing/m);
      assert.match(text, /after "Bearer", in\n?.* c\.yaml$/m);
      const output = outputOf({ columns: 80, isColoured: false });
      assert.match(reportText(imported, { closing: [] }, output), /slow \(https\), in c\.yaml, now slow/);
    });
  });

  it('passes over the second copy of a mounted ConfigMap, and follows its links', async () => {
    const files = { '..2026_11_21/a.yaml': endpoint('one') };
    await within(files, async (path) => {
      symlinkSync('..2026_11_21', `${path}/..data`);
      symlinkSync('..data/a.yaml', `${path}/a.yaml`);
      const { root } = await readGatus(path);
      assert.equal((root['endpoints'] as unknown[]).length, 1);
    });
  });

  it('says nothing of files when there is one', async () => {
    await within({ 'only.yaml': endpoint('one') }, async (path) => {
      const { fileOf, root } = await readGatus(`${path}/only.yaml`);
      assert.equal(fileOf((root['endpoints'] as unknown[])[0]), null);
    });
  });

  const refused: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
    'where the YAML is wrong': [{ ...house, 'c.yaml': 'a: "x\n' }, /^c\.yaml:\d+:\d+: /],
    'a file that is something else': [
      { ...house, 'b/list.yaml': '- 1\n' },
      /^b\/list\.yaml is no configuration/,
    ],
    'a value given twice': [
      { ...house, 'd.yaml': 'alerting: { gotify: { token: other } }' },
      /^d\.yaml: alerting\.gotify\.token is given in a\.yaml already$/,
    ],
    'a folder without YAML': [{ 'notes.txt': '' }, /holds no file that ends in \.yaml or \.yml$/],
    'a folder without endpoints': [{ 'a.yaml': 'ui: { title: x }' }, /is no configuration of Gatus/],
    'files that are too much together': [
      { 'a.yaml': endpoint('one'), 'b.yaml': `# ${'x'.repeat(1_999_990)}\n` },
      /b\.yaml is larger than/,
    ],
  };
  for (const [title, [files, message]] of Object.entries(refused)) {
    it(`refuses ${title}, by the name of the file`, async () => {
      await within(files, (path) => assert.rejects(readGatus(path), { code: 'usage', message }));
    });
  }
});

describe('mergeParts', () => {
  const merge = (...values: readonly Readonly<Record<string, unknown>>[]) =>
    mergeParts(values.map((value, index) => ({ file: `${index}.yaml`, value }))).root;

  it('joins maps at any depth, and lists in the order of the files', () => {
    assert.deepEqual(
      merge({ a: { b: { c: 1 } }, l: [1] }, { a: { b: { d: 2 } }, l: [{ x: 1 }] }, { l: [3] }),
      {
        a: { b: { c: 1, d: 2 } },
        l: [1, { x: 1 }, 3],
      },
    );
  });

  it('takes a list in place of anything else, as Gatus does', () => {
    assert.deepEqual(merge({ a: 1 }, { a: [2] }), { a: [2] });
  });

  it('refuses the same value twice, nothing for a value, and a map for another thing', () => {
    for (const [first, second] of [
      [1, 1],
      [null, 2],
      [{ x: 1 }, 'text'],
      [[1], { x: 1 }],
    ]) {
      assert.throws(
        () => merge({ a: first }, { a: second }),
        /^StatusdError: 1\.yaml: a is given in 0\.yaml already/,
      );
    }
  });

  it('is not led to prototypes by a key', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ) as object;
    const root = merge({ ...hostile }, JSON.parse('{"__proto__":{"more":1}}') as Record<string, unknown>);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.equal(Object.getPrototypeOf(root), Object.prototype);
  });
});
