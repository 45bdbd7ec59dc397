/** Whether a node that stands by could lead, as it tells others: a leader that hears so would step down. */
import type { Clock } from '../../engine/core/clock.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import { healthIn } from '../store/session.ts';
import type { StoreHealth } from '../store/store.ts';
import type { Trouble } from '../wal/committer.ts';

interface ReadinessOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly onWarning: (message: string) => void;
}

export class Readiness {
  private readonly options: ReadinessOptions;
  /** Why it could not; null: it could. */
  private trouble: Trouble | null = null;

  constructor(options: ReadinessOptions) {
    this.options = options;
  }

  /** It could not, which is warned of once for as long as it lasts. */
  note(error: StatusdError): void {
    const { clock, onWarning } = this.options;
    if (this.trouble === null) onWarning(`this node cannot lead: ${error.message}. ${error.hint ?? ''}`);
    this.trouble = { error, since: this.trouble?.since ?? clock.now() };
  }

  /** It could. */
  clear(): void {
    this.trouble = null;
  }

  /** Reading may go on all the same. */
  health(ofReading: StoreHealth): StoreHealth {
    return this.trouble === null ? ofReading : healthIn(this.trouble);
  }
}
