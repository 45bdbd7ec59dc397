/** Sends one request over one connection in HTTP/2 (RFC 9113), takes in the response. */
import { secondsText } from '../../core/duration.ts';
import { unattended } from '../../core/unattended.ts';
import type * as http2Module from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { type NetFault, faultOf, printable, ProbeFault } from '../faults.ts';
import { BodyCollector, isMostlyBody } from './body.ts';
import type { ExchangeTerms, HttpResponse } from './exchange-terms.ts';
import { floodFault } from './exchange-faults.ts';
import type { Head } from './redirect.ts';
import { type Header, type HttpRequest, maxHeaderBytes } from './request.ts';

type Http2 = typeof http2Module;

/** As `exchange`: over a connection whose server has chosen `h2`. */
export async function exchangeH2(request: HttpRequest, terms: ExchangeTerms): Promise<HttpResponse> {
  const { link } = terms;
  // Loaded when it is first needed: hardly any target speaks nothing else.
  const http2 = await import('node:http2');
  const counted = countedWay(link.socket);
  const session = http2.connect(request.url.origin, {
    createConnection: () => counted.way,
    settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes },
  });
  try {
    return await converse({ http2, session, counted }, request, terms);
  } finally {
    session.destroy();
    link.socket.destroy();
  }
}

interface Conversation {
  readonly http2: Http2;
  readonly session: ClientHttp2Session;
  readonly counted: CountedWay;
}

function converse(
  { http2, session, counted }: Conversation,
  request: HttpRequest,
  terms: ExchangeTerms,
): Promise<HttpResponse> {
  const { link, deadline, times, tracer, maxBodyBytes, wantsBody } = terms;
  const { clock, signal } = deadline;
  const { peer } = link;
  const body = new BodyCollector(maxBodyBytes);
  const maxBytes = maxBodyBytes + maxHeaderBytes;
  const sentAt = clock.monotonic();
  let head: Head | null = null;
  let isAnswered = false;
  let isRead = false;
  let isOver = false;

  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream | null = null;
    const over = (): boolean => {
      if (isOver) return true;
      isOver = true;
      signal.removeEventListener('abort', onTimeUp);
      return false;
    };
    const finish = (end: HttpResponse['end']) => {
      if (head === null || over()) return;
      if (end.kind !== 'broken') tracer?.({ kind: 'ends', phase: 'body' });
      const { statusCode, statusText } = head;
      tracer?.({ kind: 'answer', statusCode, statusText, bodyBytes: body.length, end: end.kind });
      resolve({ body: body.bytes(), end, ...head });
    };
    const fail = (error: Error) => {
      if (head !== null && error instanceof ProbeFault) finish({ kind: 'broken', fault: error.fault });
      else if (!over()) reject(error);
    };
    const broken = (error: unknown) => {
      // A refused stream was not looked at (RFC 9113, section 8.7).
      const isRefused =
        error instanceof StreamReset && error.errorCode === http2.constants.NGHTTP2_REFUSED_STREAM;
      const isHandedOver = stream?.pending === false && stream.writableFinished;
      if (!isOver && head === null && isHandedOver && !isRefused) terms.onUnanswered?.();
      fail(new ProbeFault(faultOfH2(http2, error, { peer, hasHead: head !== null }), { cause: error }));
    };
    const onTimeUp = () => {
      if (head === null && stream?.pending === false && link.socket.writableLength === 0)
        terms.onUnanswered?.();
      const late = head === null ? `no answer from ${peer}` : `no end of the answer from ${peer}`;
      fail(deadline.missed(`${late} within ${secondsText(deadline.timeoutMs)}`));
    };
    const onAnswer = () => {
      if (isAnswered) return;
      isAnswered = true;
      times.add('firstByteMs', clock.monotonic() - sentAt);
      tracer?.({ kind: 'ends', phase: 'wait' });
      tracer?.({ kind: 'begins', phase: 'body' });
    };
    // HTTP/2 has no bound on what is neither header nor body: pings, settings, empty frames.
    counted.onBytes = (bytes) => {
      if (bytes <= maxBytes) return;
      if (head !== null && isMostlyBody(body.length, bytes)) finish({ kind: 'cut' });
      else fail(new ProbeFault(floodFault({ peer, maxBytes, hasHead: head !== null })));
      session.destroy();
    };
    session.on('error', broken);
    session.on('goaway', (code: number) => {
      if (code !== http2.constants.NGHTTP2_NO_ERROR) broken(new GoneAway(code));
    });
    if (signal.aborted) {
      onTimeUp();
      return;
    }
    signal.addEventListener('abort', onTimeUp, { once: true });
    tracer?.({ kind: 'begins', phase: 'wait' });
    try {
      stream = session.request(headersFor(request, link), { endStream: request.body === null });
    } catch (error) {
      fail(new ProbeFault(faultOf(error, peer), { cause: error }));
      return;
    }
    if (request.body !== null) stream.end(request.body);
    stream.on('headers', onAnswer);
    const readHead = (headers: Readonly<Record<string, unknown>>) => {
      onAnswer();
      head = {
        version: '2',
        statusCode: Number(headers[':status'] ?? 0),
        statusText: '',
        headers: headersOf(headers),
      };
      if (!wantsBody(head)) finish({ kind: 'cut' });
    };
    stream.on('response', (headers) => {
      unattended(() => {
        readHead(headers);
      }, broken);
    });
    stream.on('data', (chunk: Buffer) => {
      if (!body.add(chunk)) finish({ kind: 'cut' });
    });
    stream.on('end', () => {
      isRead = true;
    });
    stream.on('error', broken);
    stream.on('close', () => {
      const { rstCode: code } = stream;
      // A stream that is reset ends for its reader as well; only the frames say whether the answer was whole.
      const isWhole = isRead && counted.isAnswerWhole && code === http2.constants.NGHTTP2_NO_ERROR;
      if (isWhole) finish({ kind: 'complete' });
      broken(new StreamReset(code));
    });
  });
}

