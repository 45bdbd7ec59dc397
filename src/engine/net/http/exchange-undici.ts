/** Sends a request over an open socket with undici, and reads the answer. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Client } from 'undici';
import type { HttpClient } from './client.ts';
import { InterimFilter } from './interim.ts';
import type { Head } from './redirect.ts';
import { type Header, type HttpRequest, type Link, maxHeaderBytes } from './request.ts';

/** What passes a stream that stands for a socket. */
export interface Passing {
  /** Every part of the answer, as it was received. */
  readonly onBytes: (bytes: Buffer) => void;
  /** All that was written so far is handed to the network. */
  readonly onHandedOver: () => void;
  /** Something came that counts for nothing. */
  readonly onLeftOut: () => void;
}

/**
 * Stands for a socket over which the request was sent already: what is written to it goes nowhere, and nothing is read
 * before something was written, since undici takes an answer that comes before its request for none.
 */
export function standIn(socket: Socket, { onBytes }: Pick<Passing, 'onBytes'>): Duplex {
  let isWritten = false;
  const stream = new Duplex({
    write: (_bytes, _encoding, done) => {
      done();
      if (isWritten) return;
      isWritten = true;
      socket
        .on('data', (bytes) => {
          onBytes(bytes);
          if (!stream.push(bytes)) socket.pause();
        })
        .on('end', () => stream.push(null))
        .on('error', (error) => stream.destroy(error))
        .resume();
    },
    read: () => {
      if (isWritten) socket.resume();
    },
  });
  return stream.on('error', () => undefined);
}

/** Stands for a socket whose interim responses are left out. */
export function withoutInterim(socket: Socket, { onBytes, onHandedOver, onLeftOut }: Passing): Duplex {
  const filter = new InterimFilter();
  let isWritten = false;
  const stream = new Duplex({
    write: (bytes: Buffer, _encoding, done) => {
      socket.write(bytes, (error) => {
        done(error);
        if (!error && stream.writableLength === 0) onHandedOver();
      });
      if (isWritten) return;
      isWritten = true;
      socket
        .on('data', (part) => {
          onBytes(part);
          const counted = filter.read(part);
          if (counted.length === 0) onLeftOut();
          else if (!stream.push(counted)) socket.pause();
        })
        .on('end', () => {
          const rest = filter.rest();
          if (rest.length > 0) stream.push(rest);
          stream.push(null);
        })
        .resume();
    },
    read: () => {
      if (isWritten) socket.resume();
    },
  });
  socket.on('error', (error) => stream.destroy(error));
  return stream.on('error', () => undefined);
}

/** What is reported of the answer. */
export interface AnswerReader {
  readonly onFirstByte: () => void;
  /** False: nothing more is wanted. */
  readonly onHead: (head: Head) => boolean;
  /** False: nothing more is wanted. */
  readonly onPart: (part: Buffer) => boolean;
  readonly onComplete: () => void;
  readonly onError: (error: Error) => void;
}

const enough = new Error('the rest of the answer is not wanted');

/** Answers the client, which is to be destroyed in the end. */
export function askUndici(
  loaded: Pick<HttpClient, 'Client'>,
  { request, link, stream }: { readonly request: HttpRequest; readonly link: Link; readonly stream: Duplex },
  reader: AnswerReader,
): Client {
  const client = new loaded.Client(request.url.origin, {
    // undici must not be called back while it is still calling.
    connect: (_options, callback) => {
      queueMicrotask(() => {
        // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- it takes any stream
        callback(null, stream as Socket);
      });
    },
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    // The deadline of the probe is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const options = {
    path: link.path,
    method: request.method,
    headers: [...request.headers, ...link.headers].flat(),
    body: request.body,
    // `connection: close`: the connection is for this request alone.
    reset: true,
  };
  client.dispatch(options, {
    // undici asks for it.
    onRequestStart: () => undefined,
    // The one callback that is made at the first byte; its successors are made when the headers are complete.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    onResponseStarted: reader.onFirstByte,
    // eslint-disable-next-line @typescript-eslint/max-params -- the signature is undici's
    onResponseStart: (controller, statusCode, _headers, statusText = '') => {
      // Interim responses (RFC 9110, section 15.2) come before the one that counts.
      if (statusCode < 200) return;
      if (!reader.onHead({ statusCode, statusText, headers: headersOf(controller.rawHeaders) }))
        controller.abort(enough);
    },
    onResponseData: (controller, part) => {
      if (!reader.onPart(part)) controller.abort(enough);
    },
    onResponseEnd: reader.onComplete,
    onResponseError: (_controller, error) => {
      reader.onError(error);
    },
  });
  return client;
}

/** undici hands over names and values in turns, as they came over the wire. */
function headersOf(raw: unknown): Header[] {
  const texts = (raw as readonly (Buffer | string)[]).map((part) => part.toString('latin1'));
  return Array.from({ length: texts.length / 2 }, (_, at) => [texts[2 * at] ?? '', texts[2 * at + 1] ?? '']);
}
