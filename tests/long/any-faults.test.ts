import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyFault, liveWithFaults } from '../faults/any-faults.ts';
import { printedSeed } from '../support/random.ts';

const lives = 60;

describe('a daemon and commands on a disk that fails every now and then', () => {
  const seed = printedSeed();
  const mixes: readonly (readonly AnyFault[])[] = [
    [],
    ['hang'],
    ['short', 'full'],
    ['hang', 'short', 'full'],
  ];

  for (const faults of mixes) {
    it(`(${faults.join(', ') || 'nothing'}) keeps what it acknowledged, once, and has in memory what is in the files`, async () => {
      for (let life = 0; life < lives; life += 1)
        assert.deepEqual(await liveWithFaults({ seed: seed + life, faults }), [], `seed ${seed + life}`);
    });
  }

  it('and would be caught losing something', async () => {
    const wrongs = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((life) =>
        liveWithFaults({ seed: seed + life, faults: ['short', 'full'], isAckedAnyway: true }),
      ),
    );
    assert.match(wrongs.flat().join('\n'), /is there 0 times in memory/);
  });
});
