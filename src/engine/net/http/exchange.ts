/** Sends one request over one connection, takes in the response. */
import { secondsText } from '../../core/duration.ts';
import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { type Deadline } from '../deadline.ts';
import { type NetFault, faultOf, printable, ProbeFault } from '../faults.ts';
import type { ProbeTracer } from '../tracer.ts';
import { BodyCollector } from './body.ts';
import type { HttpClient } from './client.ts';
import type { PhaseTimes } from './phase-times.ts';
import type { Head } from './redirect.ts';
import type { Header, HttpRequest } from './request.ts';

export interface HttpResponse extends Head {
  /** As received: still with its content-encoding. */
  readonly body: Buffer;
  /** `cut`: the body is longer than was asked for; `broken`: it stopped before its end. */
  readonly end: { readonly kind: 'complete' | 'cut' } | { readonly kind: 'broken'; readonly fault: NetFault };
}

/** The way to a server, ready for one request. */
export interface Link {
  readonly socket: Socket;
  /** Who is at the other end, for sentences. */
  readonly peer: string;
  /** The request target: a path, or through a proxy the whole URL (RFC 9112, section 3.2). */
  readonly path: string;
  /** What the way itself needs, such as `proxy-authorization`. */
  readonly headers: readonly Header[];
}

export interface ExchangeTerms {
  readonly client: HttpClient;
  readonly link: Link;
  readonly deadline: Deadline;
  readonly times: PhaseTimes;
  readonly tracer?: ProbeTracer | undefined;
  readonly maxBodyBytes: number;
  /** Called when the time runs out after the whole request was handed to the network, and nothing was answered. */
  readonly onUnanswered?: (() => void) | undefined;
  /** Whether the body is of any use; when it is not, none of it is read. */
  readonly wantsBody: (head: Head) => boolean;
}

/** Curl allows 300 KiB, browsers 256; a single cookie is 4. */
export const maxHeaderBytes = 64 * 1024;

/**
 * What is not body (chunk sizes and their extensions, interim answers, trailers) may take this many times as much
 * room as the body: chunks of one byte take five times as much.
 */
const mostFraming = 7;

/** Whether the body is the bulk of what was received, so that more than is allowed is a body that is cut. */
export function isMostlyBody(bodyBytes: number, bytes: number): boolean {
  return bodyBytes * (mostFraming + 1) >= bytes;
}

/** Made once: undici would make one with a stack for each exchange. */
const over = new Error('the exchange is over');

/**
 * Settles when the body is complete, cut or broken; the connection is closed then. Rejects with a ProbeFault when
 * there is no response, or with the caller's reason when the probe is called off.
 */
