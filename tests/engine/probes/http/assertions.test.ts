import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileAssertions, type Expected } from '../../../../src/engine/probes/http/assertions.ts';
import type { BodyText } from '../../../../src/engine/net/http/decode.ts';

const nothing: Expected = {
  expected_status: null,
  keyword: null,
  keyword_invert: false,
  json_query: null,
  json_expected: null,
  number_regex: null,
  number_min: null,
  number_max: null,
};

interface Seen {
  readonly body?: string | BodyText;
  readonly status?: [code: number, text: string];
  readonly redact?: (text: string) => string;
}

/** `met`, or the category and the sentence. */
async function verdict(
  expected: Partial<Expected>,
  { body = '', status = [200, 'OK'], redact }: Seen,
): Promise<string> {
  const judge = await compileAssertions({ ...nothing, ...expected });
  const [statusCode, statusText] = status;
  const { reason, assertions } = judge({
    head: { statusCode, statusText, headers: [] },
    body: typeof body === 'string' ? { kind: 'text', text: body, isCut: false } : body,
    redact: redact ?? ((text) => text),
  });
  assert.equal(
    reason === null,
    assertions.every(({ isMet }) => isMet),
  );
  return reason === null ? 'met' : `${reason.category}: ${reason.message}`;
}

async function table(rows: readonly (readonly [Partial<Expected>, Seen, string])[]): Promise<void> {
  for (const [expected, seen, notified] of rows) {
    assert.equal(await verdict(expected, seen), notified, JSON.stringify([expected, seen]).slice(0, 200));
  }
}

