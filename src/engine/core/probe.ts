/** The result of a probe: outcome, reason, timings, answer. */
import { ownFaultKey } from './own-fault.ts';

/** The kinds that are probed at a target, which `init`, `add` and `probe` take on the command line. */
export const targetKinds = ['http', 'tcp', 'icmp', 'dns'] as const;
export type TargetKind = (typeof targetKinds)[number];

export type MonitorKind = TargetKind | 'push' | 'exec';

/**
 * What one probe saw. `healthy`: answered as expected. `degraded`: answered, with a warning of its own
 * (an exec plugin's 1, a certificate whose key is not the pinned one, one address family of two).
 * `failed`: the target did not answer as expected. `unknown`: the question could not be asked, through a
 * fault of this host (no `ping`, no file descriptors, a dead resolver); it says nothing about the target.
 */
export type Outcome = 'healthy' | 'degraded' | 'failed' | 'unknown';

/** The public side of a reason: names no host, path, header or content. */
export const categories = [
  'timeout',
  'dns',
  'connection',
  'tls',
  'certificate_key',
  'status',
  'content',
  'redirect',
  'protocol',
  'plugin',
  'heartbeat',
  'address_family',
  'own_fault',
] as const;
export type Category = (typeof categories)[number];

/** Why an outcome is not healthy: one full sentence for the operator, one category for everyone. */
export interface Reason {
  readonly category: Category;
  readonly message: string;
  /** What of this host prevented the check (ownFaultKey); absent when nothing did, or it stood still meanwhile. */
  readonly ownFault?: string;
}

/** Milliseconds spent in each part of a probe; null where the part did not happen. */
export interface Timings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number | null;
}

export const noTimings: Timings = {
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  totalMs: null,
};

/** One certificate of a chain. Instants are epoch milliseconds. */
export interface CertificateLink {
  readonly subject: string;
  readonly issuer: string;
  readonly validFromAt: number;
  readonly validToAt: number;
}

/** What a TLS server presented. `spkiSha256` is the lower-case hex digest of the leaf's public key (SPKI). */
export interface Certificate extends CertificateLink {
  readonly spkiSha256: string;
  readonly isTrusted: boolean;
  /** The leaf first. */
  readonly chain: readonly CertificateLink[];
}

/** The response of a target as text: the start of what it answered, already bounded. */
export interface Answer {
  /** `HTTP/1.1 503 Service Unavailable`, or the equivalent first line of another protocol. */
  readonly statusLine: string;
  /** Without those that carry credentials. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** How many headers more there were than are kept; left out: none. */
  readonly moreHeaders?: number;
  readonly body: string;
}

/** One expectation of the config and what was seen instead. */
export interface Assertion {
  /** The config key that asks for it: `expected_status`, `keyword`, `json_query`… */
  readonly key: string;
  readonly isMet: boolean;
  readonly expected: string;
  readonly actual: string;
}

/** What one probe (one attempt) reports. `reason` is null exactly when the outcome is `healthy`. */
export interface ProbeResult {
  readonly outcome: Outcome;
  readonly reason: Reason | null;
  /** The latency of the sample in milliseconds; null when nothing answered. */
  readonly latencyMs: number | null;
  readonly timings: Timings;
  readonly answer: Answer | null;
  readonly assertions: readonly Assertion[];
  readonly certificate: Certificate | null;
  /** The address that answered, or was tried last. */
  readonly address: string | null;
  /** Nothing at all came back: a timeout, no route, no name server. Left out: something did, or it cannot be said. */
  readonly isSilence?: boolean;
  /** The address is one of this machine, so that it answers with or without a network. Left out: it is not. */
  readonly isOwnAddress?: boolean;
}

/** A probe and its retries, counted as one. `result` is that of the last attempt. */
export interface CheckResult {
  /** Epoch milliseconds at which the first attempt started. */
  readonly startedAt: number;
  readonly attempts: number;
  readonly result: ProbeResult;
}

/** A check that broke although it never should. */
export const brokenResult: ProbeResult = {
  outcome: 'unknown',
  reason: {
    category: 'own_fault',
    message: 'the check could not be made',
    ownFault: ownFaultKey('program'),
  },
  latencyMs: null,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
};
