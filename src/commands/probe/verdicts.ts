/** Lists every assertion of a monitor and its result in one probe. */
import { millisecondsText } from '../../engine/core/duration.ts';
import type { Assertion, ProbeResult } from '../../engine/core/probe.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import type { ConnectionTrace } from './recorder.ts';

/** `isMet` null: the probe broke off before it, or did not look. */
export interface ExpectationVerdict extends Omit<Assertion, 'isMet'> {
  readonly isMet: boolean | null;
}

interface ProbeObservation {
  readonly result: ProbeResult;
  /** Where the target itself spoke TLS, not where it redirects to; null: nowhere. */
  readonly first: ConnectionTrace | null;
}

/** In the order in which a probe checks them. */
export function verdictsOn(
  monitor: ProbedMonitor,
  { result, first }: ProbeObservation,
): readonly ExpectationVerdict[] {
  return [
    ...trustVerdicts(monitor, { result, first }),
    ...pinVerdicts(monitor, result),
    ...result.assertions,
    ...unreached(monitor, result),
    ...speedVerdicts(monitor, result),
  ];
}

function trustVerdicts(
  monitor: ProbedMonitor,
  { result, first }: ProbeObservation,
): readonly ExpectationVerdict[] {
  if (!('tls_verify' in monitor) || !monitor.tls_verify || first === null || first.tls === null) return [];
  const { distrust } = first.tls;
  const expected = 'a certificate that this host trusts';
  if (distrust === null) return [{ key: 'tls_verify', isMet: true, expected, actual: 'trusted' }];
  return [{ key: 'tls_verify', isMet: false, expected, actual: result.reason?.message ?? distrust }];
}

function pinVerdicts(monitor: ProbedMonitor, { certificate }: ProbeResult): readonly ExpectationVerdict[] {
  if (!('cert_pin' in monitor) || monitor.cert_pin === null) return [];
  const expected = monitor.cert_pin;
  if (certificate === null) return [{ key: 'cert_pin', isMet: null, expected, actual: 'no certificate' }];
  const { spkiSha256: actual } = certificate;
  return [
    { key: 'cert_pin', isMet: actual === expected, expected, actual: actual || 'a key of an unknown kind' },
  ];
}

const contentKeys = ['keyword', 'json_query', 'number_regex', 'dns_expected'] as const;

/** What a probe that broke off did not come to. */
function unreached(monitor: ProbedMonitor, { assertions }: ProbeResult): readonly ExpectationVerdict[] {
  const settings = monitor as Readonly<Record<string, unknown>>;
  const isJudged = (key: string) => assertions.some((assertion) => assertion.key === key);
  const keys = [
    ...(monitor.kind === 'http' ? ['expected_status'] : []),
    ...contentKeys.filter((key) => (settings[key] ?? null) !== null),
  ];
  return keys
    .filter((key) => !isJudged(key))
    .map((key) => ({ key, isMet: null, expected: '', actual: 'not reached' }));
}

function speedVerdicts(
  { degraded_over_ms: limitMs }: ProbedMonitor,
  { latencyMs }: ProbeResult,
): readonly ExpectationVerdict[] {
  if (limitMs === null) return [];
  const expected = `at most ${millisecondsText(limitMs)}`;
  const key = 'degraded_over_ms';
  if (latencyMs === null) return [{ key, isMet: null, expected, actual: 'not reached' }];
  const isMet = latencyMs <= limitMs;
  // Rounded up where it is too much: 1000.2 is not at most 1000.
  return [{ key, isMet, expected, actual: millisecondsText(isMet ? latencyMs : Math.ceil(latencyMs)) }];
}
