import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { readLogFormat } from '../../../src/commands/serve/log-format.ts';
import { openLog, type LogOptions } from '../../../src/commands/serve/open-log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function logged(wish: Partial<LogOptions>, isTTY: boolean): string {
  let text = '';
  const stdout = Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        text += String(chunk);
        done();
      },
    }),
    { isTTY },
  );
  const log = openLog(
    { format: 'auto', isQuiet: false, isColourRefused: false, ...wish },
    { stdout, env: { LANG: 'C.UTF-8' }, clock: new VirtualClock() },
    (message) => message.replaceAll('hunter2', '***'),
  );
  log({ level: 'info', event: 'a.b', message: 'one hunter2', fields: { detail: 'hunter2', count: 1 } });
  log({ level: 'warning', event: 'a.c', message: 'two' });
  return text;
}

describe('the log', () => {
  it('is text on a terminal and JSON elsewhere', () => {
    assert.match(logged({}, true), /^\S+\d\d:\d\d:\d\d\S+ \S+·\S+ one \*{3}\n/);
    const [first = ''] = logged({}, false).split('\n');
    assert.deepEqual(JSON.parse(first), {
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      event: 'a.b',
      message: 'one ***',
      detail: '***',
      count: 1,
    });
  });

  it('takes the form that was asked for', () => {
    assert.match(logged({ format: 'text' }, false), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · one \*{3}\n/);
    assert.match(logged({ format: 'json' }, true), /^\{"time"/);
  });

  it('prints only problems with --quiet', () => {
    assert.match(logged({ format: 'text', isQuiet: true }, false), /^\S+ \S+ ! two\n$/);
  });
});

describe('--log-format', () => {
  it('is auto, or json with --json', () => {
    assert.equal(readLogFormat(undefined, { isJson: false }), 'auto');
    assert.equal(readLogFormat(undefined, { isJson: true }), 'json');
    assert.equal(readLogFormat('text', { isJson: false }), 'text');
  });

  it('refuses what it does not know', () => {
    assert.throws(() => readLogFormat('xml', { isJson: false }), /--log-format cannot be 'xml'/);
    assert.throws(() => readLogFormat('text', { isJson: true }), /do not go together/);
  });
});
