/** Writes lines to a stream that may be slow, full or closed, without ever waiting for it. */
import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** Takes one line. Never throws. */
export type LineSink = (line: string) => void;

/** What may wait for a reader that does not read; lines beyond that are lost, and counted. */
const maxWaitingBytes = 1024 * 1024;

/** `onLost` words the line that stands in the log where `count` lines are missing. */
export function lineSink(stream: Writable, onLost: (count: number) => string): LineSink {
  const write = isWrittenAtOnce(stream) ? fileWrite(stream.fd) : streamWrite(stream);
  let lost = 0;
  return (line) => {
    if (lost > 0 && write(`${onLost(lost)}\n`)) lost = 0;
    if (lost > 0 || !write(`${line}\n`)) lost += 1;
  };
}

/** Says whether the line was taken. */
type Write = (text: string) => boolean;

/** A stream is dead for good after its first failed write; a full disk gets room again. */
function fileWrite(fd: number): Write {
  return (text) => {
    try {
      return writeSync(fd, text) > 0;
    } catch {
      return false;
    }
  };
}

function streamWrite(stream: Writable): Write {
  return (text) => {
    if (stream.writableLength > maxWaitingBytes) return false;
    stream.write(text);
    return true;
  };
}

/** A file or a device: there is nobody who could be slow to read. */
function isWrittenAtOnce(stream: Writable): stream is Writable & { readonly fd: number } {
  if (!('fd' in stream) || typeof stream.fd !== 'number') return false;
  if ('isTTY' in stream && stream.isTTY === true) return false;
  try {
    const stats = fstatSync(stream.fd);
    return stats.isFile() || stats.isCharacterDevice();
  } catch {
    return false;
  }
}
