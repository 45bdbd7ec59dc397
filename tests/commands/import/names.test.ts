import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createIds, createNames, slug } from '../../../src/commands/import/names.ts';
import { checkProperty } from '../../support/property.ts';

describe('slug', () => {
  it('writes other alphabets as people do', () => {
    assert.equal(slug('Müller & Söhne'), 'muller-sohne');
    assert.equal(slug('Straße Łódź Ærø'), 'strasse-lodz-aero');
    assert.equal(slug('Главная страница'), 'glavnaya-stranitsa');
    assert.equal(slug('Αθήνα'), 'athina');
    assert.equal(slug('状態 ⚙'), '');
  });
});

describe('createIds', () => {
  it('answers ids that are unique and valid, whatever the names', () => {
    checkProperty(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 30 }), (names) => {
        const next = createIds();
        const ids = [...names, ...names].map((name, index) => next(name, `monitor-${index % 3}`));
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
      }),
      200,
    );
  });

  it('numbers what has no letter, and what is taken', () => {
    const next = createIds();
    assert.deepEqual([next('A', 'm-1'), next('a', 'm-2'), next('状態', 'm-3')], ['a', 'a-2', 'm-3']);
    assert.equal(next('x'.repeat(80), ''), 'x'.repeat(64));
    assert.equal(next('x'.repeat(70), ''), `${'x'.repeat(58)}-2`);
  });
});

describe('createNames', () => {
  it('makes one printable line of each name, each different', () => {
    const next = createNames();
    assert.equal(next('a\n\u001b[31mb\u202e', ''), 'a b');
    assert.equal(next('a b', ''), 'a b (2)');
    assert.equal(next(' \t', 'monitor 3'), 'monitor 3');
    assert.ok(next('x'.repeat(500), '').length <= 200);
  });
});
