/** Renders pages ahead of the first request, so that the first reader waits no longer than the next. */
import type { Handler, Request } from './http-types.ts';
import type { Clock } from '../engine/core/clock.ts';
import { paced, yieldToEventLoop } from '../engine/core/yielding.ts';
import type { Figures } from './scope/figures.ts';

export interface Warming {
  /** Reads a little. Answers whether nothing is left. */
  readonly step: () => boolean;
  /** Makes a page once all is read; it makes pauses of its own. Null: it is made for its first reader. */
  readonly ask: Handler | null;
  /** That of operators, who see more; null: nobody can be one. */
  readonly token: () => { readonly reveal: () => string } | null;
  /** Lets others have their turn, when it is time. */
  readonly yieldTurn: () => Promise<void>;
}

export interface KeepingWarm {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Makes anew what has changed; it makes pauses of its own. */
  readonly make: () => Promise<unknown>;
}

/** How often pages are renewed without a request, so that the first reader after a quiet night waits for little. */
const everyMs = 15_000;

/** Makes now and then what is not asked for, until `signal` is aborted. */
export async function keepWarm({ clock, make }: KeepingWarm, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(everyMs, signal);
    await make();
  }
}

interface KeptPage {
  /** A reader asked for it. */
  readonly noteReader: () => void;
  /** Makes it, where it is worth that. */
  readonly make: () => Promise<void>;
}

/** How long after a request a page is prepared for the next reader. */
const keptWarmMs = 600_000;

/** Of so many monitors a page takes long enough for a reader to notice. */
const manyMonitors = 2000;

/** Whether a page of these is made ahead as long as the daemon runs, and shown for a while when it is no longer fresh. */
export function isLarge({ length }: { readonly length: number }): boolean {
  return length >= manyMonitors;
}

interface KeepingPage {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly monitors: () => readonly unknown[];
  readonly ask: () => unknown;
}

/** Decides whether the page that `ask` makes is to be made although nobody asks. */
export function createKeptPage({ clock, monitors, ask }: KeepingPage): KeptPage {
  let askedMs = -Infinity;
  let isAsked = false;
  return {
    noteReader: () => {
      isAsked = true;
    },
    make: async () => {
      const nowMs = clock.monotonic();
      if (isAsked) askedMs = nowMs;
      isAsked = false;
      if (nowMs - askedMs < keptWarmMs || isLarge(monitors())) await ask();
    },
  };
}

interface ReadingHours {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly monitors: () => readonly { readonly id: string }[];
}

/**
 * Answers what reads the figures of all monitors once in each hour, with pauses. Samples add to what was read, but which
 * hours count is another matter with each: left to the first reader, it would be four queries a monitor while they wait.
 */
export function createHourlyReading(
  figures: Pick<Figures, 'refresh' | 'ofManyAt'>,
  { clock, monitors }: ReadingHours,
): () => Promise<void> {
  let readHour = -1;
  return async () => {
    const hour = Math.floor(clock.now() / 3_600_000);
    if (hour === readHour) return;
    readHour = hour;
    const yieldTurn = paced(clock.monotonic);
    while (!figures.refresh()) await yieldTurn();
    const reading = figures.ofManyAt(clock.now());
    for (const { id } of monitors()) {
      reading.of(id);
      await yieldTurn();
    }
  };
}

export interface WarmUp {
  /** Resolves when the page of strangers is made, when it was stopped, and when it failed: then the first reader finds out. */
  readonly made: Promise<void>;
  /** Resolves when the page of operators is made, too, and nothing is under way any more. */
  readonly done: Promise<void>;
  readonly stop: () => void;
}

export function warmUp({ step, ask, token, yieldTurn }: Warming): WarmUp {
  let isStopped = false;
  const run = async () => {
    // In the turn in which it begins the daemon becomes ready.
    await yieldToEventLoop();
    do {
      await yieldTurn();
      if (isStopped) return;
    } while (!step());
    await ask?.(firstRequest);
  };
  const askAsOperator = async () => {
    const own = token();
    if (!isStopped && own !== null) await ask?.(operatorsRequest(own.reveal()));
  };
  const made = run().catch(() => undefined);
  return {
    made,
    done: made.then(askAsOperator).catch(() => undefined),
    stop: () => {
      isStopped = true;
    },
  };
}

/** What most clients ask for first, asked before they do. */
const firstRequest: Request = {
  id: '',
  method: 'GET',
  target: '/',
  headers: { host: 'localhost', accept: 'text/html', 'accept-encoding': 'gzip' },
  hosts: 1,
  remoteAddress: '127.0.0.1',
  body: () => Buffer.alloc(0),
};

function operatorsRequest(token: string): Request {
  return { ...firstRequest, headers: { ...firstRequest.headers, authorization: `Bearer ${token}` } };
}

/** It is packed for each client that asks for it. */
export const laterRequest: Request = { ...firstRequest, headers: { host: 'localhost', accept: 'text/html' } };
