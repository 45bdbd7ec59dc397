/** The timings of a probe so far, so that one that ends early can still report them. */
import type { Certificate, Timings } from '../../core/probe.ts';
import { noTimings } from '../../core/probe.ts';

export type TimedPhase = 'dnsMs' | 'connectMs' | 'tlsMs' | 'firstByteMs';

/** One request may take several connections (redirects): each phase is the sum over all of them. */
export class PhaseTimes {
  certificate: Certificate | null = null;
  address: string | null = null;
  readonly #timings: { -readonly [Phase in keyof Timings]: Timings[Phase] } = { ...noTimings };

  /** Null is a phase that did not happen. */
  add(phase: TimedPhase, ms: number | null): void {
    if (ms !== null) this.#timings[phase] = (this.#timings[phase] ?? 0) + ms;
  }

  timings(totalMs: number): Timings {
    return { ...this.#timings, totalMs };
  }
}
