/** Sends one request over one connection, takes in the response. */
import { secondsText } from '../../core/duration.ts';
import { unattended } from '../../core/unattended.ts';
import type { Duplex } from 'node:stream';
import type { Client } from 'undici';
import { ProbeFault } from '../faults.ts';
import { BodyCollector, isMostlyBody, isWithoutBody } from './body.ts';
import type { ExchangeTerms, HttpResponse, ExchangeSettle } from './exchange-terms.ts';
import {
  anotherLength,
  closed,
  faultOfExchange,
  floodFault,
  isUnreadable,
  noLastChunk,
} from './exchange-faults.ts';
import { askUndici, type Passing, standIn, withoutInterim } from './exchange-undici.ts';
import { type PlainAnswer, PlainChunks, plainRequest, readPlainHead } from './exchange-plain.ts';
import { InterimFilter } from './interim.ts';
import { readLenientAnswer, readOn } from './lenient-answer.ts';
import { loadHttpClient } from './client.ts';
import type { Head } from './redirect.ts';
import { type HttpRequest, maxHeaderBytes } from './request.ts';

const nothing = (): void => undefined;

/** Made once: undici would make one with a stack for each exchange. */
const over = new Error('the exchange is over');

/**
 * Settles when the body is complete, cut or broken; the connection is closed then. Rejects with a ProbeFault when
 * there is no response, or with the caller's reason when the probe is called off.
 *
 * What is plain is read here, in half the processor time. As soon as an answer is not, undici is given
 * all of it from its first byte.
 */
export function exchange(request: HttpRequest, terms: ExchangeTerms): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    new Exchange(request, terms, { resolve, reject }).begin();
  });
}

class Exchange {
  private readonly request: HttpRequest;
  private readonly terms: ExchangeTerms;
  private readonly settle: ExchangeSettle;
  private readonly sentAt: number;
  private readonly readBefore: number;
  private body: BodyCollector;
  private firstByteAt: number | null = null;
  private head: Head | null = null;
  private isOver = false;
  private isHandedOver = false;
  private plain: PlainAnswer | null = null;
  private chunks: PlainChunks | null = null;
  private readonly interim = new InterimFilter();
  /** What came so far, while undici may still have to read it. */
  private received: Buffer[] = [];
  /** All of the answer, while it may have to be read leniently. */
  private raw: Buffer[] = [];
  private client: Client | null = null;
  private stopListening = nothing;

  constructor(request: HttpRequest, terms: ExchangeTerms, settle: ExchangeSettle) {
    this.request = request;
    this.terms = terms;
    this.settle = settle;
    this.body = new BodyCollector(terms.maxBodyBytes);
    this.sentAt = terms.deadline.clock.monotonic();
    this.readBefore = terms.link.socket.bytesRead;
  }

  begin(): void {
    const { link, deadline, tracer } = this.terms;
    if (deadline.isOver) {
      this.onTimeUp();
      return;
    }
    this.stopListening = deadline.onOver(this.onTimeUp);
    tracer?.({ kind: 'begins', phase: 'wait' });
    const text = plainRequest(this.request, link);
    link.socket.on('error', this.onError);
    if (text === null) {
      this.guarded(() => this.leaveToUndici(withoutInterim(link.socket, this.passing)));
      return;
    }
    link.socket.on('data', this.onData).on('end', this.onEnd).resume();
    link.socket.write(text, 'latin1', (error) => {
      if (!error) this.isHandedOver = true;
    });
  }

  private readonly passing: Passing = {
    onBytes: (bytes) => {
      if (this.terms.isLenient === true) this.raw.push(bytes);
    },
    onHandedOver: () => {
      this.isHandedOver = true;
    },
    onLeftOut: () => {
      this.boundBytes();
    },
  };

  /** A fault in reading an answer is the end of this exchange, and of nothing else. */
  private guarded(work: () => unknown): void {
    unattended(work, (error) => {
      this.failBy(error instanceof Error ? error : new Error(String(error)));
    });
  }

