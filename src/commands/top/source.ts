/** A source of `statusd top`: what can be read there, and which actions are possible. */
import type { LiveView } from '../../engine/views/live.ts';
import type { DaemonState, Detail, Model } from '../../tui/model.ts';
import type { OperatorAction } from '../../tui/prompt.ts';

/** The result of an action, in one line. */
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
  /** Everything about one monitor, its latency of the last `hours`. */
  readonly look: (monitor: string, hours: number) => Promise<Detail>;
  /** What there is beyond the summary, with the last checks of these monitors; null: it does not say. */
  readonly glance: (monitors: readonly string[]) => Promise<LiveView | null>;
  /** Whether a daemon runs there. Never rejects. */
  readonly daemon: () => Promise<DaemonState>;
  /** Calls `listener` when something happened that should be shown at once; answers how to stop. */
  readonly follow: (listener: () => void) => () => void;
  /** Milliseconds that the source asks to be left alone for; 0: none. */
  readonly patienceMs: () => number;
  readonly act: (action: OperatorAction) => Promise<Done>;
  readonly close: () => Promise<void>;
}
