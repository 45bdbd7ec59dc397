/** What came of a test that was played. Instants are ms from its start. */
import type { DecisionRow } from '../../../db/topics/decisions.ts';
import type { EventName } from '../../../engine/core/tell/event.ts';
import type { Status } from '../../../engine/core/status.ts';
import type { ExpectedState } from '../format/test-file.ts';

/** A message that a channel took. */
export interface Told {
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
export interface Happened {
  readonly atMs: number;
  /** Null: it concerns all. */
  readonly monitor: string | null;
  readonly text: string;
}

export interface Decided extends Pick<DecisionRow, 'monitor' | 'channel' | 'event' | 'verdict' | 'reason'> {
  readonly atMs: number;
  readonly detail: string;
}

export interface Shown {
  readonly status: Status;
  readonly hasIncident: boolean;
}

export interface Played {
  readonly endMs: number;
  readonly told: readonly Told[];
  readonly happened: readonly Happened[];
  readonly decided: readonly Decided[];
  /** What was to be seen at each time that was asked for. */
  readonly shown: ReadonlyMap<ExpectedState, Shown>;
}
