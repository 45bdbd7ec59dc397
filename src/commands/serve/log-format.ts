/** Reads the format of the log from the command line. */
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';

export const logFormats = ['auto', 'text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** `--log-format` as it was typed; `--json` is short for json. Throws StatusdError `usage`. */
export function readLogFormat(
  typed: string | undefined,
  { isJson }: { readonly isJson: boolean },
): LogFormat {
  if (typed === undefined) return isJson ? 'json' : 'auto';
  const format = logFormats.find((name) => name === typed);
  if (format === undefined) {
    throw new StatusdError('usage', `--log-format cannot be '${cleanLine(typed)}'`, {
      hint: `It is one of: ${logFormats.join(', ')}.`,
    });
  }
  if (isJson && format === 'text') {
    throw new StatusdError('usage', '--json and --log-format text do not go together');
  }
  return format;
}
