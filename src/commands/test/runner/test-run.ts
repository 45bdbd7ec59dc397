/** The result of one test run. Instants are ms from its start. */
import type { Status } from '../../../engine/core/status.ts';
import type { ExpectedState } from '../format/test-file.ts';
import type { Series, SeriesWord } from '../format/series.ts';
import type { EventName } from '../../../engine/alerting/events/catalogue.ts';
import type { DecisionFacts } from '../../../engine/core/record.ts';

/** A message that a channel took. */
export interface Notified {
  readonly atMs: number;
  readonly channel: string;
  readonly event: EventName;
  readonly monitor: string | null;
  readonly impacted: readonly string[];
  readonly cause: string | null;
  readonly isLate: boolean;
  /** Its first line as people read it. */
  readonly title: string;
}

/** Something that happened, in words. */
export interface PlayedEvent {
  readonly atMs: number;
  /** Null: it concerns all. */
  readonly monitor: string | null;
  readonly text: string;
}

export interface Decided extends Pick<DecisionFacts, 'monitor' | 'channel' | 'event' | 'verdict' | 'reason'> {
  readonly atMs: number;
  readonly detail: string;
}

export interface PlayedMonitor {
  readonly status: Status;
  readonly hasIncident: boolean;
}

export interface PlayedTest {
  readonly endMs: number;
  readonly notified: readonly Notified[];
  readonly happened: readonly PlayedEvent[];
  readonly decided: readonly Decided[];
  /** What was to be seen at each time that was asked for. */
  readonly shown: ReadonlyMap<ExpectedState, PlayedMonitor>;
}

/** A series laid out in time: what a target is like at each instant. */
export interface Scenario {
  /** The word in force `atMs` after the start. */
  readonly at: (atMs: number) => SeriesWord;
  /** When the last word begins to last on. */
  readonly settledMs: number;
}

/** `intervalMs` is how long a check stands for. */
export function scenarioOf(series: Series, intervalMs: number): Scenario {
  let fromMs = 0;
  const spots = series.map(({ word, length }) => {
    const spot = { fromMs, word };
    fromMs += length.kind === 'span' ? length.ms : length.count * intervalMs;
    return spot;
  });
  return {
    at: (atMs) => spots.findLast((spot) => spot.fromMs <= atMs)?.word ?? series[0].word,
    settledMs: fromMs,
  };
}
