/** The plan of the demo: what breaks when, and what to expect of it. */
import type { Clock } from '../../engine/core/clock.ts';
import type { Switches } from './switches.ts';

export interface Scene {
  /** Seconds after the beginning of the round. */
  readonly atSecs: number;
  readonly text: string;
  readonly change?: Partial<Switches>;
}

/** After this the plan begins anew. */
export const roundSecs = 150;

export const story: readonly Scene[] = [
  { atSecs: 0, text: 'everything works; the flaky service fails twice in ten, and nobody is notified' },
  {
    atSecs: 15,
    text: 'the search becomes slow for 20 s: it is shown as degraded, and nobody is notified',
    change: { isSearchSlow: true },
  },
  {
    atSecs: 35,
    text: 'the search is fast again; in 5 s the database fails',
    change: { isSearchSlow: false },
  },
  {
    atSecs: 40,
    text: 'the database fails, and the API and the shop with it: 3 monitors, but one message in about 10 s',
    change: { isDatabaseUp: false },
  },
  { atSecs: 80, text: 'the database works again: one message says so', change: { isDatabaseUp: true } },
  {
    atSecs: 95,
    text: 'the backup job stops sending heartbeats: late in about 4 s, down 6 s later, then an alert',
    change: { isJobRunning: false },
  },
  {
    atSecs: 130,
    text: 'the backup job sends heartbeats again; in 20 s all this begins anew',
    change: { isJobRunning: true },
  },
];

export interface StoryOptions {
  readonly clock: Clock;
  readonly change: (change: Partial<Switches>) => void;
  readonly say: (text: string) => void;
  /** Ends the story. */
  readonly signal: AbortSignal;
}

/** Goes through the plan again and again. Resolves when `signal` is aborted. */
export async function playStory({ clock, change: apply, say, signal }: StoryOptions): Promise<void> {
  const isOver = () => signal.aborted;
  let roundAt = clock.monotonic();
  while (!isOver()) {
    for (const { atSecs, text, change } of story) {
      const waitMs = roundAt + atSecs * 1000 - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined);
      if (isOver()) return;
      if (change !== undefined) apply(change);
      say(text);
    }
    roundAt += roundSecs * 1000;
  }
}
