/** Writes down what a probe tells of itself while it runs. */
import type { Addresses, Family } from '../../engine/probes/resolve.ts';
import type { OpenWitness, Phase, Sighting } from '../../engine/probes/witness.ts';

/** Milliseconds since the attempt began; `toMs` null: the probe broke off here. */
export interface Span {
  readonly phase: Phase;
  readonly fromMs: number;
  toMs: number | null;
}

/** One connection and what went over it: the first, or the one that a redirect led to. */
export interface Leg {
  readonly method: string | null;
  readonly url: string | null;
  readonly spans: Span[];
  readonly unreached: { readonly address: string; readonly message: string }[];
  host: string | null;
  addresses: Addresses;
  address: string | null;
  tls: Extract<Sighting, { kind: 'secured' }> | null;
  answer: Extract<Sighting, { kind: 'answer' }> | null;
}

/** One attempt: over both families, or over the one that has to answer for itself. */
export interface Track {
  readonly families: readonly Family[];
  readonly legs: readonly Leg[];
  readonly tookMs: number;
}

export interface Recorder {
  readonly witness: OpenWitness;
  /** What was told so far; what is under way by now has not ended. */
  readonly tracks: () => readonly Track[];
}

/** `nowMs` is a monotonic clock. */
export function createRecorder(nowMs: () => number): Recorder {
  const open: { readonly families: readonly Family[]; readonly startedMs: number; readonly legs: Leg[] }[] =
    [];
  return {
    witness: (families) => {
      const startedMs = nowMs();
      const legs: Leg[] = [];
      open.push({ families, startedMs, legs });
      return (sighting) => {
        note(legs, sighting, nowMs() - startedMs);
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
function tookMs(legs: readonly Leg[], elapsedMs: number): number {
  const spans = legs.flatMap((leg) => leg.spans);
  return Math.max(0, ...spans.map(({ toMs }) => toMs ?? elapsedMs));
}

function note(legs: Leg[], sighting: Sighting, atMs: number): void {
  if (sighting.kind === 'request') {
    legs.push(legOf(sighting));
    return;
  }
  let leg = legs.at(-1);
  if (leg === undefined) {
    leg = legOf({ method: null, url: null });
    legs.push(leg);
  }
  switch (sighting.kind) {
    case 'begins':
      leg.spans.push({ phase: sighting.phase, fromMs: atMs, toMs: null });
      return;
    case 'ends': {
      const span = leg.spans.findLast(({ phase, toMs }) => phase === sighting.phase && toMs === null);
      if (span !== undefined) span.toMs = atMs;
      return;
    }
    case 'addresses':
      leg.host = sighting.host;
      leg.addresses = sighting.addresses;
      return;
    case 'unreached':
      leg.unreached.push({ address: sighting.address, message: sighting.message });
      return;
    case 'connected':
      leg.address = sighting.address;
      return;
    case 'secured':
      leg.tls = sighting;
      return;
    case 'answer':
      leg.answer = sighting;
      return;
  }
}

function legOf({ method, url }: Pick<Leg, 'method' | 'url'>): Leg {
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
