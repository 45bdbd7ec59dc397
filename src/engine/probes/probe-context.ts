/** What a probe may touch besides its monitor. */
import type { Clock } from '../core/clock.ts';
import type { Resolver } from '../net/resolve.ts';
import type { Trust } from '../net/tls-trust.ts';
import type { OpenTracer } from '../net/tracer.ts';

export interface ProbeContext {
  readonly clock: Clock;
  /** Calls the probe off: shutdown, a reload, an interrupt. */
  readonly signal: AbortSignal;
  readonly resolver: Resolver;
  readonly trust: Trust;
  /** Name servers for dns monitors without one of their own; null for those of this host. */
  readonly nameServers: readonly string[] | null;
  /** Masks every secret of the configuration. */
  readonly redact: (text: string) => string;
  /** The folder of the exec plugins, `probes.exec_dir`; null when it is not set. */
  readonly execDir: string | null;
  /** Where `ping` is looked for: folders joined by `:`, as in `$PATH`. */
  readonly searchPath: string;
  /** Of this program, for the `user-agent`. */
  readonly version: string;
  /** Told what the probe sees on its way; it then also keeps the answer of a healthy target. */
  readonly openTracer?: OpenTracer;
}
