/** Changes that a start could not restore, as operators get them. */
import { rfc3339 } from '../core/instant.ts';

export interface LossView {
  /** When the start found it. */
  readonly at: string;
  /** A sentence that names the file, or the shared log. */
  readonly message: string;
}

export function lossViews(
  losses: readonly { readonly at: number; readonly message: string }[],
): readonly LossView[] {
  return losses.map(({ at, message }) => ({ at: rfc3339(at), message }));
}
