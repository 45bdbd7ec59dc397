import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSmall } from '../../../src/engine/config/size.ts';
import { load } from '../../support/config.ts';

describe('the size of a configuration', () => {
  it('is small up to twenty monitors', async () => {
    const of = async (count: number) => {
      const tables = Array.from(
        { length: count },
        (_, n) => `[[monitors]]\nid = "m${n}"\ntarget = "https://m${n}.test/"\n`,
      );
      return (await load(tables.join(''))).config;
    };
    assert.equal(isSmall(await of(0)), true);
    assert.equal(isSmall(await of(20)), true);
    assert.equal(isSmall(await of(21)), false);
  });
});
