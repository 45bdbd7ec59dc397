/** Turns the answers of a target into the settings of its monitor. */
import type { ProbeResult } from '../../engine/core/probe.ts';
import { advise } from './advise.ts';
import { identify } from './identify.ts';
import { hasAnswered, type Measurement } from './measure.ts';
import type { ProbeQuestion } from './target.ts';

/** What was seen of a target. Nothing in it holds a secret but the target itself. */
export interface TargetObservation extends ProbeQuestion {
  /** The target as it may be shown. */
  readonly shown: string;
  /** As the user named it, without brackets and port. */
  readonly host: string;
  readonly name: string;
  readonly probes: number;
  /** Of the probes that were answered, in milliseconds. */
  readonly latenciesMs: readonly number[];
  readonly degradedOverMs: number | null;
  /** Null where the default will do. */
  readonly timeoutSecs: number | null;
  /** Epoch milliseconds. */
  readonly certificateEndsAt: number | null;
  /** Why it is not up, as one sentence; null when it is. */
  readonly error: string | null;
  /** The line of TOML that would make a wrong answer a healthy one; null where no single setting does. */
  readonly cure: string | null;
  /** True when this host could not ask: the target may be well. */
  readonly isUnknown: boolean;
}

export interface Proposal extends TargetObservation {
  readonly id: string;
}

/** The gist of a measurement, whose results hold no secrets. `redact` masks those in the target. */
export function observe(
  { wanted, question, results }: Measurement,
  redact: (text: string) => string,
): TargetObservation {
  const answered = results.filter(hasAnswered);
  const last = results.at(-1) ?? results[0];
  const telling = answered.at(-1) ?? last;
  const { reason } = telling;
  const latenciesMs = answered.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  return {
    ...question,
    shown: redact(question.target),
    host: wanted.host,
    name: nameOf(question, wanted.host),
    probes: results.length,
    latenciesMs,
    ...advise(latenciesMs),
    certificateEndsAt:
      results.findLast(({ certificate }) => certificate !== null)?.certificate?.validToAt ?? null,
    error: reason === null ? null : reason.message,
    cure: cureOf(question, telling),
    isUnknown: answered.length === 0 && last.outcome === 'unknown',
  };
}

/** One monitor for every observation, in their order, each with an id and a name that none of `others` has. */
export function propose(
  observations: readonly TargetObservation[],
  others: readonly { readonly id: string; readonly name: string }[] = [],
): Proposal[] {
  const ids = identify(
    observations,
    others.map(({ id }) => id),
  );
  const taken = new Set(others.map(({ name }) => name));
  return observations.map((observation, index) => {
    const id = ids[index] ?? '';
    const names = [observation.name, `${observation.name} (${observation.kind})`];
    const name = names.find((one) => !taken.has(one)) ?? `${observation.name} (${id})`;
    taken.add(name);
    return { ...observation, id, name };
  });
}

function cureOf({ kind, target }: ProbeQuestion, { reason, assertions }: ProbeResult): string | null {
  if (kind !== 'http') return null;
  // A 5xx is the server's own word that something is wrong.
  const seen = assertions.find(({ key }) => key === 'expected_status')?.actual ?? '';
  const status = /^[1-4]\d\d\b/.exec(seen)?.[0];
  if (reason?.category === 'status' && status !== undefined) return `expected_status = ${status}`;
  return reason?.category === 'tls' && target.startsWith('https:') ? 'tls_verify = false' : null;
}

/** What people should read: `example.com/health`, `db.example.com:5432`. A query may hold secrets. */
function nameOf({ kind, target }: ProbeQuestion, host: string): string {
  switch (kind) {
    case 'http': {
      const url = new URL(target);
      return (url.host + url.pathname).replace(/\/$/, '').slice(0, 100);
    }
    case 'tcp':
      return target;
    case 'icmp':
    case 'dns':
      return host;
  }
}