  private readonly onData = (received: Buffer): void => {
    this.guarded(() => {
      this.read(received);
    });
  };

  private read(received: Buffer): void {
    this.noteFirstByte();
    const { plain } = this;
    if (plain !== null) {
      this.takeBody(plain, received);
      return;
    }
    this.passing.onBytes(received);
    const bytes = this.interim.read(received);
    if (bytes.length === 0) {
      this.boundBytes();
      return;
    }
    const answer = readPlainHead(bytes, this.request.method);
    if (answer === null) {
      this.handOver(bytes);
      return;
    }
    this.plain = answer;
    if (this.takeHead(answer.head)) this.takeBody(answer, bytes, answer.bodyAt);
  }

  private takeBody({ framing }: PlainAnswer, bytes: Buffer, from = 0): void {
    const part = bytes.subarray(from);
    if (framing.kind === 'chunked') {
      this.received.push(bytes);
      this.chunks ??= new PlainChunks();
      const end = this.chunks.read(part, this.body);
      if (end === 'odd') this.handOver(Buffer.concat(this.received));
      else if (end === 'more') this.boundBytes();
      else this.finish({ kind: end });
      return;
    }
    const length = framing.kind === 'length' ? framing.bytes : Infinity;
    const isFitting = this.body.add(part.subarray(0, length - this.body.length));
    if (!isFitting) this.finish({ kind: 'cut' });
    else if (this.body.length === length) this.finish({ kind: 'complete' });
  }

  private readonly onEnd = (): void => {
    this.onClosed(null);
  };

  private readonly onError = (error: NodeJS.ErrnoException): void => {
    this.onClosed(error);
  };

  /** The connection ended, or broke, before the answer did. */
  private onClosed(error: NodeJS.ErrnoException | null): void {
    const { plain } = this;
    if (plain === null && this.raw.length > 0) {
      this.readLeniently(error ?? closed, true);
      return;
    }
    const isEnd = plain?.isLast === true && (error === null || error.code === 'ECONNRESET');
    if (!isEnd) this.failBy(error ?? closed);
    else if (plain.framing.kind === 'close') this.finish({ kind: 'complete' });
    else this.failBy(plain.framing.kind === 'length' ? anotherLength : noLastChunk);
  }

  /** Not plain after all: undici reads what came so far, and everything after it. */
  private handOver(bytes: Buffer): void {
    const { socket } = this.terms.link;
    socket.off('data', this.onData).off('end', this.onEnd).pause();
    this.head = null;
    this.raw = [];
    this.body = new BodyCollector(this.terms.maxBodyBytes);
    socket.unshift(bytes);
    this.guarded(() => this.leaveToUndici(standIn(socket, this.passing)));
  }

  private async leaveToUndici(stream: Duplex): Promise<void> {
    const { link } = this.terms;
    const loaded = await loadHttpClient().catch((error: unknown) => error as Error);
    if (this.isOver) return;
    if (loaded instanceof Error) {
      this.failBy(loaded);
      return;
    }
    link.socket.off('error', this.onError);
    stream.on('readable', this.boundBytes);
    this.client = askUndici(
      loaded,
      { request: this.request, link, stream },
      {
        onFirstByte: () => {
          this.noteFirstByte();
        },
        onHead: (head) => this.takeHead(head),
        onPart: (part) => {
          const isFitting = this.body.add(part);
          if (!isFitting) this.finish({ kind: 'cut' });
          return isFitting;
        },
        onComplete: () => {
          this.finish({ kind: 'complete' });
        },
        onError: (error) => {
          const isRead = this.head !== null || this.isOver;
          if (this.terms.isLenient === true && !isRead && isUnreadable(error)) this.goOnLeniently(error);
          else this.failBy(error);
        },
      },
    );
  }

