import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  choice,
  flag,
  line,
  optional,
  readParameters,
  required,
  whole,
  withDefault,
} from '../../../src/serve/routes/parameter.ts';
import { boundedText } from '../../../src/engine/core/text.ts';
import { healthz } from '../../../src/serve/routes/healthz.ts';
import { latency } from '../../../src/serve/routes/latency.ts';
import { tableOf } from '../../../src/serve/routes/table.ts';
import { readTarget } from '../../../src/serve/target.ts';

const parameters = {
  hours: withDefault(whole(1, 720), 24, { doc: '' }),
  style: optional(choice(['flat', 'square']), { doc: '' }),
  open: optional(flag, { doc: '' }),
  title: required(line(5), { doc: '' }),
};

const read = (query: string) =>
  readParameters(parameters, {
    path: {},
    query: new URLSearchParams(query),
    redact: (text) => text.replaceAll('secret', '***'),
  });

describe('parameters', () => {
  it('are read as what they are declared to be', () => {
    assert.deepEqual(read('title=hello&hours=3&style=square&open=1'), {
      hours: 3,
      style: 'square',
      open: true,
      title: 'hello',
    });
    assert.deepEqual(read('title=hello&hours=&style='), {
      hours: 24,
      style: null,
      open: null,
      title: 'hello',
    });
    assert.equal(read('title=a&title=b')['title'], 'a');
  });

  it('are masked before they are cut, so that no half of a secret is left', () => {
    assert.equal(read('title=aasecret')['title'], 'aa***');
  });

  it('are refused with their name and what is allowed', () => {
    for (const [query, detail] of [
      ['', 'title is missing in the query: it must be a text.'],
      ['title=a&hours=0', 'hours must be a whole number from 1 to 720.'],
      ['title=a&hours=-1', 'hours must be a whole number from 1 to 720.'],
      ['title=a&hours=0x10', 'hours must be a whole number from 1 to 720.'],
      ['title=a&hours=1e2', 'hours must be a whole number from 1 to 720.'],
      ['title=a&style=round', 'style must be one of flat, square.'],
      ['title=a&open=yes', 'open must be true or false.'],
    ] as const) {
      assert.throws(() => read(query), { status: 400, message: detail });
    }
  });
});

describe('text that is kept', () => {
  it('has no control character, and lines only where it may', () => {
    assert.equal(boundedText(' a\tb\r\nc\u0007\u2028d\u009b ', 100, ' '), 'a b c d');
    assert.equal(boundedText('\u001b[2Ja\u009b31mb', 100, ' '), 'ab');
    assert.equal(boundedText('a\r\n\r\nb\u0000\n', 100, '\n'), 'a\n\nb');
    assert.equal(boundedText('می‌خواهم 👨‍👩‍👧', 100, ' '), 'می‌خواهم 👨‍👩‍👧');
  });
});

describe('a request target', () => {
  it('is split and decoded in origin form and in absolute form', () => {
    for (const [written, segments, query] of [
      ['/', [''], ''],
      ['/api/push/a%20b?x=1', ['api', 'push', 'a b'], 'x=1'],
      ['//', ['', ''], ''],
      ['/a%2Fb', ['a/b'], ''],
      ['http://example.com/healthz?a=b', ['healthz'], 'a=b'],
      ['http://example.com', [''], ''],
      ['http://[::1/x', ['x'], ''],
      ['/healthz#part?no', ['healthz'], ''],
      ['/?q=%zz', [''], 'q=%25zz'],
    ] as const) {
      const target = readTarget(written);
      assert.deepEqual([target.segments, target.query.toString()], [segments, query], written);
    }
  });

  it('is refused when it is no path or decodes to nothing', () => {
    for (const written of ['', '*', 'healthz', 'ftp://a/b', 'example.com:443', '/%', '/%zz', '/%ff']) {
      assert.throws(() => readTarget(written), { status: 400 }, written);
    }
  });
});

describe('the table of routes', () => {
  const find = tableOf([healthz, latency]);

  it('finds a row by its path and hands the parameters out', () => {
    assert.deepEqual(find(['api', 'monitors', '__proto__', 'latency'])?.path, { id: '__proto__' });
    assert.equal(find(['healthz'])?.rows.get('GET'), healthz);
    for (const segments of [[''], ['healthz', ''], ['api', 'monitors', '', 'latency'], ['HEALTHZ']]) {
      assert.equal(find(segments), null);
    }
  });
});
