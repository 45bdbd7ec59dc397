/** The terms of one exchange of HTTP, and its response, whichever version carries it. */
import type { Deadline } from '../deadline.ts';
import type { NetFault } from '../faults.ts';
import type { ProbeTracer } from '../tracer.ts';
import type { PhaseTimes } from './phase-times.ts';
import type { Head } from './redirect.ts';
import type { Link } from './request.ts';

export interface HttpResponse extends Head {
  /** As received: still with its content-encoding. */
  readonly body: Buffer;
  /** `cut`: the body is longer than was asked for; `broken`: it stopped before its end. */
  readonly end: { readonly kind: 'complete' | 'cut' } | { readonly kind: 'broken'; readonly fault: NetFault };
}

export interface ExchangeTerms {
  readonly link: Link;
  readonly deadline: Deadline;
  readonly times: PhaseTimes;
  readonly tracer?: ProbeTracer | undefined;
  readonly maxBodyBytes: number;
  /**
   * Called when it fails after the whole request was handed to the network: nothing was answered in time, the connection
   * ended, or what was answered cannot be read. The request may have been received.
   */
  readonly onUnanswered?: (() => void) | undefined;
  /** Whether an answer that breaks the rules of HTTP/1.1 is read as far as it can be understood. Default: no. */
  readonly isLenient?: boolean | undefined;
  /** Whether the body is of any use; when it is not, none of it is read. */
  readonly wantsBody: (head: Head) => boolean;
}

/** Ends the promise of an exchange. */
export interface ExchangeSettle {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}
