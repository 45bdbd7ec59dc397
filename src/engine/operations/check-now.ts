/** Says which monitors an operator can have checked out of turn. */
import type { Monitor } from '../config/config.ts';
import { StatusdError } from '../core/errors.ts';

/** Throws `usage` for a monitor that sends heartbeats: nobody can ask it. */
export function refuseUnasked({ id, kind }: Pick<Monitor, 'id' | 'kind'>): void {
  if (kind !== 'push') return;
  throw new StatusdError('usage', `${id} is a push monitor: it is not asked, it sends heartbeats`, {
    hint: `\`statusd explain ${id}\` says when the next one is due.`,
  });
}
