import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listed } from '../../../src/notify/wording/wording.ts';

describe('a list of names', () => {
  it('says how many more there are', () => {
    assert.equal(listed(['API', 'Shop'], 2), 'API and Shop');
    assert.equal(listed(['API', 'Shop', 'Cart'], 2), 'API, Shop and 1 other');
    assert.equal(listed(['API', 'Shop', 'Cart', 'Blog'], 2), 'API, Shop and 2 others');
    const many = Array.from({ length: 2002 }, () => 'x');
    assert.equal(listed(many, 2), 'x, x and 2,000 others');
  });
});
