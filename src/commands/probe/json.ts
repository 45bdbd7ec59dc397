/** Renders the result of one probe as JSON. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { daysLeft } from './render-certificate.ts';
import type { LegView, ProbeReport, TrackView } from './report.ts';

export function probeJson(report: ProbeReport) {
  const { id, name, kind, target, status, reason, answer, checkedAt, latencyMs, curl } = report;
  return {
    ok: status !== 'down',
    id,
    name,
    kind,
    target,
    checked_at: rfc3339(checkedAt),
    status,
    error: reason?.message ?? null,
    category: reason?.category ?? null,
    latency_ms: latencyMs === null ? null : rounded(latencyMs),
    tracks: report.tracks.map(trackJson),
    answer: answer && {
      status_line: answer.statusLine,
      headers: answer.headers,
      ...(answer.moreHeaders !== undefined && { more_headers: answer.moreHeaders }),
      body: answer.body,
    },
    certificate: certificateJson(report),
    assertions: report.verdicts.map(({ key, isMet, expected, actual }) => ({
      key,
      met: isMet,
      expected,
      actual,
    })),
    curl,
  };
}

function trackJson({ family, tookMs, legs }: TrackView) {
  return { family, took_ms: rounded(tookMs), requests: legs.map(legJson) };
}

function legJson({ method, url, host, addresses, address, unreached, tls, answer, spans }: LegView) {
  return {
    method,
    url,
    host,
    addresses,
    address,
    unreached,
    tls,
    response: answer && {
      status: answer.status,
      status_text: answer.statusText,
      body_bytes: answer.bodyBytes,
      end: answer.end,
    },
    phases: spans.map(({ phase, fromMs, toMs }) => ({
      phase,
      from_ms: rounded(fromMs),
      to_ms: toMs === null ? null : rounded(toMs),
    })),
  };
}

function certificateJson({ certificate, checkedAt }: ProbeReport) {
  if (certificate === null) return null;
  const { spkiSha256, isTrusted, distrust, chain } = certificate;
  return {
    spki_sha256: spkiSha256,
    trusted: isTrusted,
    distrust,
    chain: chain.map(({ subject, issuer, validFromAt, validToAt }) => ({
      subject,
      issuer,
      valid_from: rfc3339(validFromAt),
      valid_to: rfc3339(validToAt),
      days_left: daysLeft(validToAt, checkedAt),
    })),
  };
}

/** To the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
