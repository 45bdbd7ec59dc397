/** Probes a target over IPv4 and over IPv6 where both must answer. */
import type { Outcome, ProbeResult } from '../core/probe.ts';
import type { AddressFamily } from '../net/address.ts';

/**
 * With `isDual`, probes both families at the same time: `degraded` when only one answers as expected. The
 * result is that of the slower family, or of the one that says most of what is wrong.
 */
export async function inFamilies(
  isDual: boolean,
  probe: (families: readonly AddressFamily[]) => Promise<ProbeResult>,
): Promise<ProbeResult> {
  if (!isDual) return probe([4, 6]);
  const [ipv4, ipv6] = await Promise.all([probe([4]), probe([6])]);
  return combine(ipv4, ipv6);
}

/** The higher, the more it says of what is wrong. */
const weight: Readonly<Record<Outcome, number>> = { healthy: 0, unknown: 1, degraded: 2, failed: 3 };

const answers = ({ outcome }: ProbeResult) => outcome === 'healthy' || outcome === 'degraded';

function combine(ipv4: ProbeResult, ipv6: ProbeResult): ProbeResult {
  if (answers(ipv4) && answers(ipv6) && weight[ipv4.outcome] === weight[ipv6.outcome]) {
    return (ipv4.latencyMs ?? 0) >= (ipv6.latencyMs ?? 0) ? ipv4 : ipv6;
  }
  const worse = weight[ipv6.outcome] > weight[ipv4.outcome] ? ipv6 : ipv4;
  if (answers(worse) || worse.reason === null) return worse;
  const better = worse === ipv4 ? ipv6 : ipv4;
  if (answers(better)) {
    const [silent, speaking] = worse === ipv4 ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
    const message = `it answers over ${speaking} only; over ${silent}, ${worse.reason.message}`;
    const latencyMs = better.latencyMs;
    const certificate = worse.certificate ?? better.certificate;
    return {
      ...spoken(worse),
      outcome: 'degraded',
      reason: { category: 'address_family', message },
      latencyMs,
      certificate,
    };
  }
  const isSilence = worse.isSilence === true && better.isSilence === true;
  const said = isSilence ? worse : spoken(worse);
  if (better.reason === null || better.reason.message === worse.reason.message) return said;
  const [first, second] = worse === ipv4 ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
  const message = `over ${first}, ${worse.reason.message}; over ${second}, ${better.reason.message}`;
  return { ...said, reason: { ...worse.reason, message } };
}

/** What one family answered is an answer of the host. */
function spoken(result: ProbeResult): ProbeResult {
  return result.isSilence === true ? { ...result, isSilence: false } : result;
}
