/** Histories written as letters, one a sample: u up, s slow, w warned, f failed, ? unknown, l late, m missed. */
import { type SampleHistory, marks } from '../../../../src/engine/core/sample-history.ts';
import type { CheckPolicy } from '../../../../src/engine/core/sample.ts';

export const startAt = Date.UTC(2026, 10, 1);
export const minuteMs = 60_000;
const slowMs = 900;

export const policy: CheckPolicy = {
  failThreshold: 3,
  recoverThreshold: 1,
  degradedOverMs: 500,
  forgetAfterMs: 900_000,
};

const markOf: Readonly<Record<string, number>> = {
  u: marks.answered,
  s: marks.answered,
  w: marks.warned,
  f: marks.failed,
  '?': marks.unknown,
  l: marks.late,
  m: marks.missed,
};

/** Spaces part groups for the eye. `.` is a minute in which nobody looked; a number repeats the letter before it. */
export function historyOf(text: string, stepMs = minuteMs): SampleHistory {
  const letters = text
    .replace(/\s/g, '')
    .replace(/(\D)(\d+)/g, (_, letter: string, times: string) => letter.repeat(Number(times)));
  const seen = Array.from(letters, (letter, index) => ({ letter, at: startAt + index * stepMs })).filter(
    ({ letter }) => letter !== '.',
  );
  return {
    ats: Float64Array.from(seen, ({ at }) => at),
    latencies: Float64Array.from(seen, ({ letter }) =>
      letter === 'u' ? 100 : letter === 's' ? slowMs : NaN,
    ),
    marks: Uint8Array.from(seen, ({ letter }) => markOf[letter] ?? marks.unknown),
  };
}
