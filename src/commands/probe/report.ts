/** Puts together the result of one probe, with secrets masked. */
import { credentialName } from '../../engine/config/redact.ts';
import type { Answer, Certificate, ProbeResult } from '../../engine/core/probe.ts';
import { assess, type Status } from '../../engine/core/status.ts';
import { curlLine } from '../../engine/probes/http/curl.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import type { ConnectionTrace, PhaseSpan, AttemptTrace } from './recorder.ts';
import { type ExpectationVerdict, verdictsOn } from './verdicts.ts';
import { isHttp2 } from '../../engine/probes/http/answer.ts';

export interface LegView {
  readonly method: string | null;
  readonly url: string | null;
  readonly spans: readonly PhaseSpan[];
  readonly host: string | null;
  readonly addresses: readonly string[];
  /** The one that took the connection. */
  readonly address: string | null;
  readonly unreached: readonly { readonly address: string; readonly message: string }[];
  readonly tls: { readonly protocol: string | null; readonly cipher: string | null } | null;
  readonly answer: {
    readonly status: number;
    readonly statusText: string;
    readonly bodyBytes: number;
    readonly end: 'complete' | 'cut' | 'broken';
  } | null;
}

export interface TrackView {
  /** Null where either family will do. */
  readonly family: 4 | 6 | null;
  readonly tookMs: number;
  readonly legs: readonly LegView[];
}

export interface ProbeReport {
  /** Null for a target that is no monitor of the configuration. */
  readonly id: string | null;
  readonly name: string;
  readonly kind: ProbedMonitor['kind'];
  /** What was asked, in short: a URL, a host and port, a command. */
  readonly target: string;
  readonly checkedAt: number;
  readonly status: Status;
  /** Why it is not up. */
  readonly reason: { readonly category: string; readonly message: string } | null;
  readonly latencyMs: number | null;
  readonly failThreshold: number;
  readonly tracks: readonly TrackView[];
  readonly answer: Answer | null;
  readonly certificate: (Certificate & { readonly distrust: string | null }) | null;
  readonly verdicts: readonly ExpectationVerdict[];
  readonly curl: string | null;
}

export interface Probed {
  readonly monitor: ProbedMonitor;
  readonly isConfigured: boolean;
  readonly checkedAt: number;
  readonly result: ProbeResult;
  readonly tracks: readonly AttemptTrace[];
}

export function reportOn(probed: Probed, ctx: Pick<ProbeContext, 'redact' | 'version'>): ProbeReport {
  const { monitor, isConfigured, checkedAt, result, tracks } = probed;
  const { redact } = ctx;
  const status = assess(result, monitor.degraded_over_ms);
  const isSlow = status === 'degraded' && result.reason === null;
  const firsts = tracks.flatMap(({ legs }) => legs.slice(0, 1));
  const first = firsts.find(({ tls }) => tls !== null) ?? null;
  return {
    id: isConfigured ? monitor.id : null,
    name: isConfigured ? redact(monitor.name) : targetOf(monitor, redact),
    kind: monitor.kind,
    target: targetOf(monitor, redact),
    checkedAt,
    status,
    reason: isSlow
      ? { category: 'slow', message: `slower than ${monitor.degraded_over_ms ?? 0} ms` }
      : result.reason,
    latencyMs: result.latencyMs,
    failThreshold: monitor.fail_threshold,
    tracks: tracks.map((track) => trackView(track, redact)),
    answer: result.answer,
    certificate: certificateView(result.certificate, tracks),
    verdicts: verdictsOn(monitor, { result, first }).map((verdict) => ({
      ...verdict,
      actual: redact(verdict.actual),
    })),
    curl:
      monitor.kind === 'http'
        ? curlLine(monitor, {
            ...ctx,
            isHttp2: isHttp2(result.answer),
            isRedirectRefused: result.reason?.category === 'redirect',
          })
        : null,
  };
}

function targetOf(monitor: ProbedMonitor, redact: (text: string) => string): string {
  switch (monitor.kind) {
    case 'http':
      return shownUrl(monitor.target, redact);
    case 'exec':
      return redact(monitor.command.join(' '));
    case 'dns':
      return redact(`${monitor.dns_record} ${monitor.target}`);
    case 'tcp':
    case 'icmp':
      return redact(monitor.target);
  }
}

/** A redirect may lead to a session of its own: values that are credentials by their name are masked, too. */
function shownUrl(url: string, redact: (text: string) => string): string {
  return redact(url)
    .replace(/\/\/[^/@?#]*@/, '//***@')
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
      credentialName.test(name) ? `${mark}${name}=***` : whole,
    );
}

function trackView({ families, legs, tookMs }: AttemptTrace, redact: (text: string) => string): TrackView {
  const [only = null, other] = families;
  return {
    family: other === undefined ? only : null,
    tookMs,
    legs: legs.map((leg) => legView(leg, redact)),
  };
}

function legView(leg: ConnectionTrace, redact: (text: string) => string): LegView {
  const { method, url, spans, host, addresses, address, unreached, tls, answer } = leg;
  return {
    method,
    url: url === null ? null : shownUrl(url, redact),
    spans,
    host: host === null ? null : redact(host),
    addresses: addresses.map((one) => one.address),
    address,
    unreached: unreached.map((one) => ({ address: one.address, message: redact(one.message) })),
    tls: tls && { protocol: tls.protocol, cipher: tls.cipher },
    answer: answer && {
      status: answer.statusCode,
      statusText: redact(answer.statusText),
      bodyBytes: answer.bodyBytes,
      end: answer.end,
    },
  };
}

/** The certificate that counts is that of the target; a proxy and the ends of redirects have their own. */
function certificateView(
  certificate: Certificate | null,
  tracks: readonly AttemptTrace[],
): ProbeReport['certificate'] {
  if (certificate === null) return null;
  const secured = tracks
    .flatMap(({ legs }) => legs.map(({ tls }) => tls))
    .find((tls) => tls?.certificate?.spkiSha256 === certificate.spkiSha256);
  return { ...certificate, distrust: secured?.distrust ?? null };
}
