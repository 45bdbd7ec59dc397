import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { lineSink } from '../../../src/commands/serve/line-sink.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

const onLost = (count: number) => `${count} lost`;

/** A stream over a file descriptor, as standard output is one. */
function streamOn(fd: number): Writable {
  return Object.assign(new Writable({ write: () => assert.fail('the stream itself is not written') }), {
    fd,
  });
}

describe('a sink', () => {
  it('writes lines to a stream', () => {
    const written: string[] = [];
    const stream = new Writable({
      write: (chunk, _, done) => {
        written.push(String(chunk));
        done();
      },
    });
    const sink = lineSink(stream, onLost);
    sink('one');
    sink('two');
    assert.deepEqual(written, ['one\n', 'two\n']);
  });

  it('keeps at most a mebibyte for a reader that does not read, and says later how much is missing', () => {
    let goOn: () => void = () => undefined;
    const written: string[] = [];
    const stream = new Writable({
      write: (chunk, _, done) => {
        written.push(String(chunk));
        goOn = done;
      },
    });
    const sink = lineSink(stream, onLost);
    const long = 'x'.repeat(600 * 1024);
    for (const line of [long, long, 'a', 'b']) sink(line);
    assert.ok(stream.writableLength < 1.3 * 1024 * 1024);
    goOn();
    goOn();
    sink('c');
    goOn();
    assert.deepEqual(written.slice(2), ['2 lost\n', 'c\n']);
  });

  it('writes to a file at once', () => {
    const fd = openSync(folder.at('log'), 'a');
    lineSink(streamOn(fd), onLost)('one');
    closeSync(fd);
    assert.equal(readFileSync(folder.at('log'), 'utf8'), 'one\n');
  });

  it('survives a file that takes nothing', () => {
    const fd = openSync(folder.at('other'), 'a');
    const sink = lineSink(streamOn(fd), onLost);
    closeSync(fd);
    sink('one');
    sink('two');
  });
});
