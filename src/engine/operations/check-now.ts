/** Lists the monitors that an operator can have checked at once. */
import type { Monitor } from '../config/config.ts';
import { StatusdError } from '../core/errors.ts';

/** Why nobody can ask a monitor, as a sentence without its end; null: it can be asked. */
export function whyUnasked({ id, kind }: Pick<Monitor, 'id' | 'kind'>): string | null {
  return kind === 'push' ? `${id} is a push monitor: it is not asked, it sends heartbeats` : null;
}

/** Throws `usage` for a monitor that sends heartbeats: nobody can ask it. */
export function refuseUnasked(monitor: Pick<Monitor, 'id' | 'kind'>): void {
  const why = whyUnasked(monitor);
  if (why === null) return;
  throw new StatusdError('usage', why, {
    hint: `\`statusd explain ${monitor.id}\` shows when the next check is due.`,
  });
}
