import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonLine, textLine, type LogStyle } from '../../../src/commands/serve/log-line.ts';
import { paintWith } from '../../../src/commands/terminal/colour.ts';
import { unicodeGlyphs } from '../../../src/commands/terminal/glyphs.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';

const at = new Date(2026, 10, 21, 9, 5, 7).getTime();
const plain: LogStyle = { paint: paintWith(false), glyphs: unicodeGlyphs, isDated: true };

const entry = (over: Partial<LogEntry> = {}): LogEntry => ({
  level: 'info',
  event: 'monitor.checked',
  message: 'web is up',
  ...over,
});

describe('a line for people', () => {
  it('has the local time, a mark for the level and the sentence', () => {
    const lines = (['info', 'warning', 'error'] as const).map((level) =>
      textLine(entry({ level }), at, plain),
    );
    assert.deepEqual(lines, [
      '2026-11-21 09:05:07 · web is up',
      '2026-11-21 09:05:07 ! web is up',
      '2026-11-21 09:05:07 ✗ web is up',
    ]);
  });

  it('leaves the date out on a terminal, and marks good news', () => {
    assert.equal(
      textLine(entry({ event: 'daemon.ready' }), at, { ...plain, isDated: false }),
      '09:05:07 ✓ web is up',
    );
  });

  it('marks a monitor that is down like an error, though nothing is wrong with this process', () => {
    const line = textLine(
      entry({ level: 'warning', event: 'monitor.down', message: 'web is down' }),
      at,
      plain,
    );
    assert.equal(line, '2026-11-21 09:05:07 ✗ web is down');
  });

  it('gives colour to the mark alone', () => {
    const line = textLine(entry({ level: 'error' }), at, { ...plain, paint: paintWith(true) });
    assert.equal(line, '\u001b[2m2026-11-21 09:05:07\u001b[22m \u001b[31m✗\u001b[39m web is up');
  });

  it('lets no control character through', () => {
    const message = 'a\u001b[2Jb\nc\u0007d\u202ee';
    assert.equal(textLine(entry({ message }), at, plain), '2026-11-21 09:05:07 · ab c\\x07de');
  });
});

describe('a line for machines', () => {
  it('is one object with the time in UTC first, and the facts last', () => {
    const line = jsonLine(entry({ fields: { monitor: 'web', latency_ms: 12 } }), at);
    assert.deepEqual(JSON.parse(line), {
      time: new Date(at).toISOString(),
      level: 'info',
      event: 'monitor.checked',
      message: 'web is up',
      monitor: 'web',
      latency_ms: 12,
    });
    assert.match(line, /^\{"time":"2026-/);
  });

  it('stays one line that a terminal cannot be harmed by', () => {
    const line = jsonLine(entry({ message: 'a\u001b[2Jb\nc\u009b\u202e' }), at);
    assert.match(line, /^[ -~]*$/);
    assert.equal((JSON.parse(line) as LogEntry).message, 'a\u001b[2Jb\nc\u009b\u202e');
  });
});
