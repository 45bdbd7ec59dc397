import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { listMatches, matcherOf } from '../../../src/engine/config/list-matches.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

describe('a pattern of file names', () => {
  const cases: readonly (readonly [pattern: string, matched: string, others: string])[] = [
    ['*.toml', 'a.toml, a.b.toml, é.toml', 'a.toml~, atoml, .a.toml, a.toml.bak'],
    ['?.toml', 'a.toml, é.toml, 😀.toml', 'ab.toml, .toml'],
    ['team-*.toml', 'team-.toml, team-a.toml', 'team.toml'],
    ['.*.toml', '.a.toml', 'a.toml'],
    ['a**b', 'ab, axb', 'abc'],
    ['[a]+(b)*', '[a]+(b)', 'ab, aab'],
  ];
  for (const [pattern, matched, others] of cases) {
    it(`matches what it should: ${pattern}`, () => {
      const isMatch = matcherOf(`/etc/statusd/${pattern}`);
      for (const name of matched.split(', ')) assert.ok(isMatch(name), name);
      for (const name of others.split(', ')) assert.ok(!isMatch(name), name);
    });
  }

  it('finds paths on the disk, sorted, and says where there is no folder', async () => {
    mkdirSync(folder.at('conf.d'));
    for (const name of ['b.toml', 'B.toml', 'a.toml', '.c.toml', 'd.txt'])
      writeFileSync(folder.at(`conf.d/${name}`), '');
    assert.deepEqual(
      await listMatches(folder.at('conf.d/*.toml')),
      ['B', 'a', 'b'].map((name) => folder.at(`conf.d/${name}.toml`)),
    );
    await assert.rejects(listMatches(folder.at('gone/*.toml')), { code: 'ENOENT' });
    await assert.rejects(listMatches(folder.at('conf.d/a.toml/*.toml')), { code: 'ENOTDIR' });
  });
});