  /** undici cannot read the answer: all of it from its first byte is read here. `error` says why, if it is none. */
  private goOnLeniently(error: Error): void {
    const { socket } = this.terms.link;
    readOn(socket, this.raw, (isEnd) => {
      this.guarded(() => {
        this.readLeniently(error, isEnd);
      });
    });
  }

  private readLeniently(error: Error, isEnd: boolean): void {
    if (this.isOver) return;
    const answer = readLenientAnswer(Buffer.concat(this.raw), { method: this.request.method, isEnd });
    if (answer !== null && answer !== 'more') {
      this.head = answer.head;
      this.body = new BodyCollector(this.terms.maxBodyBytes);
      const isFitting = this.body.add(answer.body);
      if (!isFitting || answer.isWhole) this.finish({ kind: isFitting ? 'complete' : 'cut' });
    }
    if (answer === null || isEnd) this.failBy(error);
    else this.boundBytes();
  }

  /** False: its body is not wanted, or there is none. */
  private takeHead(head: Head): boolean {
    this.head = head;
    const isWhole = isWithoutBody(head.statusCode);
    if (!isWhole && this.terms.wantsBody(head)) return true;
    this.finish({ kind: isWhole ? 'complete' : 'cut' });
    return false;
  }

  private noteFirstByte(): void {
    if (this.firstByteAt !== null) return;
    const { deadline, times, tracer } = this.terms;
    this.firstByteAt = deadline.clock.monotonic();
    times.add('firstByteMs', this.firstByteAt - this.sentAt);
    tracer?.({ kind: 'ends', phase: 'wait' });
    tracer?.({ kind: 'begins', phase: 'body' });
  }

  private readonly onTimeUp = (): void => {
    const { link, deadline } = this.terms;
    const within = `within ${secondsText(deadline.timeoutMs)}`;
    const late =
      this.head === null ? `no answer from ${link.peer}` : `no end of the answer from ${link.peer}`;
    this.fail(deadline.missed(`${late} ${within}`));
  };

  /** No parser has a bound on what is neither header nor body. */
  private readonly boundBytes = (): void => {
    const { link, maxBodyBytes } = this.terms;
    const maxBytes = maxBodyBytes + maxHeaderBytes;
    const bytes = link.socket.bytesRead - this.readBefore;
    if (bytes <= maxBytes) return;
    const hasHead = this.head !== null;
    if (hasHead && isMostlyBody(this.body.length, bytes)) this.finish({ kind: 'cut' });
    else this.fail(new ProbeFault(floodFault({ peer: link.peer, maxBytes, hasHead })));
  };

  private failBy(error: NodeJS.ErrnoException): void {
    const fault = faultOfExchange(error, this.terms.link.peer, this.head !== null);
    this.fail(new ProbeFault(fault, { cause: error }));
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    if (this.head !== null && error instanceof ProbeFault) {
      this.finish({ kind: 'broken', fault: error.fault });
      return;
    }
    if (this.isHandedOver) this.terms.onUnanswered?.();
    this.end();
    this.settle.reject(error);
  }

  private finish(end: HttpResponse['end']): void {
    // An answer that is cut is called off, which comes back as an error.
    if (this.head === null || this.isOver) return;
    this.end();
    const { tracer } = this.terms;
    if (end.kind !== 'broken') tracer?.({ kind: 'ends', phase: 'body' });
    const { statusCode, statusText, headers } = this.head;
    tracer?.({ kind: 'answer', statusCode, statusText, bodyBytes: this.body.length, end: end.kind });
    this.settle.resolve({ statusCode, statusText, headers, body: this.body.bytes(), end });
  }

  private end(): void {
    this.isOver = true;
    const { link } = this.terms;
    this.stopListening();
    link.socket.off('data', this.onData).off('end', this.onEnd);
    if (this.client !== null) {
      link.socket.off('readable', this.boundBytes);
      this.client.destroy(over).catch(() => undefined);
    }
    link.socket.destroy();
  }
}
