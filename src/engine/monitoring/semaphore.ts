/** Bounds the checks in flight; those that hang are counted apart and take no place from the others. */
import type { Clock } from '../core/clock.ts';

export interface SemaphorePlaces {
  /** For checks of targets that answered promptly the last time, or were not checked yet. */
  readonly prompt: number;
  /** For checks of targets that hung the last time, and for those that turn out to hang. */
  readonly slow: number;
}

/** A place that a check has taken; to be given back with `leave`. */
export interface Permit {
  readonly sinceMs: number;
  /** Where it counts at the moment. */
  isSlow: boolean;
}

interface Waiting {
  readonly sinceMs: number;
  readonly enter: (permit: Permit) => void;
}

/** A check that takes this long hangs: its place is needed more by one that answers. */
export const hangsAfterMs = 2000;

export class Semaphore {
  private readonly places: SemaphorePlaces;
  private readonly clock: Clock;
  private readonly waiting: { readonly prompt: Waiting[]; readonly slow: Waiting[] } = {
    prompt: [],
    slow: [],
  };
  /** In the order they were taken. */
  private readonly prompt = new Set<Permit>();
  private slow = 0;

  constructor(places: SemaphorePlaces, clock: Clock) {
    this.places = places;
    this.clock = clock;
  }

  get inside(): number {
    return this.prompt.size + this.slow;
  }

  /** Calls `enter` when there is a place, at once when there is one now. `isSlow`: the last check hung. */
  pass(isSlow: boolean, enter: (permit: Permit) => void): void {
    this.waiting[isSlow ? 'slow' : 'prompt'].push({ sinceMs: this.clock.monotonic(), enter });
    this.admit();
  }

  leave(permit: Permit): void {
    if (permit.isSlow) this.slow -= 1;
    else this.prompt.delete(permit);
    this.admit();
  }

  /** Lets in the checks that have a place by now; to be called from time to time, since a check hangs unnoticed. */
  admit(): void {
    while (this.waiting.prompt.length > 0 && this.makeRoom()) this.enter('prompt');
    while (this.waiting.slow.length > 0 && this.slow < this.places.slow) this.enter('slow');
  }

  /** How long the first check of a prompt target has been waiting; 0 when there is none. */
  longestWaitMs(): number {
    const [first] = this.waiting.prompt;
    return first === undefined ? 0 : this.clock.monotonic() - first.sinceMs;
  }

  /** Whether a prompt place is free, after moving the oldest check among them to the slow ones if that hangs. */
  private makeRoom(): boolean {
    if (this.prompt.size < this.places.prompt) return true;
    const [oldest] = this.prompt;
    if (oldest === undefined || this.slow >= this.places.slow) return false;
    if (this.clock.monotonic() - oldest.sinceMs < hangsAfterMs) return false;
    this.prompt.delete(oldest);
    oldest.isSlow = true;
    this.slow += 1;
    return true;
  }

  private enter(room: 'prompt' | 'slow'): void {
    const next = this.waiting[room].shift();
    if (next === undefined) return;
    const permit: Permit = { sinceMs: this.clock.monotonic(), isSlow: room === 'slow' };
    if (permit.isSlow) this.slow += 1;
    else this.prompt.add(permit);
    next.enter(permit);
  }
}
