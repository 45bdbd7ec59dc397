/** Masks the secrets in what a probe reports. */
import type { Draft } from '../core/draft.ts';
import type { ProbeResult } from '../core/probe.ts';

/** Every text that a target, a plugin or the configuration had a part in goes through `redact`. */
export function redactResult(result: ProbeResult, redact: (text: string) => string): ProbeResult {
  const { reason, answer, assertions } = result;
  const redacted: Draft<ProbeResult> = { ...result };
  redacted.reason = reason && {
    ...reason,
    message: redact(reason.message),
    ...(reason.ownFault !== undefined && { ownFault: redact(reason.ownFault) }),
  };
  redacted.answer = answer && {
    ...answer,
    statusLine: redact(answer.statusLine),
    headers: answer.headers.map(([name, value]) => [redact(name), redact(value)]),
    body: redact(answer.body),
  };
  redacted.assertions = assertions.map(({ key, isMet, expected, actual }) => ({
    key,
    isMet,
    expected: redact(expected),
    actual: redact(actual),
  }));
  return redacted;
}
