/** Where `statusd top` reads from, and what it can do there. */
import type { Detail, Model } from '../../tui/model.ts';

/** What came of something an operator did, in one line. */
export interface Done {
  readonly text: string;
  readonly isBad: boolean;
}

export interface SummarySource {
  /** The whole summary as the API gives it, for programs. */
  readonly summary: () => Promise<unknown>;
  /** What was found damaged, a sentence each. */
  readonly warnings: () => readonly string[];
  /** Rejects with a StatusdError when it cannot be read now. */
  readonly read: () => Promise<Model>;
  readonly look: (monitor: string) => Promise<Detail>;
  /** Calls `listener` when something happened that should be shown at once; answers how to stop. */
  readonly follow: (listener: () => void) => () => void;
  /** Milliseconds that the source asks to be left alone for; 0: none. */
  readonly patienceMs: () => number;
  readonly silence: (monitor: string, text: string) => Promise<Done>;
  readonly announce: (text: string) => Promise<Done>;
  readonly annotate: (monitor: string, note: string) => Promise<Done>;
  readonly close: () => Promise<void>;
}

/** Reads what an operator typed into the last line of the screen. */

/** `1h deploy of the API`: how long, then why. */
export function silenceTyped(text: string): { readonly duration: string; readonly reason: string } {
  const [duration = '', ...words] = text.trim().split(/\s+/);
  return { duration, reason: words.join(' ') };
}

/** `warning: slow today`; without a severity in front it is info. */
export function bannerTyped(text: string): { readonly severity: string; readonly title: string } {
  const found = /^(info|warning|critical|resolved):\s*(.*)$/is.exec(text.trim());
  return { severity: found?.[1]?.toLowerCase() ?? 'info', title: found?.[2] ?? text.trim() };
}
