/** Probes a monitor at the request of another node, one probe of each at a time. */
import type { Clock } from '../core/clock.ts';
import { evidenceOf } from '../monitoring/network/evidence.ts';
import type { CheckResult } from '../core/probe.ts';
import { assess, type Status } from '../core/status.ts';
import { cleanLine, cutText } from '../core/text.ts';
import type { ProbedMonitor } from '../probes/probe.ts';

interface ProbeAnswer {
  readonly status: Status;
  readonly latencyMs: number | null;
  /** One line without secrets; null: it is as it should be. */
  readonly error: string | null;
}

export interface ProbeAnswersOptions {
  /** Checks a monitor once; rejects only when the signal is aborted. */
  readonly probe: (monitor: ProbedMonitor, signal: AbortSignal) => Promise<CheckResult>;
  /** Whether this node trusts its own network. */
  readonly isNetworkBack: () => boolean;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
}

export interface ProbeAnswers {
  /** Null: the peer has as many questions open as it may (`mostOpenQuestions`). */
  readonly ask: (peer: string, monitor: ProbedMonitor) => Promise<ProbeAnswer | null>;
  /** Calls off what is under way. */
  readonly stop: () => void;
}

/** Who asks waits 12 s, and the answer has to get there. */
const mostMs = 10_000;
export const mostOpenQuestions = 8;
const maxError = 500;

export function createProbeAnswers(options: ProbeAnswersOptions): ProbeAnswers {
  const stopping = new AbortController();
  const open = new Map<string, number>();
  const underWay = new Map<ProbedMonitor, Promise<ProbeAnswer>>();
  const shared = (monitor: ProbedMonitor): Promise<ProbeAnswer> => {
    const known = underWay.get(monitor);
    if (known !== undefined) return known;
    const verdict = give(monitor, stopping.signal, options).finally(() => underWay.delete(monitor));
    underWay.set(monitor, verdict);
    return verdict;
  };
  return {
    ask: async (peer, monitor) => {
      const count = open.get(peer) ?? 0;
      if (count >= mostOpenQuestions) return null;
      open.set(peer, count + 1);
      try {
        return await shared(monitor);
      } finally {
        const left = (open.get(peer) ?? 1) - 1;
        if (left === 0) open.delete(peer);
        else open.set(peer, left);
      }
    },
    stop: () => {
      stopping.abort(new Error('the server is stopping'));
    },
  };
}

async function give(
  monitor: ProbedMonitor,
  signal: AbortSignal,
  { probe, isNetworkBack, redact, clock }: ProbeAnswersOptions,
): Promise<ProbeAnswer> {
  const ended = new AbortController();
  const timeUp = new AbortController();
  const waiting = clock.sleep(mostMs, AbortSignal.any([signal, ended.signal])).then(
    () => null,
    () => null,
  );
  // What a probe does after its time does not count here, and it may not heed the signal at once.
  const probing = probe(once(monitor), AbortSignal.any([signal, timeUp.signal])).catch(() => null);
  const answer = await Promise.race([probing, waiting]);
  ended.abort(new Error('answered'));
  timeUp.abort(new Error('the time for a verdict is over'));
  if (answer === null) return unknown('the probe did not end in time');
  const { result } = answer;
  const isProxied = monitor.kind === 'http' && monitor.proxy !== null;
  if (result.outcome === 'failed' && evidenceOf(result, { isProxied }) === 'failed' && !isNetworkBack())
    return unknown('this node may have lost its network');
  const status = assess(result, monitor.degraded_over_ms);
  const said = result.reason === null ? '' : cutText(cleanLine(redact(result.reason.message)), maxError);
  const latencyMs = result.latencyMs === null ? null : Math.round(result.latencyMs);
  return { status, latencyMs, error: said === '' ? null : said };
}

/** Its own settings, but a single try within the time there is. */
function once<Probed extends ProbedMonitor>(monitor: Probed): Probed {
  return { ...monitor, timeout_secs: Math.min(monitor.timeout_secs, mostMs / 1000), probe_retries: 0 };
}

function unknown(error: string): ProbeAnswer {
  return { status: 'unknown', latencyMs: null, error };
}
