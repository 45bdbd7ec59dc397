/** What came of a test that was played. Instants are ms from its start. */
import type { DecisionFacts } from '../../../engine/core/record.ts';
import type { EventName } from '../../../engine/alerting/event-names.ts';
import type { Status } from '../../../engine/core/status.ts';
import type { ExpectedState } from '../format/test-file.ts';

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