export async function exchange(request: HttpRequest, terms: ExchangeTerms): Promise<HttpResponse> {
  const { link } = terms;
  const client = new terms.client.Client(request.url.origin, {
    // undici must not be called back while it is still calling.
    connect: (_options, callback) => {
      queueMicrotask(() => {
        callback(null, link.socket);
      });
    },
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    // The deadline of the probe is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    return await converse(client, request, terms);
  } finally {
    void client.destroy(over);
    link.socket.destroy();
  }
}

function converse(client: Client, request: HttpRequest, terms: ExchangeTerms): Promise<HttpResponse> {
  const { link, deadline, times, tracer, maxBodyBytes, wantsBody } = terms;
  const { clock, signal } = deadline;
  const body = new BodyCollector(maxBodyBytes);
  const sentAt = clock.monotonic();
  let firstByteAt: number | null = null;
  let head: Head | null = null;
  let isOver = false;
  let isWritten = false;
  const maxBytes = maxBodyBytes + maxHeaderBytes;
  const readBefore = link.socket.bytesRead;

  return new Promise((resolve, reject) => {
    const stopListening = () => {
      signal.removeEventListener('abort', onTimeUp);
      link.socket.off('readable', onBytes);
    };
    const finish = (end: HttpResponse['end']) => {
      stopListening();
      // An answer that is cut is called off, which comes back as an error.
      if (head === null || isOver) return;
      isOver = true;
      if (end.kind !== 'broken') tracer?.({ kind: 'ends', phase: 'body' });
      const { statusCode, statusText } = head;
      tracer?.({ kind: 'answer', statusCode, statusText, bodyBytes: body.length, end: end.kind });
      resolve({ ...head, body: body.bytes(), end });
    };
    const fail = (error: Error) => {
      stopListening();
      if (head === null || !(error instanceof ProbeFault)) reject(error);
      else finish({ kind: 'broken', fault: error.fault });
    };
    const onTimeUp = () => {
      if (head === null && isWritten && link.socket.writableLength === 0) terms.onUnanswered?.();
      const within = `within ${secondsText(deadline.timeoutMs)}`;
      const late = head === null ? `no answer from ${link.peer}` : `no end of the answer from ${link.peer}`;
      fail(deadline.missed(`${late} ${within}`));
    };
    // The parser has no bound on what is neither header nor body.
    const onBytes = () => {
      const bytes = link.socket.bytesRead - readBefore;
      if (bytes <= maxBytes) return;
      const isBody = head !== null && isMostlyBody(body.length, bytes);
      if (isBody) finish({ kind: 'cut' });
      else fail(new ProbeFault(floodFault({ peer: link.peer, maxBytes, hasHead: head !== null })));
      void client.destroy(enough);
    };
    if (signal.aborted) {
      onTimeUp();
      return;
    }
    signal.addEventListener('abort', onTimeUp, { once: true });
    link.socket.on('readable', onBytes);

    const options = {
      path: link.path,
      method: request.method,
      headers: [...request.headers, ...link.headers].flat(),
      body: request.body,
      // `connection: close`: the connection is for this request alone.
      reset: true,
    };
    tracer?.({ kind: 'begins', phase: 'wait' });
    client.dispatch(options, {
      onRequestStart: () => {
        isWritten = true;
      },
      // The one callback that is made at the first byte; its successors are made when the headers are complete.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      onResponseStarted: () => {
        if (firstByteAt !== null) return;
        firstByteAt = clock.monotonic();
        times.add('firstByteMs', firstByteAt - sentAt);
        tracer?.({ kind: 'ends', phase: 'wait' });
        tracer?.({ kind: 'begins', phase: 'body' });
      },
      // eslint-disable-next-line @typescript-eslint/max-params -- the signature is undici's
      onResponseStart: (controller, statusCode, _headers, statusText = '') => {
        // Interim responses (RFC 9110, section 15.2) come before the one that counts.
        if (statusCode < 200) return;
        head = { statusCode, statusText, headers: headersOf(controller.rawHeaders) };
        if (wantsBody(head)) return;
        finish({ kind: 'cut' });
        controller.abort(enough);
      },
      onResponseData: (controller, chunk) => {
        if (body.add(chunk)) return;
        finish({ kind: 'cut' });
        controller.abort(enough);
      },
      onResponseEnd: () => {
        finish({ kind: 'complete' });
      },
      onResponseError: (_controller, error) => {
        fail(new ProbeFault(faultOfExchange(error, link.peer, head !== null), { cause: error }));
      },
    });
  });
}

interface Flood {
  readonly peer: string;
  readonly maxBytes: number;
  readonly hasHead: boolean;
}

export function floodFault({ peer, maxBytes, hasHead }: Flood): NetFault {
  const what = hasHead ? ', hardly any of it body' : ' without an answer';
  const message = `${peer} sends more than ${Math.round(maxBytes / 1024)} KiB${what}`;
  return { outcome: 'failed', category: 'protocol', message };
}

/** The parser knows other protocols, too. */
const noStatusLine = 'Expected HTTP/, RTSP/ or ICE/';

const enough = new Error('the rest of the answer is not wanted');

/** undici hands over names and values in turns, as they came over the wire. */
function headersOf(raw: unknown): Header[] {
  const texts = (raw as readonly (Buffer | string)[]).map((part) => part.toString('latin1'));
  return Array.from({ length: texts.length / 2 }, (_, at) => [texts[2 * at] ?? '', texts[2 * at + 1] ?? '']);
}

function faultOfExchange(
  error: Error & { readonly code?: string },
  peer: string,
  hasHead: boolean,
): NetFault {
  const when = hasHead ? 'before the answer was complete' : 'without an answer';
  const failed = (category: NetFault['category'], message: string): NetFault => ({
    outcome: 'failed',
    category,
    message,
  });
  const { code, message } = error;
  if (code === 'UND_ERR_SOCKET') {
    if (message === 'bad upgrade') return failed('protocol', `${peer} switches to another protocol unasked`);
    // undici takes no 100 that was not asked for with `expect`.
    if (message === 'bad response') return failed('protocol', `${peer} says 100 Continue unasked`);
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
