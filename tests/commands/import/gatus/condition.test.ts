import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeConditions } from '../../../../src/commands/import/gatus/conditions.ts';
import { createSecrets } from '../../../../src/commands/import/variables.ts';
import {
  goDurationMs,
  goInteger,
  goNumber,
  matchesPattern,
  wholeNumber,
} from '../../../../src/commands/import/gatus/condition.ts';
import { createRemarks } from '../../../../src/commands/import/item.ts';
import { compileJsonQuery } from '../../../../src/engine/probes/http/json-query.ts';

/** Whether the settings made of body conditions hold for a document, as the http probe judges it. */
const holds = async (conditions: readonly string[], document: unknown) => {
  const remarks = createRemarks();
  const { settings } = judgeConditions(conditions, {
    kind: 'http',
    isFollowing: true,
    isCertificateRead: true,
    secrets: createSecrets('env'),
    remarks,
  });
  assert.deepEqual(
    remarks.list.filter(({ level }) => level === 'dropped'),
    [],
  );
  const values = new Map(settings);
  const query = values.get('json_query');
  assert.ok(typeof query === 'string');
  const reading = (await compileJsonQuery(query))(JSON.stringify(document));
  assert.ok(reading.kind !== 'unreadable');
  const wanted = values.get('json_expected');
  if (typeof wanted !== 'string') return reading.values.some((value) => value !== false && value !== null);
  return reading.values.length > 0 && reading.values.every((value) => String(value) === wanted);
};

const document = {
  status: 'UP',
  name: 'john.doe',
  age: 30,
  ok: false,
  data: [{ id: 1 }, { id: 2 }],
  'user-id': 30,
  empty: '',
};

describe('conditions on the body', () => {
  it('hold and fail where they did for Gatus', async () => {
    const table: readonly (readonly [condition: string, isMet: boolean])[] = [
      ['[BODY].status == UP', true],
      ['[BODY].status == DOWN', false],
      ['[BODY].missing == UP', false],
      ['[BODY].age == 30', true],
      ['[BODY].ok == false', true],
      ['[BODY].data[0].id == 1', true],
      ['[BODY].data[1].id != 2', false],
      ['[BODY].missing != 2', true],
      ['[BODY].age == [BODY].user-id', true],
      ['[BODY].age > [BODY].data[0].id', true],
      ['[BODY].age < 30', false],
      ['[BODY].age >= 30', true],
      ['len([BODY].data) < 5', true],
      ['len([BODY].data) == 5', false],
      ['len([BODY].name) == 8', true],
      ['has([BODY].errors) == false', true],
      ['has([BODY].data) == true', true],
      ['has([BODY].data) != true', false],
      ['[BODY].name == pat(john*)', true],
      ['[BODY].name == pat(*doe)', true],
      ['[BODY].name == pat(jane*)', false],
      ['[BODY].name != pat(jane*)', true],
      ['[BODY].age == any(1, 30)', true],
      ['[BODY].status != any(UP, OK)', false],
    ];
    for (const [condition, isMet] of table) {
      assert.equal(await holds([condition], document), isMet, condition);
      assert.equal(
        await holds([condition, '[BODY].status == UP'], document),
        isMet,
        `${condition} and another`,
      );
    }
  });
});

describe('matchesPattern', () => {
  it('takes a star for any text', () => {
    for (const [pattern, text, isMatch] of [
      ['2*', '204', true],
      ['*4', '204', true],
      ['2*4', '24', true],
      ['2*4', '2', false],
      ['*0*', '204', true],
      ['204', '204', true],
      ['20', '204', false],
      ['*44', '4', false],
      ['4*4', '4', false],
      ['?0?', '204', true],
      ['[2-3]04', '204', true],
      ['[^2]04', '204', false],
      ['[204', '204', false],
      ['2\\*', '2*', true],
      ['a/b', 'ab', true],
    ] as const) {
      assert.equal(matchesPattern(pattern, text), isMatch, `${pattern} ${text}`);
    }
  });
});

describe('goDurationMs', () => {
  it('reads what Go writes', () => {
    assert.deepEqual(['1h30m', '1.5h', '500ms', '2us', '0s', '10', 's', '-5s', '1d', ''].map(goDurationMs), [
      5_400_000,
      5_400_000,
      500,
      0.002,
      0,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('numbers of Go', () => {
  it('are read in every base, and in no other way', () => {
    for (const [text, number] of [
      ['42', 42],
      ['+42', 42],
      ['-0x2A', -42],
      ['052', 42],
      ['0o52', 42],
      ['0b101010', 42],
      ['1_000', 1000],
      ['0', 0],
      ['08', null],
      ['1__0', null],
      ['4.2', null],
      ['1e3', null],
      ['', null],
      [' 1', null],
    ] as const) {
      assert.equal(goInteger(text), number, text);
    }
  });

  it('are printed with an exponent from a million on', () => {
    assert.deepEqual([999_999, 1e6, 12345678, 1.7e12, 0.0001, 0.00001, 1.5, 0].map(goNumber), [
      '999999',
      '1e+06',
      '1.2345678e+07',
      '1.7e+12',
      '0.0001',
      '1e-05',
      '1.5',
      '0',
    ]);
  });

  it('are sizes without their fraction, milliseconds for a duration, 0 for any text', () => {
    assert.deepEqual(
      ['1.9', '-1.9', '10s', '1e3', '0x10', 'UP', ''].map(wholeNumber),
      [1, -1, 10_000, 1000, 16, 0, 0],
    );
  });
});
