/** A series laid out in time: what a target is like at each instant. */
import type { Series, SeriesWord } from '../format/series.ts';

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
