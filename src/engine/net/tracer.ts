/** What a probe reports on its way to a tracer; an ordinary check has none. */
import type { Certificate } from '../core/probe.ts';
import type { Addresses } from './address.ts';
import type { AddressFamily } from './address.ts';

/** The parts of a probe that take time, one after the other. */
export type ProbePhase =
  | 'dns'
  | 'connect'
  | 'tunnel'
  | 'starttls'
  | 'tls'
  | 'wait'
  | 'body'
  | 'query'
  | 'ping'
  | 'run';

/** Texts are as they came: neither cleaned nor masked. A phase that never ends is where the probe broke off. */
export type TraceEvent =
  | { readonly kind: 'begins' | 'ends'; readonly phase: ProbePhase }
  /** A request sets out: the first one, or where a redirect leads. */
  | { readonly kind: 'request'; readonly method: string; readonly url: string }
  | { readonly kind: 'addresses'; readonly host: string; readonly addresses: Addresses }
  /** One address of several that did not take the connection. */
  | { readonly kind: 'unreached'; readonly address: string; readonly message: string }
  | { readonly kind: 'connected'; readonly address: string }
  | {
      readonly kind: 'secured';
      readonly protocol: string | null;
      readonly cipher: string | null;
      readonly certificate: Certificate | null;
      /** Why it is not to be trusted; null when it is. */
      readonly distrust: string | null;
    }
  | {
      readonly kind: 'answer';
      readonly statusCode: number;
      readonly statusText: string;
      readonly bodyBytes: number;
      /** `cut`: more was there than was asked for; `broken`: it stopped before its end. */
      readonly end: 'complete' | 'cut' | 'broken';
    };

/** Called while the probe runs; it must not throw. */
export type ProbeTracer = (traceEvent: TraceEvent) => void;

/** Called once an attempt; where both families must answer, once for each. */
export type OpenTracer = (families: readonly AddressFamily[]) => ProbeTracer;

/** Does the work of a phase and reports it to the tracer. */
export function traced<T>(
  tracer: ProbeTracer | undefined,
  phase: ProbePhase,
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work();
  tracer({ kind: 'begins', phase });
  return work().then((result) => {
    tracer({ kind: 'ends', phase });
    return result;
  });
}
