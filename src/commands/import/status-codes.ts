/** Turns the accepted status codes into `expected_status`. */
import type { TomlValue } from './toml-value.ts';

const first = 200;
const last = 599;

export interface Accepted {
  /** Null: any 2xx, which needs no setting. */
  readonly value: TomlValue | null;
  /** What cannot be said: a redirect is either followed or an answer. */
  readonly loss: 'none' | 'redirect_is_followed_anyway';
}

/**
 * The setting for the final codes `isFine` accepts. With `isFollowing` redirects were followed, so codes 3xx were
 * never the answer unless nothing else was fine.
 */
export function acceptedStatus(isFine: (code: number) => boolean, isFollowing: boolean): Accepted {
  const fine = range(first, last).filter(isFine);
  const others = fine.filter((code) => code < 300 || code > 399);
  if (isFollowing) {
    return { value: setting(others.length > 0 ? others : fine), loss: 'none' };
  }
  const hasRedirect = others.length < fine.length;
  return { value: setting(fine), loss: hasRedirect ? 'none' : 'redirect_is_followed_anyway' };
}

function setting(codes: readonly number[]): TomlValue | null {
  const spans: { from: number; to: number }[] = [];
  for (const code of codes) {
    const span = spans.at(-1);
    if (span?.to === code - 1) span.to = code;
    else spans.push({ from: code, to: code });
  }
  if (spans.length === 1 && spans[0]?.from === 200 && spans[0].to === 299) return null;
  const values = spans.map(({ from, to }) => (from === to ? from : `${from}-${to}`));
  return values.length === 1 && typeof values[0] === 'number' ? values[0] : values;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