describe('an assertion', () => {
  it('about the status takes codes and ranges', () =>
    table([
      [{}, { status: [299, 'Odd'] }, 'met'],
      [{}, { status: [300, 'Multiple Choices'] }, 'status: status 300 Multiple Choices, expected 2xx'],
      [{}, { status: [199, ''] }, 'status: status 199, expected 2xx'],
      [{ expected_status: [{ from: 401, to: 403 }] }, { status: [403, 'No'] }, 'met'],
      [
        { expected_status: [{ from: 401, to: 403 }] },
        { status: [200, 'OK'] },
        'status: status 200 OK, expected 401-403',
      ],
    ]));

  it('about the status shows no control code of the target', async () => {
    assert.doesNotMatch(await verdict({}, { status: [500, 'a\u001b[31mb\u0007'] }), /[\u0000-\u001f]/);
  });

  it('about a keyword looks for it as it is written', () =>
    table([
      [{ keyword: 'OK.' }, { body: 'all OK.' }, 'met'],
      [
        { keyword: 'OK.' },
        { body: 'all ok!' },
        'content: keyword: expected "OK." in the body, got a body without it',
      ],
      [{ keyword: 'error', keyword_invert: true }, { body: 'fine' }, 'met'],
      [
        { keyword: 'error', keyword_invert: true },
        { body: 'an error' },
        'content: keyword: expected no "error" in the body, got a body with it',
      ],
      [
        { keyword: 'x' },
        { body: { kind: 'unreadable', why: 'is encoded as zstd' } },
        'content: keyword: expected "x" in the body, got a body that is encoded as zstd',
      ],
    ]));

  it('about JSON without an expected value wants something that is neither false nor null', () =>
    table([
      [{ json_query: '$.a' }, { body: '{"a":"x"}' }, 'met'],
      [{ json_query: '$.a' }, { body: '{"a":0}' }, 'met'],
      [{ json_query: '$.a' }, { body: '{"a":""}' }, 'met'],
      [{ json_query: '$.a' }, { body: '{"a":[]}' }, 'met'],
      [
        { json_query: '$.a' },
        { body: '{"a":false}' },
        'content: json_query: expected $.a to find something, got false',
      ],
      [
        { json_query: '$.a' },
        { body: '{"a":null}' },
        'content: json_query: expected $.a to find something, got null',
      ],
      [
        { json_query: '$.a' },
        { body: '{}' },
        'content: json_query: expected $.a to find something, got nothing',
      ],
      [{ json_query: '$.*' }, { body: '[false,1]' }, 'met'],
      [
        { json_query: '$.a' },
        { body: '<p>' },
        'content: json_query: expected $.a to find something, got a body that is not JSON',
      ],
      [
        { json_query: '$.a' },
        { body: '' },
        'content: json_query: expected $.a to find something, got a body that is not JSON',
      ],
    ]));

  it('about JSON with an expected value wants every value to be it', () =>
    table([
      [{ json_query: '$.a', json_expected: 'ok' }, { body: '{"a":"ok"}' }, 'met'],
      [{ json_query: '$.a', json_expected: 5 }, { body: '{"a":5.0}' }, 'met'],
      [{ json_query: '$.a', json_expected: 5 }, { body: '{"a":"5"}' }, 'met'],
      [{ json_query: '$.a', json_expected: '5' }, { body: '{"a":5}' }, 'met'],
      [{ json_query: '$.a', json_expected: true }, { body: '{"a":true}' }, 'met'],
      [{ json_query: '$.a', json_expected: 'true' }, { body: '{"a":true}' }, 'met'],
      [{ json_query: '$.a', json_expected: false }, { body: '{"a":false}' }, 'met'],
      [{ json_query: '$.a', json_expected: 'null' }, { body: '{"a":null}' }, 'met'],
      [
        { json_query: '$.a', json_expected: 'ok' },
        { body: '{"a":"OK"}' },
        'content: json_query: expected $.a to be "ok", got "OK"',
      ],
      [
        { json_query: '$.a', json_expected: 1 },
        { body: '{"a":[1]}' },
        'content: json_query: expected $.a to be 1, got an array of 1',
      ],
      [
        { json_query: '$.a', json_expected: 1 },
        { body: '{"a":{}}' },
        'content: json_query: expected $.a to be 1, got an object',
      ],
      [
        { json_query: '$.a', json_expected: 1 },
        { body: '{}' },
        'content: json_query: expected $.a to be 1, got nothing',
      ],
      [{ json_query: '$[*].s', json_expected: 'up' }, { body: '[{"s":"up"},{"s":"up"}]' }, 'met'],
      [
        { json_query: '$[*].s', json_expected: 'up' },
        { body: '[{"s":"up"},{"s":"down"}]' },
        'content: json_query: expected $[*].s to be "up", got "down"',
      ],
    ]));

  it('about a number takes the first group, else the match, within bounds that count', () =>
    table([
      [{ number_regex: 'load: ([0-9.]+)', number_max: 4.5 }, { body: 'load: 4.5' }, 'met'],
      [{ number_regex: '-?\\d+', number_min: -3 }, { body: 'at -3 C' }, 'met'],
      [
        { number_regex: '\\d+', number_min: 2, number_max: 3 },
        { body: '4' },
        'content: number_regex: expected a number from 2 to 3, got 4',
      ],
      [
        { number_regex: '\\d+', number_min: 2 },
        { body: '1' },
        'content: number_regex: expected a number of at least 2, got 1',
      ],
      [
        { number_regex: '\\S+e\\d', number_max: 1 },
        { body: '1e3' },
        'content: number_regex: expected a number of at most 1, got 1000',
      ],
      [
        { number_regex: '\\d+' },
        { body: 'none' },
        'content: number_regex: expected a number, got none in the body',
      ],
      [{ number_regex: '\\w+' }, { body: '0x10' }, 'content: number_regex: expected a number, got "0x10"'],
      [{ number_regex: 'x*' }, { body: '' }, 'content: number_regex: expected a number, got ""'],
    ]));

  it('about a number looks at the first 64 KiB', async () => {
    const body = `${' '.repeat(65_535)}12`;
    assert.equal(
      await verdict({ number_regex: '\\d+', number_max: 1 }, { body }),
      'met',
      'the 2 is out of sight',
    );
    assert.equal(
      await verdict({ number_regex: '\\d+' }, { body: ` ${body}`.replace('12', '34') }),
      'content: number_regex: expected a number, got none in the first 64 KiB of the body',
    );
  });

  it('masks what it quotes of a body before it cuts it', async () => {
    const redact = (text: string) => text.replaceAll('x'.repeat(500), '***');
    const notified = await verdict(
      { json_query: '$.a', json_expected: 'ok' },
      { body: JSON.stringify({ a: 'x'.repeat(500) }), redact },
    );
    assert.equal(notified, 'content: json_query: expected $.a to be "ok", got "***"');
    const status = await verdict({}, { status: [500, 'x'.repeat(500)], redact });
    assert.equal(status, 'status: status 500 ***, expected 2xx');
  });

  it('is absent where nothing is expected', async () => {
    const judge = await compileAssertions(nothing);
    const { assertions } = judge({
      head: { statusCode: 200, statusText: 'OK', headers: [] },
      body: { kind: 'unreadable', why: 'is encoded as zstd' },
      redact: (text) => text,
    });
    assert.deepEqual(assertions, [
      { key: 'expected_status', isMet: true, expected: '2xx', actual: '200 OK' },
    ]);
  });
});
