import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../src/engine/core/nearest.ts';
import { printedSeed, randomOf } from '../../support/random.ts';

const known = ['interval_secs', 'timeout_secs', 'target', 'tags', 'id', 'public', 'public_error_detail'];

describe('the nearest known word', () => {
  const cases: readonly (readonly [word: string, found: string | null])[] = [
    ['target', 'target'],
    ['traget', 'target'],
    ['tagret', 'target'],
    ['intervl_secs', 'interval_secs'],
    ['interval_sec', 'interval_secs'],
    ['intervalsecs', 'interval_secs'],
    ['interval', 'interval_secs'],
    ['timeout', 'timeout_secs'],
    ['Target', 'target'],
    ['publi', 'public'],
    ['ie', 'id'],
    ['xy', null],
    ['colour', null],
    ['', null],
    ['i', 'id'],
    ['t'.repeat(100_000), null],
  ];
  for (const [word, found] of cases) {
    it(`to ${word.slice(0, 20) || 'nothing'} is ${String(found)}`, () => {
      assert.equal(nearest(word, known), found);
    });
  }

  it('of two that are equally near is the first', () => {
    assert.equal(nearest('cat', ['bat', 'hat']), 'bat');
    assert.equal(nearest('cat', ['hat', 'bat']), 'hat');
  });

  it('is near by the fewest insertions, deletions, replacements and swaps, in 2,000 random cases', () => {
    const random = randomOf(printedSeed());
    const wordOf = () => Array.from({ length: 1 + random.below(7) }, () => 'abc'[random.below(3)]).join('');
    let suggested = 0;
    for (let round = 0; round < 2000; round += 1) {
      const [word, other] = [wordOf(), wordOf()];
      const limit = Math.max(1, Math.floor(Math.max(word.length, other.length) / 3));
      const isNear = editsBetween(word, other) <= limit;
      if (isNear) suggested += 1;
      assert.equal(nearest(word, [other]), isNear ? other : null, `${word} ${other}`);
    }
    assert.ok(suggested > 100 && suggested < 1900, `${suggested} were near`);
  });

  it('is the nearer one, wherever it stands', () => {
    assert.equal(nearest('target', ['tarxxt', 'tarxet']), 'tarxet');
    assert.equal(nearest('target', ['tarxet', 'tarxxt']), 'tarxet');
  });

  it('is one that it begins, from three letters on', () => {
    assert.equal(nearest('time', ['time_to_first_byte']), 'time_to_first_byte');
    assert.equal(nearest('tim', ['time_to_first_byte']), null);
    assert.equal(nearest('ip', ['ip_version_of_all']), null);
    assert.equal(nearest('ips', ['ips_version_of_all']), 'ips_version_of_all');
  });

  it('is null among none', () => {
    assert.equal(nearest('a', []), null);
  });
});

/** By the definition: from the ends of both words, whichever step is best. */
function editsBetween(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [shortA, shortB] = [a.slice(0, -1), b.slice(0, -1)];
  const steps = [
    editsBetween(shortA, b) + 1,
    editsBetween(a, shortB) + 1,
    editsBetween(shortA, shortB) + (a.at(-1) === b.at(-1) ? 0 : 1),
  ];
  const isSwapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  if (isSwapped) steps.push(editsBetween(a.slice(0, -2), b.slice(0, -2)) + 1);
  return Math.min(...steps);
}
