import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, type TypedOptions } from '../../../src/commands/check/options.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';

const nothing: TypedOptions = {
  ids: [],
  groups: [],
  format: undefined,
  failOn: undefined,
  concurrency: undefined,
  configFile: undefined,
  isConfigOnly: false,
  isStrict: false,
  isJson: false,
  isQuiet: false,
  isColourRefused: false,
};

const read = (typed: Partial<TypedOptions>) => readOptions({ ...nothing, ...typed });

function refusal(typed: Partial<TypedOptions>): StatusdError {
  try {
    read(typed);
  } catch (error) {
    if (error instanceof StatusdError) return error;
  }
  throw new Error('nothing was refused');
}

test('the defaults are human, down and 64 at once', () => {
  const { format, failOn, concurrency, configFile } = read({});
  assert.deepEqual([format, failOn, concurrency, configFile], ['human', 'down', 64, null]);
});

test('--json is --format json, and may stand beside it but beside no other', () => {
  assert.equal(read({ isJson: true }).format, 'json');
  assert.equal(read({ isJson: true, format: 'json' }).format, 'json');
  assert.equal(refusal({ isJson: true, format: 'ndjson' }).code, 'usage');
});

test('a misspelt word is refused with the nearest that there is', () => {
  assert.equal(refusal({ format: 'junti' }).hint, 'Did you mean junit?');
  assert.equal(refusal({ failOn: 'nevr' }).hint, 'Did you mean never?');
  assert.equal(refusal({ format: '' }).hint, null);
});

test('--concurrency is a whole number from 1 to 1000', () => {
  assert.deepEqual(
    ['1', '64', '1000'].map((concurrency) => read({ concurrency }).concurrency),
    [1, 64, 1000],
  );
  for (const concurrency of ['0', '1001', '-1', '1.5', '1e2', '0x10', '', ' 5', '99999999999']) {
    assert.equal(refusal({ concurrency }).code, 'usage', concurrency);
  }
});
