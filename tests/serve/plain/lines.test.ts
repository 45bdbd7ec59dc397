import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type PlainColumn,
  labelled,
  plainCells,
  plainTables,
  spread,
} from '../../../src/serve/plain/lines.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';
import { checkProperty } from '../../support/property.ts';

interface Row {
  readonly name: string;
  readonly value: string;
}

const plainColumns: readonly PlainColumn<Row>[] = [
  { heading: '', text: ({ name }) => name, least: 12 },
  { heading: 'Value', isNumber: true, text: ({ value }) => value },
  { heading: 'Spare', text: () => 'not needed', spare: 1 },
];

const tables = (...given: Parameters<typeof plainTables<Row>>) => atOnce(plainTables(...given));

const text = fc.string({ unit: 'grapheme', maxLength: 120 });

describe('cells', () => {
  it('never exceed the width, whatever is in them', () => {
    checkProperty(
      fc.property(text, text, fc.integer({ min: 20, max: 200 }), (name, value, width) => {
        const lines = [
          ...tables(plainColumns, [{ heading: name, rows: [{ name: value, value: name }] }], width).flat(),
          ...labelled('Label', value, width),
          spread(name, value, width),
        ];
        for (const line of lines) {
          assert.ok(plainCells.measure(line) <= width, JSON.stringify(line));
          assert.doesNotMatch(line, /\p{Cc}/u);
        }
      }),
      500,
    );
  });
});

describe('tables', () => {
  it('align their columns with each other', () => {
    const sections = [
      { heading: 'One', rows: [{ name: '掲示板', value: '1' }] },
      { heading: 'Two', rows: [{ name: 'a longer name', value: '100' }] },
    ];
    assert.deepEqual(tables(plainColumns, sections, 80), [
      ['One            Value  Spare', '掲示板             1  not needed'],
      ['Two            Value  Spare', 'a longer name    100  not needed'],
    ]);
  });

  it('leave out what is optional before they cut', () => {
    const sections = [{ heading: 'One', rows: [{ name: 'a longer name', value: '100' }] }];
    assert.deepEqual(tables(plainColumns, sections, 20), [['One            Value', 'a longer name    100']]);
  });
});
