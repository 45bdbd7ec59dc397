import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expandTable } from '../../../src/engine/config/expand.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';

const env = { NAME: 'value', EMPTY: '', DOLLAR: '${NAME} $$', 'odd-name': 'x' };

function expand(text: string): unknown {
  return atOnce(expandTable({ text }, env)).table['text'];
}

describe('the environment', () => {
  const cases: readonly (readonly [written: string, expanded: string])[] = [
    ['plain', 'plain'],
    ['${NAME}', 'value'],
    ['a${NAME}b${NAME}c', 'avaluebvaluec'],
    ['${UNSET}', ''],
    ['a${UNSET}b', 'ab'],
    ['${UNSET:-default}', 'default'],
    ['${EMPTY:-default}', 'default'],
    ['${NAME:-default}', 'value'],
    ['${UNSET:-}', ''],
    ['${UNSET:-a b:-c $x}', 'a b:-c $x'],
    ['$$', '$'],
    ['$${NAME}', '${NAME}'],
    ['$$$NAME', '$$NAME'],
    ['$$${NAME}', '$value'],
    ['$.status', '$.status'],
    ['^a$', '^a$'],
    ['$NAME', '$NAME'],
    ['${DOLLAR}', '${NAME} $$'],
    ['${constructor}', ''],
    ['${__proto__}', ''],
  ];
  for (const [written, expanded] of cases) {
    it(`makes ${written} ${expanded === '' ? 'empty' : expanded}`, () => {
      assert.equal(expand(written), expanded);
      assert.deepEqual(
        atOnce(expandTable({ text: written }, env)).findings.filter(({ severity }) => severity === 'error'),
        [],
      );
    });
  }

  for (const written of [
    '${',
    '${}',
    '${NAME',
    '${1}',
    '${odd-name}',
    '${NAME:default}',
    'a ${ NAME }',
    '${A:-${B}}',
  ]) {
    it(`refuses ${written}`, () => {
      const { findings } = atOnce(expandTable({ a: { list: ['', written] } }, env));
      assert.deepEqual(
        findings.map(({ severity, path }) => [severity, path]),
        [['error', ['a', 'list', 1]]],
      );
    });
  }

  it('goes into strings only: keys, numbers, dates stay, and so does the file', () => {
    const at = new Date(0);
    const table = { '${NAME}': 1, a: [true, at, '${NAME}'], b: { c: '${NAME}' } };
    const copy = structuredClone(table);
    assert.deepEqual(atOnce(expandTable(table, env)).table, {
      '${NAME}': 1,
      a: [true, at, 'value'],
      b: { c: 'value' },
    });
    assert.deepEqual(table, copy);
  });

  it('records where each line came from', () => {
    const { contributions } = atOnce(expandTable({ a: ['${NAME}', '${UNSET:-x}'] }, env));
    assert.deepEqual(contributions, [{ path: ['a', 0], text: 'value' }]);
  });

  it('warns of an unset variable inside of a longer text, unless its default says that it may be', () => {
    const paths = atOnce(
      expandTable({ a: 'x ${UNSET}', b: '${UNSET}', c: 'x ${UNSET:-}', d: 'x ${EMPTY}' }, env),
    ).findings.map(({ path, severity }) => [path[0], severity]);
    assert.deepEqual(paths, [
      ['a', 'warning'],
      ['d', 'warning'],
    ]);
  });
});
