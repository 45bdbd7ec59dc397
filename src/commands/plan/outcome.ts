/** What `plan` found out. */
import type { ConfigDifference } from './difference.ts';
import type { Impact } from './impact.ts';

/** What the configuration is compared with. */
export type Ground =
  /** Another file. */
  | { readonly kind: 'file'; readonly file: string }
  /** What the daemon wrote down when it started or last reloaded; `pid` null: it runs no more. */
  | { readonly kind: 'daemon'; readonly sinceAt: number; readonly pid: number | null }
  /** The monitors alone: the daemon is of a version that did not write down what it runs. */
  | { readonly kind: 'monitors' };

export interface PlanOutcome {
  /** The file that would be read. */
  readonly file: string;
  readonly ground: Ground;
  readonly difference: ConfigDifference;
  readonly impact: Impact;
  /** Days that the history of a monitor is kept when the configuration has it no more. */
  readonly keptDays: number;
}
