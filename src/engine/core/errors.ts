/** The catalogue of named errors: everything that can go wrong and that a user can do something about. */

/** Every code an error can carry. Exit codes (src/commands/exit.ts) and HTTP statuses are derived from it. */
export const errorCodes = [
  'usage',
  'config_missing',
  'config_unreadable',
  'config_invalid',
  'store_unusable',
  'store_in_use',
  'store_full',
  'store_failing',
  'address_unusable',
  'daemon_unreachable',
  'not_found',
  'conflict',
  'refused',
  'interrupted',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** What an error may add to its sentence: what to do next, and what caused it. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An error meant for the user: `message` is one plain sentence that names the place,
 * `hint` says what to do next. Neither may hold a secret.
 */
export class StatusdError extends Error {
  override readonly name = 'StatusdError';
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.hint = details.hint ?? null;
  }
}
