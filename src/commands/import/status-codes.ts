/** Turns the accepted status codes into `expected_status` and `follow_redirects`. */
import type { TomlValue } from './toml-value.ts';

const first = 200;
const last = 599;

/**
 * The settings for the codes that `isFine` accepts. `isFollowing`: a redirect is followed, and a code 3xx is the answer
 * only where it leads nowhere; else every 3xx is the answer.
 */
export function acceptedStatus(
  isFine: (code: number) => boolean,
  isFollowing: boolean,
): (readonly [key: string, value: TomlValue])[] {
  const fine = range(first, last).filter(isFine);
  const value = setting(fine);
  // Without the setting, statusd follows unless a 3xx is expected.
  const isFollowingAnyway = !fine.some((code) => code >= 300 && code <= 399);
  return [
    ...(value === null ? [] : ([['expected_status', value]] as const)),
    ...(isFollowing === isFollowingAnyway ? [] : ([['follow_redirects', isFollowing]] as const)),
  ];
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
  return values.length === 1 && values[0] !== undefined ? values[0] : values;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
