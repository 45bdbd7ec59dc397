import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wantedFrom } from '../../../src/commands/init/target.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';

describe('wantedFrom', () => {
  const good: [argument: string, host: string, ...questions: string[]][] = [
    ['https://example.com', 'example.com', 'http https://example.com/'],
    ['HTTP://Example.com/a?b=c#d', 'example.com', 'http http://example.com/a?b=c'],
    ['https://bücher.example', 'xn--bcher-kva.example', 'http https://xn--bcher-kva.example/'],
    ['example.com', 'example.com', 'http https://example.com/', 'http http://example.com/'],
    [
      'example.com/health',
      'example.com',
      'http https://example.com/health',
      'http http://example.com/health',
    ],
    ['localhost:8080/x', 'localhost', 'http https://localhost:8080/x', 'http http://localhost:8080/x'],
    ['192.0.2.1', '192.0.2.1', 'http https://192.0.2.1/', 'http http://192.0.2.1/'],
    ['2001:db8::1', '2001:db8::1', 'http https://[2001:db8::1]/', 'http http://[2001:db8::1]/'],
    ['example.com:5432', 'example.com', 'tcp example.com:5432'],
    ['[2001:db8::1]:22', '2001:db8::1', 'tcp [2001:db8::1]:22'],
    ['tcp://example.com:25', 'example.com', 'tcp example.com:25'],
    ['tcp://example.com:25/', 'example.com', 'tcp example.com:25'],
    ['icmp://192.0.2.1', '192.0.2.1', 'icmp 192.0.2.1'],
    ['ping://[2001:db8::1]', '2001:db8::1', 'icmp 2001:db8::1'],
    ['dns://example.com', 'example.com', 'dns example.com'],
  ];
  for (const [argument, host, ...questions] of good) {
    it(`reads ${argument}`, () => {
      const wanted = wantedFrom(argument);
      assert.equal(wanted.host, host);
      assert.deepEqual(
        wanted.questions.map(({ kind, target }) => `${kind} ${target}`),
        questions,
      );
    });
  }

  const bad: [argument: string, message: RegExp][] = [
    ['', /an empty argument is no target/],
    ['  ', /an empty argument is no target/],
    ['a b', /holds blanks or control codes/],
    ['exa\u0007mple.com', /holds blanks or control codes/],
    ['ftp://example.com', /has a scheme that statusd cannot probe/],
    ['postgres://example.com:5432', /has a scheme that statusd cannot probe/],
    ['tcp://example.com', /names no host and port/],
    ['tcp://example.com:0', /names no host and port/],
    ['tcp://example.com:99999', /names no host and port/],
    ['example.com:99999', /is no URL/],
    ['icmp://-f', /names no host/],
    ['dns://', /names no host/],
    ['https://', /is no URL/],
    ['-', /names no host|is no URL/],
    ['https://-example.com', /names no host/],
    ['https://user@example.com', /the URL of example.com holds a user or a password/],
    ['https://user:hunter2@example.com', /the URL of example.com holds a user or a password/],
    ['user:hunter2@example.com/', /the URL of example.com holds a user or a password/],
    ['\u001b]0;x\u0007', /holds blanks or control codes/],
  ];
  for (const [argument, message] of bad) {
    it(`refuses ${JSON.stringify(argument)} and says what a target is`, () => {
      assert.throws(
        () => wantedFrom(argument),
        (error) => {
          assert.ok(error instanceof StatusdError);
          assert.equal(error.code, 'usage');
          assert.match(error.message, message);
          assert.ok(error.hint);

          assert.doesNotMatch(error.message + error.hint, /[\u0000-\u001f\u007f-\u009f]|hunter2/);
          return true;
        },
      );
    });
  }
});
