/** Reports changes in the folder of a database, so that it is not read for nothing. */
import { callAfter, type Clock } from '../../engine/core/clock.ts';
import type { Files } from './files/files.ts';

/** After so many between two looks nobody listens any more: each wakes the process. */
const mostEvents = 100;

const nothing = (): void => undefined;

export class FolderNews {
  private readonly files: Pick<Files, 'listen'>;
  private readonly directory: string;
  private stopListening: (() => void) | null = null;
  private events = 0;
  private ring = nothing;

  constructor(files: Pick<Files, 'listen'>, directory: string) {
    this.files = files;
    this.directory = directory;
  }

  /**
   * Listens anew, since the folder may be another one by now; what happened before is to be looked for. Where it cannot
   * listen there is always news.
   */
  async listen(): Promise<void> {
    this.stop();
    this.stopListening = (await this.files.listen?.(this.directory, this.onEvent).catch(() => null)) ?? null;
  }

  /** Whether something may have happened since `forget` was called, or happens within `ms`. */
  comesWithin(clock: Pick<Clock, 'sleep' | 'after'>, ms: number): Promise<boolean> {
    if (this.isAny) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = () => {
        this.ring = nothing;
        callOff();
        resolve(this.isAny);
      };
      const callOff = callAfter(clock, ms, end);
      this.ring = end;
    });
  }

  forget(): void {
    this.events = 0;
  }

  stop(): void {
    const stop = this.stopListening ?? nothing;
    this.stopListening = null;
    stop();
    this.ring();
  }

  private get isAny(): boolean {
    return this.stopListening === null || this.events > 0;
  }

  private readonly onEvent = (): void => {
    this.events += 1;
    if (this.events >= mostEvents) this.stop();
    else this.ring();
  };
}
