import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectMonitors } from '../../../src/engine/operations/select-monitors.ts';
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
  const { code, message, hint } = refusal([], ['public']);
  assert.deepEqual(
    [code, message, hint],
    ['not_found', "there is no group 'public'", 'Did you mean Public?'],
  );
});

test('a hostile word cannot act on the terminal', () => {
  assert.equal(refusal(['\u001b[31mx\u0007']).message, "there is no monitor 'x\\x07'");
});
