import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { countOn, openProgressLine } from '../../../src/commands/terminal/progress.ts';

function drawn({ isTTY, isQuiet, secs }: { isTTY: boolean; isQuiet: boolean; secs: number }): string {
  let text = '';
  let nowMs = 0;
  const stderr = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  Object.assign(stderr, { isTTY });
  const clock = { now: () => 0, monotonic: () => nowMs, sleep: () => Promise.resolve() };
  const line = openProgressLine({ stderr, clock, isQuiet });
  const next = countOn(line, 'replaying', 4);
  for (let done = 1; done <= 4; done++) {
    nowMs += secs * 1000;
    next();
  }
  line.end();
  return text;
}

describe('the progress of long work', () => {
  it('is one line that is drawn in place and taken away', () => {
    const text = drawn({ isTTY: true, isQuiet: false, secs: 0.3 });
    assert.equal(text, '\rreplaying 2/4\u001b[K\rreplaying 3/4\u001b[K\rreplaying 4/4\u001b[K\r\u001b[K');
  });

  it('is nothing for a short run, where it is no terminal, and where it should be quiet', () => {
    assert.equal(drawn({ isTTY: true, isQuiet: false, secs: 0.05 }), '');
    assert.equal(drawn({ isTTY: false, isQuiet: false, secs: 1 }), '');
    assert.equal(drawn({ isTTY: true, isQuiet: true, secs: 1 }), '');
  });
});
