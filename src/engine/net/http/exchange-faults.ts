/** Describes a failed exchange in the same words, whichever code read the answer. */
import { type NetFault, faultOf, printable } from '../faults.ts';
import { maxHeaderBytes } from './request.ts';

/** How undici says the same as what is read here. */
export const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
export const anotherLength = Object.assign(new Error(), { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' });
export const noLastChunk = Object.assign(new Error('(Invalid EOF state)'), { name: 'HTTPParserError' });

interface Flood {
  readonly peer: string;
  readonly maxBytes: number;
  readonly hasHead: boolean;
}

/** Of who sends much and little of it body. */
export function floodFault({ peer, maxBytes, hasHead }: Flood): NetFault {
  const what = hasHead ? ', hardly any of it body' : ' without an answer';
  const message = `${peer} sends more than ${Math.round(maxBytes / 1024)} KiB${what}`;
  return { outcome: 'failed', category: 'protocol', message };
}

/** The parser knows other protocols, too. */
const noStatusLine = 'Expected HTTP/, RTSP/ or ICE/';

/**
 * Whether an answer came that undici cannot read. undici asserts what its parser lets through, such as a status below 100,
 * and takes two lengths for one: those of `2` and `2` for 22.
 */
export function isUnreadable({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'HTTPParserError' || code === 'ERR_ASSERTION' || code === anotherLength.code;
}

/** What an exchange that failed says of the other side. */
export function faultOfExchange(error: NodeJS.ErrnoException, peer: string, hasHead: boolean): NetFault {
  const when = hasHead ? 'before the answer was complete' : 'without an answer';
  const failed = (category: NetFault['category'], message: string): NetFault => ({
    outcome: 'failed',
    category,
    message,
  });
  const { code, message } = error;
  if (code === 'UND_ERR_SOCKET') {
    if (message === 'bad upgrade') return failed('protocol', `${peer} switches to another protocol unasked`);
    return failed('connection', `connection closed by ${peer} ${when}`);
  }
  if (code === 'ECONNRESET') return failed('connection', `connection reset by ${peer} ${when}`);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return failed('protocol', `${peer} sends more than ${maxHeaderBytes / 1024} KiB of headers`);
  }
  // undici asserts what its parser lets through, such as a status below 100.
  if (code === 'ERR_ASSERTION') return failed('protocol', `${peer} does not answer in HTTP/1.1`);
  if (error.name === 'HTTPParserError') {
    const detail = (/\((.+)\)$/.exec(message)?.[1] ?? message).replace(noStatusLine, 'no status line');
    return failed('protocol', `${peer} does not answer in HTTP/1.1: ${printable(detail)}`);
  }
  return faultOf(error, peer);
}
