/** Records the trace of a probe while it runs. */
import type { Addresses } from '../../engine/net/address.ts';
import type { AddressFamily } from '../../engine/net/address.ts';
import type { OpenTracer, ProbePhase, TraceEvent } from '../../engine/net/tracer.ts';

/** Milliseconds since the attempt began; `toMs` null: the probe broke off here. */
export interface PhaseSpan {
  readonly phase: ProbePhase;
  readonly fromMs: number;
  toMs: number | null;
}

/** One connection and what went over it: the first, or the one that a redirect led to. */
export interface ConnectionTrace {
  readonly method: string | null;
  readonly url: string | null;
  readonly spans: PhaseSpan[];
  readonly unreached: { readonly address: string; readonly message: string }[];
  host: string | null;
  addresses: Addresses;
  address: string | null;
  tls: Extract<TraceEvent, { kind: 'secured' }> | null;
  answer: Extract<TraceEvent, { kind: 'answer' }> | null;
}

/** One attempt: over both families, or over the one that has to answer for itself. */
export interface AttemptTrace {
  readonly families: readonly AddressFamily[];
  readonly legs: readonly ConnectionTrace[];
  readonly tookMs: number;
}

export interface TraceRecorder {
  readonly openTracer: OpenTracer;
  /** What was reported so far; what is under way by now has not ended. */
  readonly tracks: () => readonly AttemptTrace[];
}

/** `nowMs` is a monotonic clock. */
export function createRecorder(nowMs: () => number): TraceRecorder {
  const open: {
    readonly families: readonly AddressFamily[];
    readonly startedMs: number;
    readonly legs: ConnectionTrace[];
  }[] = [];
  return {
    openTracer: (families) => {
      const startedMs = nowMs();
      const legs: ConnectionTrace[] = [];
      open.push({ families, startedMs, legs });
      return (traceEvent) => {
        note(legs, traceEvent, nowMs() - startedMs);
      };
    },
    tracks: () =>
      open.map(({ families, startedMs, legs }) => ({
        families,
        legs,
        tookMs: tookMs(legs, nowMs() - startedMs),
      })),
  };
}

/** To the end of the last span; to now where one never ended. */
function tookMs(legs: readonly ConnectionTrace[], elapsedMs: number): number {
  const spans = legs.flatMap((leg) => leg.spans);
  return Math.max(0, ...spans.map(({ toMs }) => toMs ?? elapsedMs));
}

function note(legs: ConnectionTrace[], traceEvent: TraceEvent, atMs: number): void {
  if (traceEvent.kind === 'request') {
    legs.push(legOf(traceEvent));
    return;
  }
  let leg = legs.at(-1);
  if (leg === undefined) {
    leg = legOf({ method: null, url: null });
    legs.push(leg);
  }
  switch (traceEvent.kind) {
    case 'begins':
      leg.spans.push({ phase: traceEvent.phase, fromMs: atMs, toMs: null });
      return;
    case 'ends': {
      const span = leg.spans.findLast(({ phase, toMs }) => phase === traceEvent.phase && toMs === null);
      if (span !== undefined) span.toMs = atMs;
      return;
    }
    case 'addresses':
      leg.host = traceEvent.host;
      leg.addresses = traceEvent.addresses;
      return;
    case 'unreached':
      leg.unreached.push({ address: traceEvent.address, message: traceEvent.message });
      return;
    case 'connected':
      leg.address = traceEvent.address;
      return;
    case 'secured':
      leg.tls = traceEvent;
      return;
    case 'answer':
      leg.answer = traceEvent;
      return;
  }
}

function legOf({ method, url }: Pick<ConnectionTrace, 'method' | 'url'>): ConnectionTrace {
  return {
    method,
    url,
    spans: [],
    unreached: [],
    host: null,
    addresses: [],
    address: null,
    tls: null,
    answer: null,
  };
}
