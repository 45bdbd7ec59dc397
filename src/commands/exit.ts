/** The one place where exit codes are decided. */
import type { ErrorCode } from '../engine/core/errors.ts';

export const exitCodes = {
  ok: 0,
  wrong: 1,
  usage: 2,
  config: 3,
  store: 4,
  notFound: 5,
  refused: 6,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof exitCodes;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The state of a Nagios plugin that could not find out what it was asked. */
export const nagiosUnknown = 3;

/** The exit code that an error of this kind ends the process with. */
export const exitCodeOf: Readonly<Record<ErrorCode, ExitCode>> = {
  usage: exitCodes.usage,
  config_missing: exitCodes.config,
  config_unreadable: exitCodes.config,
  config_invalid: exitCodes.config,
  store_unusable: exitCodes.store,
  store_in_use: exitCodes.store,
  store_full: exitCodes.store,
  store_failing: exitCodes.store,
  address_unusable: exitCodes.store,
  daemon_unreachable: exitCodes.store,
  not_found: exitCodes.notFound,
  conflict: exitCodes.wrong,
  refused: exitCodes.refused,
  interrupted: exitCodes.interrupted,
};