/** Why a stream was closed, or a session: an error code of RFC 9113, section 7. */
class StreamReset extends Error {
  readonly errorCode: number;

  constructor(errorCode: number) {
    super(`the stream was reset (${errorCode})`);
    this.errorCode = errorCode;
  }
}

class GoneAway extends StreamReset {}

interface When {
  readonly peer: string;
  readonly hasHead: boolean;
}

function faultOfH2({ constants }: Http2, error: unknown, { peer, hasHead }: When): NetFault {
  const when = hasHead ? 'before the answer was complete' : 'without an answer';
  const failed = (category: NetFault['category'], message: string): NetFault => ({
    outcome: 'failed',
    category,
    message,
  });
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (error instanceof GoneAway)
    return failed('protocol', `${peer} ends the connection ${when} (${nameOf(constants, error.errorCode)})`);
  if (error instanceof StreamReset) {
    const isClosed = error.errorCode === constants.NGHTTP2_NO_ERROR;
    if (isClosed) return failed('connection', `connection closed by ${peer} ${when}`);
    return failed('protocol', `${peer} resets the stream ${when} (${nameOf(constants, error.errorCode)})`);
  }
  if (code === 'ERR_HTTP2_STREAM_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR') {
    const name = /NGHTTP2_([A-Z0-9_]+)/.exec(message)?.[1] ?? /code (\d+)/.exec(message)?.[1] ?? 'no code';
    return failed('protocol', `${peer} resets the stream ${when} (${name})`);
  }
  if (code === 'ECONNRESET') return failed('connection', `connection reset by ${peer} ${when}`);
  if (code === 'ERR_HTTP2_STREAM_CANCEL' || code === 'ERR_HTTP2_GOAWAY_SESSION')
    return failed('connection', `connection closed by ${peer} ${when}`);
  if (code.startsWith('ERR_HTTP2_'))
    return failed('protocol', `${peer} does not answer in HTTP/2: ${printable(message)}`);
  return faultOf(error, peer);
}

