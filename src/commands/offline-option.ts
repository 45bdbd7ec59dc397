/** The option of every command that changes what the daemon knows: do it without regard to a daemon. */
import { Option } from 'clipanion';

/** For what may be set before the first start. */
export const offlineMakes =
  'Change the database directly, without looking for its daemon; create it if it is missing.';

/** `what`: what it does without a daemon, where that is more than leaving the check out. */
export function offlineOption(
  what = 'Change the database directly, without looking for its daemon.',
): boolean {
  return Option.Boolean('--offline', false, { description: what });
}
