/** Decides the result of a run of `check`: which statuses fail it, and its exit code. */
import { exitCodes, type ExitCode } from '../exit.ts';
import type { CheckReport, CheckStatus } from './report.ts';

export const failLevels = ['down', 'degraded', 'never'] as const;
export type FailLevel = (typeof failLevels)[number];

/** `degraded` asks for everything to be up, so what could not be asked fails it too. */
export function failingStatuses(level: FailLevel): readonly CheckStatus[] {
  switch (level) {
    case 'down':
      return ['down'];
    case 'degraded':
      return ['down', 'degraded', 'unknown'];
    case 'never':
      return [];
  }
}

/** The state of the Nagios plugin API, worst first: critical, warning, unknown, ok. */
export function nagiosState({ counts, isInterrupted }: Pick<CheckReport, 'counts' | 'isInterrupted'>): {
  readonly word: 'OK' | 'WARNING' | 'CRITICAL' | 'UNKNOWN';
  readonly code: 0 | 1 | 2 | 3;
} {
  if (counts.down > 0) return { word: 'CRITICAL', code: 2 };
  if (counts.degraded > 0) return { word: 'WARNING', code: 1 };
  if (counts.unknown > 0 || isInterrupted) return { word: 'UNKNOWN', code: 3 };
  return { word: 'OK', code: 0 };
}

/** The exit code of a finished run. A Nagios plugin reports states and has no `--fail-on`. */
export function exitCodeFor(report: CheckReport, isNagios: boolean): ExitCode {
  if (report.isInterrupted) return exitCodes.interrupted;
  if (isNagios) return nagiosState(report).code;
  return report.isOk ? exitCodes.ok : exitCodes.wrong;
}
