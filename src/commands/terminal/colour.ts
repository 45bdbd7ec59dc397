/** Decides whether a stream gets colour, in one place for every command. */
import pico from 'picocolors';

/** The few styles statusd draws with; without colour each one returns its text as it is. */
export interface Paint {
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly red: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

export interface ColourOptions {
  /** The flag `--no-color`. */
  readonly isRefused: boolean;
  readonly isTty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Whether to colour: `--no-color` beats the environment; FORCE_COLOR (not empty; `0` and `false` turn it
 * off) beats NO_COLOR (not empty), `TERM=dumb` and a stream that is no terminal.
 */
export function isColourWanted({ isRefused, isTty, env }: ColourOptions): boolean {
  if (isRefused) return false;
  const forced = env.FORCE_COLOR ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return false;
  return isTty;
}

export function paintWith(isColoured: boolean): Paint {
  return pico.createColors(isColoured);
}
