/** Renders a report as one JSON document, or every result as one line of JSON, as it comes. */
import { toJson } from '../../terminal/json.ts';
import type { CheckedMonitor, ConfigVerdict, Renderer } from '../report.ts';

export const renderer: Renderer = {
  report: (report) => {
    const { isOk, file, checkedAt, counts, results } = report;
    const document = {
      ok: isOk,
      config: file,
      checked_at: new Date(checkedAt).toISOString(),
      counts,
      results: results.map(resultFields),
    };
    return `${toJson(document, 2)}\n`;
  },
  config: (verdict) => `${toJson(verdictFields(verdict), 2)}\n`,
};

/** One line a result. */
export const lineRenderer: Renderer = {
  result: (result) => `${toJson(resultFields(result))}\n`,
  report: () => '',
  config: (verdict) => `${toJson(verdictFields(verdict))}\n`,
};

/** A result as scripts see it; times are milliseconds with one decimal at most. */
function resultFields(result: CheckedMonitor): object {
  const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = result.timings;
  return {
    id: result.id,
    name: result.name,
    group: result.group,
    kind: result.kind,
    status: result.status,
    latency_ms: tenths(result.latencyMs),
    error: result.error,
    attempts: result.attempts,
    timings: {
      dns_ms: tenths(dnsMs),
      connect_ms: tenths(connectMs),
      tls_ms: tenths(tlsMs),
      first_byte_ms: tenths(firstByteMs),
      total_ms: tenths(totalMs),
    },
    cert_expiry_days: result.certExpiryDays,
  };
}

function verdictFields({ file, problems }: ConfigVerdict): object {
  const errors = problems.map(({ file: named, line, column, path, message, hint }) => {
    return { file: named, line, column, path, message, hint };
  });
  return { ok: problems.length === 0, config: file, errors };
}

function tenths(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}
