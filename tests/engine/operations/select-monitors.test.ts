import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { oneMonitorNamed, selectMonitors } from '../../../src/engine/operations/select-monitors.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';

const monitors = [
  { id: 'website', group: 'Public' },
  { id: 'api', group: 'Public' },
  { id: 'database', group: 'Private' },
  { id: 'backup', group: null },
];

const select = (ids: string[], groups: string[] = []) =>
  selectMonitors(monitors, { ids, groups }).map(({ id }) => id);

function refusal(ids: string[], groups: string[] = []): StatusdError {
  try {
    select(ids, groups);
  } catch (error) {
    if (error instanceof StatusdError) return error;
  }
  throw new Error('nothing was refused');
}

test('nothing named is everything', () => {
  assert.deepEqual(select([]), ['website', 'api', 'database', 'backup']);
});

test('ids and groups add up, once each, in the order of the configuration', () => {
  assert.deepEqual(select(['backup', 'api', 'api'], ['Private']), ['api', 'database', 'backup']);
});

test('an unknown id is not found, and the nearest is named', () => {
  const { code, message, hint } = refusal(['api', 'websiet']);
  assert.deepEqual(
    [code, message, hint],
    ['not_found', "there is no monitor 'websiet'", 'Did you mean website?'],
  );
});

test('an unknown id near to none gets the list', () => {
  assert.equal(refusal(['zzzzzz']).hint, 'There are: website, api, database, backup.');
});

test('an unknown group is not found', () => {
  const { code, message, hint } = refusal([], ['publik']);
  assert.deepEqual(
    [code, message, hint],
    ['not_found', "there is no group 'publik'", 'Did you mean Public?'],
  );
});

describe('a monitor', () => {
  const named = [
    { id: 'shop', name: 'Web Shop', group: 'Public' },
    { id: 'Public', name: 'The page', group: 'Public' },
    { id: 'blog', name: 'Shop', group: 'Public' },
    { id: 'eu', name: 'Website', group: 'Regions' },
    { id: 'us', name: 'website', group: 'Regions' },
    { id: 'mitte', name: 'Berlin, Mitte', group: 'regions' },
    { id: 'node-b', name: 'Paris', group: null, alias: 'b' },
    { id: 'street', name: 'Straße', group: null },
  ];
  const found = (...ids: readonly string[]) => selectMonitors(named, { ids, groups: [] }).map(({ id }) => id);
  const fault = (word: string): readonly (string | null)[] => {
    try {
      oneMonitorNamed(named, word);
    } catch (error) {
      if (error instanceof StatusdError) return [error.code, error.message, error.hint];
    }
    throw new Error('nothing was refused');
  };

  it('is named by its id before a name, and by its name before a group', () => {
    assert.deepEqual(found('shop'), ['shop']);
    assert.deepEqual(found('Web Shop'), ['shop']);
    assert.deepEqual(found('Shop'), ['blog']);
    assert.deepEqual(found('Public'), ['Public']);
    assert.deepEqual(found('Regions'), ['eu', 'us']);
    assert.deepEqual(found('b', 'paris'), ['node-b']);
  });

  it('is found in other letters only where nothing is written so', () => {
    assert.deepEqual(found('web shop'), ['shop']);
    assert.deepEqual(found('SHOP'), ['shop']);
    assert.deepEqual(found('STRASSE'), ['street']);
    assert.deepEqual(found('website'), ['us']);
    assert.deepEqual(found('Website'), ['eu']);
  });

  it('may have a comma in its name, and several may stand between commas', () => {
    assert.deepEqual(found('Berlin, Mitte'), ['mitte']);
    assert.deepEqual(found('eu, web shop'), ['shop', 'eu']);
  });

  it('is not guessed: a name of several is refused with the candidates', () => {
    assert.deepEqual(fault('WEBSITE'), [
      'usage',
      "'WEBSITE' names 2 monitors",
      'Name one by its id: eu, us.',
    ]);
    assert.deepEqual(fault('Regions'), [
      'usage',
      "'Regions' is a group of 2 monitors",
      'Name one of them: eu, us.',
    ]);
    assert.deepEqual(fault('REGIONS'), [
      'usage',
      "'REGIONS' names 2 groups",
      'Write one as the configuration does: Regions or regions.',
    ]);
    assert.equal(oneMonitorNamed(named, 'nothing'), null);
  });
});

test('a hostile word cannot act on the terminal', () => {
  assert.equal(refusal(['\u001b[31mx\u0007']).message, "there is no monitor 'x\\x07'");
});
