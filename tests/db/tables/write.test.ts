import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FieldError, instant, list, optional, orNull, text, whole } from '../../../src/db/tables/fields.ts';
import { declareWrite } from '../../../src/db/tables/write.ts';
import type { Json } from '../../../src/db/store/operation.ts';
import { DamagedBytesError } from '../../../src/db/samples/bytes.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { dump, openFacts } from '../../support/facts.ts';
import { checkProperty } from '../../support/property.ts';

const greet = declareWrite(
  'greet',
  { name: text(5), times: optional(whole(1, 9), 1), note: optional(orNull(text(9)), null) },
  (_sql, { name, times, note }) => [name, times, note],
);

describe('a declared operation', () => {
  it('is positional in the log, without the optional arguments at its end', async () => {
    assert.deepEqual(greet({ name: 'Ada', times: 1, note: null }), ['greet', 'Ada']);
    assert.deepEqual(greet({ name: 'Ada', times: 2, note: null }), ['greet', 'Ada', 2]);
    assert.deepEqual(greet({ name: 'Ada', times: 1, note: 'x' }), ['greet', 'Ada', 1, 'x']);
    const { sql } = await openFacts();
    assert.deepEqual(greet.row.apply(sql, ['Ada']), ['Ada', 1, null]);
    assert.deepEqual(greet.row.apply(sql, ['Ada', 3, 'x']), ['Ada', 3, 'x']);
  });

  it('refuses a value that does not fit before it is written, naming the field', () => {
    assert.throws(() => greet({ name: 'Ada', times: 10, note: null }), {
      name: 'FieldError',
      message: 'greet: times: expected a whole number from 1 to 9, found number',
    });
    assert.throws(() => greet({ name: 'Ada', times: NaN, note: null }), FieldError);
  });

  it('refuses a record with missing, wrong or unknown arguments', async () => {
    const { sql } = await openFacts();
    assert.throws(() => greet.row.apply(sql, []), /greet: name: expected a text, found nothing/);
    assert.throws(() => greet.row.apply(sql, [['Ada']]), /found a list/);
    assert.throws(() => greet.row.apply(sql, ['Ada', 1, null, true]), /4 arguments, this version knows 3/);
  });

  it('cuts text on a character and keeps what SQLite and UTF-8 cannot hold out of it', () => {
    assert.deepEqual(greet({ name: '1234😀', times: 1, note: null }), ['greet', '1234']);
    assert.deepEqual(greet({ name: 'a\0b\ud800c', times: 1, note: null }), ['greet', 'a\ufffdb\ufffdc']);
  });
});

describe('fields', () => {
  it('bound lists and instants', () => {
    assert.throws(() => list(text(3), 2)(['a', 'b', 'c']), FieldError);
    assert.throws(() => instant(-1), FieldError);
    assert.throws(() => instant(1.5), FieldError);
    assert.throws(() => instant('1'), FieldError);
  });
});

/** Arguments as a record of another version, or of nobody, might hold them. */
const plausible: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    'api',
    'up',
    'daily',
    'incidents',
    'info',
    'critical',
    'AQAA',
    null,
    true,
    false,
    0,
    1,
    490_000,
  ),
  fc.integer({ min: 0, max: 2_000_000_000_000 }),
  fc.constantFrom<Json>(
    [],
    ['api'],
    [['a', 'b']],
    {},
    { statusLine: 'HTTP/1.1 500', headers: [], body: 'x' },
  ),
  fc.jsonValue().map((value) => value as Json),
);

describe('every operation of the schema', () => {
  for (const row of schema.operations) {
    it(`${row.name}: takes any arguments without harm, or refuses them whole`, async () => {
      const { sql } = await openFacts();
      let before = dump(sql);
      let refused = 0;
      checkProperty(
        fc.property(fc.array(plausible, { maxLength: 12 }), (args) => {
          try {
            sql.transaction(() => row.apply(sql, args));
            before = dump(sql);
          } catch (error) {
            assert.ok(error instanceof FieldError || error instanceof DamagedBytesError, String(error));
            assert.equal(dump(sql), before);
            refused += 1;
          }
        }),
        25,
      );
      assert.ok(refused > 0);
      sql.close();
    });
  }

  it('maintenance.add: is refused whole when a damaged record has no uid', async () => {
    const { sql } = await openFacts();
    const row = schema.operations.find(({ name }) => name === 'maintenance.add');
    assert.throws(() => row?.apply(sql, ['Upgrade', [], 0, 1, 0]), FieldError);
    sql.close();
  });
});
