import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { UsageError } from 'clipanion';
import { exitCodeOf } from '../../src/commands/exit.ts';
import { reportError } from '../../src/commands/report-error.ts';
import { errorCodes, StatusdError } from '../../src/engine/core/errors.ts';

const report = (error: unknown, flags: { isDebug?: boolean; isInterrupted?: boolean } = {}) => {
  let text = '';
  const stderr = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const code = reportError(error, { stderr, isDebug: false, isInterrupted: false, ...flags });
  return { code, text };
};

describe('tellError', () => {
  it('reports a sentence and a hint, and ends with the code of the error', () => {
    for (const code of errorCodes) {
      assert.deepEqual(report(new StatusdError(code, 'a is b', { hint: 'Make it c.' })), {
        code: exitCodeOf[code],
        text: 'statusd: a is b\n  Make it c.\n',
      });
    }
  });

  it('keeps the lines of a message and of a hint apart', () => {
    const { text } = report(
      new StatusdError('config_invalid', 'two problems\n  one\n  two', { hint: 'a\nb' }),
    );
    assert.equal(text, 'statusd: two problems\n  one\n  two\n  a\n  b\n');
  });

  it('reports what Clipanion refuses as a usage error', () => {
    assert.deepEqual(report(new UsageError('no')), { code: 2, text: 'statusd: no\n' });
  });

  it('says how to install a missing package', async () => {
    const name = 'no-such-package';
    const thrown = await import(name).then(
      () => null,
      (error: unknown) => error,
    );
    const { code, text } = report(thrown);
    assert.equal(code, 1);
    assert.match(text, /^statusd: the installation is incomplete: .*no-such-package.*\n {2}.*`npm ci`.*\n$/);
  });

  it('shows a stack only with --debug', () => {
    for (const error of [new Error('boom'), new StatusdError('usage', 'boom')]) {
      assert.doesNotMatch(report(error).text, /\n {4}at /);
      assert.match(report(error, { isDebug: true }).text, /\n {4}at /);
    }
    assert.equal(report(new Error('boom')).code, 1);
    assert.match(report('thrown text').text, /^statusd: something unexpected went wrong: thrown text\n/);
  });

  it('reports an interrupt, whatever it broke', () => {
    assert.deepEqual(report(new Error('boom'), { isInterrupted: true }), {
      code: 130,
      text: 'statusd: interrupted\n',
    });
  });

  it('lets nothing act on the terminal', () => {
    const evil = '\u001b]0;x\u0007a\u009b2J\u202e\u0008';
    for (const error of [
      new StatusdError('usage', evil, { hint: evil }),
      new UsageError(evil),
      new Error(evil),
      evil,
    ]) {
      for (const isDebug of [true, false]) {
        assert.doesNotMatch(
          report(error, { isDebug }).text,
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
        );
      }
    }
  });
});
