/** One finding of `doctor`. */
import type { Config } from '../../engine/config/config.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import type { Context } from '../context.ts';

export type DoctorVerdict = 'ok' | 'warn' | 'fail';

export interface DoctorFinding {
  readonly verdict: DoctorVerdict;
  /** One sentence, without a full stop. */
  readonly message: string;
  /** What to do about it; null when all is well. */
  readonly cure: string | null;
}

export const ok = (message: string): DoctorFinding => ({ verdict: 'ok', message, cure: null });
export const warn = (message: string, cure: string): DoctorFinding => ({ verdict: 'warn', message, cure });
export const fail = (message: string, cure: string): DoctorFinding => ({ verdict: 'fail', message, cure });

/** What is looked at, and with what. */
export interface Examined {
  readonly config: Config;
  readonly env: Context['env'];
  /** Its signal is aborted when the look has taken too long. */
  readonly ctx: ProbeContext;
  /** Ask channels whether their credentials are good. */
  readonly isAskingChannels: boolean;
  /** Forget the lost changes that are shown. */
  readonly isSeen: boolean;
}

/** A look at one thing. No findings: the configuration has no need of it. */
export interface DoctorCheck {
  readonly name: string;
  readonly patienceMs: number;
  readonly run: (examined: Examined) => Promise<readonly DoctorFinding[]>;
}
