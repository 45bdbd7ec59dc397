import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { isMadeFrom, pictureSources } from '../../../src/commands/demo/record.ts';
import { runHere } from '../../support/operator-world.ts';

const docs = new URL('../../../docs/', import.meta.url);
const cure = 'the pictures are out of date: `node bin/statusd.js demo --record docs` makes them again';

describe('the pictures in docs', () => {
  let sources: Awaited<ReturnType<typeof pictureSources>>;
  before(async () => {
    sources = await pictureSources();
  });

  it('show what the program shows', () => {
    assert.deepEqual(
      sources.map(({ name }) => name),
      ['top', 'check', 'page'],
    );
    for (const { name, extension, text } of sources) {
      if (extension === 'svg')
        assert.ok(readFileSync(new URL(`${name}.svg`, docs), 'utf8') === text, `${name}.svg: ${cure}`);
      assert.ok(isMadeFrom(readFileSync(new URL(`${name}.png`, docs)), text), `${name}.png: ${cure}`);
    }
  });

  it('are written into a folder that is there, and no folder is made for them', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'statusd-record-test-'));
    try {
      writeFileSync(join(cwd, 'file'), '');
      for (const [to, message, hint] of [
        [
          'none/pictures',
          `the folder ${cwd}/none/pictures does not exist`,
          'Create it first, or name another one.',
        ],
        ['file', `${cwd}/file is no folder`, 'Name a folder for the pictures.'],
      ] as const)
        assert.deepEqual(await runHere(['demo', '--record', to], { cwd }), {
          code: 2,
          stdout: '',
          stderr: `statusd: ${message}\n  ${hint}\n`,
        });
      assert.deepEqual(readdirSync(cwd), ['file']);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  it('show a cascade that made one message', () => {
    const top = sources.find(({ name }) => name === 'top')?.text ?? '';
    assert.match(top, />PARTIAL OUTAGE<|PARTIAL OUTAGE/);
    assert.match(top, /2 impacted: API/);
    assert.equal(top.split('sent to phone: Database down').length, 2);
    const page = sources.find(({ name }) => name === 'page')?.text ?? '';
    assert.match(page, /Database, API and Shop are down/);
  });

  it('are small, and hold nothing that is run or loaded', () => {
    for (const { name, extension, text } of sources) {
      if (extension !== 'svg') continue;
      assert.ok(text.length < 40_000, name);
      assert.doesNotMatch(text, /<script|<image|href=|@import|url\(/);
    }
    for (const { name } of sources)
      assert.ok(readFileSync(new URL(`${name}.png`, docs)).length < 200_000, name);
  });
});