/** `INTERNAL_ERROR`. */
function nameOf(constants: Http2['constants'], errorCode: number): string {
  const names = Object.entries(constants).filter(([, value]) => value === errorCode);
  const codes = ['CANCEL', 'REFUSED_STREAM', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'];
  const known = names.map(([name]) => name.replace('NGHTTP2_', ''));
  const name = known.find((each) => each.endsWith('_ERROR') || codes.includes(each));
  return name ?? String(errorCode);
}

/** What is about the connection has no place in HTTP/2 (RFC 9113, section 8.2.2). */
const ofTheConnection = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

function headersFor(request: HttpRequest, link: ExchangeTerms['link']): OutgoingHttpHeaders {
  const given = [...request.headers, ...link.headers].map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const host = given.find(([name]) => name === 'host')?.[1] ?? request.url.host;
  return {
    ':method': request.method,
    ':path': link.path,
    ':scheme': 'https',
    ':authority': host,
    ...Object.fromEntries(given.filter(([name]) => !ofTheConnection.has(name))),
    ...(request.body !== null && { 'content-length': Buffer.byteLength(request.body) }),
  };
}

function headersOf(headers: Readonly<Record<string, unknown>>): Header[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') ? [] : [value].flat().map((each): Header => [name, String(each)]),
  );
}

interface CountedWay {
  readonly way: Duplex;
  /** Whether a frame that was received ends the stream of the one request. */
  readonly isAnswerWhole: boolean;
  /** Called with all bytes that were received so far. */
  onBytes: (bytes: number) => void;
}

/** The socket as a stream that counts what it receives: a session that is given a socket reads past its listeners. */
function countedWay(socket: Socket): CountedWay {
  let bytes = 0;
  const way = new Duplex({
    read: () => {
      socket.resume();
    },
    write: (chunk: Buffer, _encoding, done) => {
      socket.write(chunk, done);
    },
    final: (done) => {
      socket.end(done);
    },
  });
  const frames = new FrameReader();
  const counted: CountedWay = {
    way,
    get isAnswerWhole() {
      return frames.isStreamEnded;
    },
    onBytes: () => undefined,
  };
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    frames.read(chunk);
    counted.onBytes(bytes);
    if (!way.destroyed && !way.push(chunk)) socket.pause();
  });
  socket.once('end', () => way.push(null));
  socket.once('error', (error) => way.destroy(error));
  socket.once('close', () => way.destroy());
  return counted;
}

const frameHeadBytes = 9;
/** The types that can end a stream are DATA (0) and HEADERS (1), by their lowest flag (RFC 9113, section 6). */
const lastEndingType = 1;
const endStream = 1;

/** Looks at the heads of the frames that a server sends, for the one that ends its answer. */
class FrameReader {
  isStreamEnded = false;
  private readonly head = Buffer.alloc(frameHeadBytes);
  private headBytes = 0;
  /** What is left of the payload of the frame. */
  private leftBytes = 0;

  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, this.leftBytes || frameHeadBytes - this.headBytes);
      if (this.leftBytes > 0) this.leftBytes -= taken;
      else this.readHead(chunk.subarray(at, at + taken));
      at += taken;
    }
  }

  private readHead(piece: Buffer): void {
    const { head } = this;
    piece.copy(head, this.headBytes);
    this.headBytes += piece.length;
    if (this.headBytes < frameHeadBytes) return;
    this.headBytes = 0;
    this.leftBytes = head.readUIntBE(0, 3);
    const isOfStream = (head.readUInt32BE(5) & 0x7fff_ffff) !== 0;
    if (isOfStream && head.readUInt8(3) <= lastEndingType && (head.readUInt8(4) & endStream) !== 0)
      this.isStreamEnded = true;
  }
}
