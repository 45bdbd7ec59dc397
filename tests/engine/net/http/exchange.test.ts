/** Plain answers are read by this program, all others by undici: whoever reads, the answer is the same. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { withDeadline } from '../../../../src/engine/net/deadline.ts';
import { exchange } from '../../../../src/engine/net/http/exchange.ts';
import { PhaseTimes } from '../../../../src/engine/net/http/phase-times.ts';
import { startRaw, type Target } from '../../../support/http-target.ts';
import { realClock } from '../../../support/real-clock.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const wasClosed = 'broken: connection closed by P before the answer was complete';

/** What is sent, and what comes of it; with `|` in it, it is sent in two pieces. */
const answers: readonly (readonly [what: string, sent: string, end: 'closes' | 'waits', said: string])[] = [
  ['a body with a length', `${ok}content-length: 2\r\n\r\nok`, 'waits', '200 OK "ok" complete'],
  ['a body that comes later', `${ok}content-length: 4\r\n\r\nok|ok`, 'waits', '200 OK "okok" complete'],
  ['a head in pieces', 'HTTP/1.1 20|0 OK\r\ncontent-length: 2\r\n\r\nok', 'waits', '200 OK "ok" complete'],
  ['nothing after 204', 'HTTP/1.1 204 No Content\r\n\r\n', 'waits', '204 No Content "" complete'],
  [
    'a length after 304',
    'HTTP/1.1 304 Not Modified\r\ncontent-length: 99\r\n\r\n',
    'waits',
    '304 Not Modified "" complete',
  ],
  [
    'a length after a last 304',
    'HTTP/1.1 304 Not Modified\r\nconnection: close\r\ncontent-length: 99\r\n\r\n',
    'closes',
    '304 Not Modified "" complete',
  ],
  [
    'chunks that 304 announces',
    'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n',
    'waits',
    '304 Not Modified "" complete',
  ],
  [
    'a body after 204',
    'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok',
    'waits',
    '204 No Content "" complete',
  ],
  ['no words', 'HTTP/1.1 404 \r\ncontent-length: 0\r\n\r\n', 'waits', '404  "" complete'],
  ['chunks', `${chunked}2\r\nok\r\n3;x=y\r\nabc\r\n0\r\n\r\n`, 'waits', '200 OK "okabc" complete'],
  ['plain chunks', `${chunked}2\r\nok\r\n3\r\nabc\r\n0\r\n\r\n`, 'waits', '200 OK "okabc" complete'],
  ['chunks in pieces', `${chunked}5\r\nok|abc\r\n0\r\n\r\n`, 'waits', '200 OK "okabc" complete'],
  ['a size in pieces', `${chunked}2\r\nok\r|\n3\r\nabc\r\n0\r\n\r\n`, 'waits', '200 OK "okabc" complete'],
  ['an extension later', `${chunked}2\r\nok\r\n|3;x\r\nabc\r\n0\r\n\r\n`, 'waits', '200 OK "okabc" complete'],
  ['trailers', `${chunked}2\r\nok\r\n0\r\nx: y\r\n\r\n`, 'waits', '200 OK "ok" complete'],
  ['a body to the end', `${ok}\r\nok|ok`, 'closes', '200 OK "okok" complete'],
  [
    'an interim answer',
    `HTTP/1.1 103 E\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
    'waits',
    '200 OK "x" complete',
  ],
  ['a continue', `${goOn}${ok}content-length: 1\r\n\r\nx`, 'waits', '200 OK "x" complete'],
  ['a continue that comes first', `${goOn}|${ok}content-length: 1\r\n\r\nx`, 'waits', '200 OK "x" complete'],
  [
    'a continue in pieces',
    `HTTP/1.1 10|0 Continue\r\nx: y\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
    'waits',
    '200 OK "x" complete',
  ],
  [
    'several interim answers',
    `${goOn}HTTP/1.1 103 E\r\nlink: </a>\r\n\r\n${goOn}${ok}content-length: 1\r\n\r\nx`,
    'waits',
    '200 OK "x" complete',
  ],
  ['a continue and chunks', `${goOn}${chunked}2;x\r\nok\r\n0\r\n\r\n`, 'waits', '200 OK "ok" complete'],
  ['a continue alone', goOn, 'closes', 'connection closed by P without an answer'],
  [
    'a failure after a continue',
    `${goOn}HTTP/1.1 503 \r\ncontent-length: 0\r\n\r\n`,
    'waits',
    '503  "" complete',
  ],
  [
    'a switch of protocols after a continue',
    `${goOn}HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`,
    'waits',
    'P switches to another protocol unasked',
  ],
  ['too much', `${ok}content-length: 99\r\n\r\n${'x'.repeat(99)}`, 'waits', `200 OK "${'x'.repeat(64)}" cut`],
  ['too many chunks', `${chunked}63\r\n${'x'.repeat(99)}`, 'waits', `200 OK "${'x'.repeat(64)}" cut`],
  ['half of a body', `${ok}content-length: 4\r\n\r\nok`, 'closes', `200 OK "ok" ${wasClosed}`],
  [
    'half of a last body',
    `${ok}connection: close\r\ncontent-length: 4\r\n\r\nok`,
    'closes',
    '200 OK "ok" broken: P sent a body of another length than its content-length',
  ],
  ['half of the chunks', `${chunked}5\r\nok`, 'closes', `200 OK "ok" ${wasClosed}`],
  ['no answer', '', 'closes', 'connection closed by P without an answer'],
  ['half of a head', 'HTTP/1.1 20', 'closes', 'connection closed by P without an answer'],
  ['another protocol', 'SSH-2.0-x\r\n', 'closes', 'P does not answer in HTTP/1.1: no status line'],
];

describe('an exchange', () => {
  const open: Target[] = [];
  afterEach(() => Promise.all(open.splice(0).map((target) => target.close())));

  const answerTo = async (talk: (socket: Socket) => void, method: 'GET' | 'POST'): Promise<string> => {
    const target = await startRaw((socket) => {
      socket.once('data', () => {
        talk(socket);
      });
    });
    open.push(target);
    const socket = connect(target.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const body = method === 'GET' ? null : 'question';
    const request = { url: new URL(target.origin), method, headers: [], body } as const;
    const limits = { clock: realClock, timeoutMs: 20_000, signal: new AbortController().signal };
    return withDeadline(limits, (deadline) =>
      exchange(request, {
        link: { socket, peer: 'P', path: '/', headers: [] },
        deadline,
        times: new PhaseTimes(),
        maxBodyBytes: 64,
        wantsBody: () => true,
      }),
    ).then(
      ({ statusCode, statusText, body, end }) => {
        const how = end.kind === 'broken' ? `broken: ${end.fault.message}` : end.kind;
        return `${statusCode} ${statusText} "${body.toString()}" ${how}`;
      },
      (error: unknown) => (error as Error).message,
    );
  };

  for (const [what, sent, end, said] of answers)
    for (const method of ['GET', 'POST'] as const)
      it(`takes in ${what} to a ${method}`, async () => {
        const [first = '', second = ''] = sent.split('|');
        const talk = (socket: Socket) => {
          socket.setNoDelay();
          if (first !== '') socket.write(first, 'latin1');
          const finish = () => {
            if (second !== '') socket.write(second, 'latin1');
            if (end === 'closes') socket.end();
          };
          if (second === '') finish();
          else setTimeout(finish, 20);
        };
        assert.equal(await answerTo(talk, method), said);
      });
});
