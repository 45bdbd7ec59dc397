/** The contents of a test file, validated. Spans and instants are ms from the start of a test. */
import type { Path } from '../../../engine/config/types/value.ts';
import type { RawTable } from '../../../engine/config/parse.ts';
import type { Locate } from '../../../engine/config/locate.ts';
import type { Config } from '../../../engine/config/config.ts';
import type { EventName } from '../../../engine/alerting/events/catalogue.ts';
import type { Status } from '../../../engine/core/status.ts';
import type { Series } from './series.ts';

export type TestEvent = { readonly atMs: number; readonly path: Path } & (
  | { readonly kind: 'silence'; readonly monitors: readonly string[] | null; readonly forMs: number }
  | { readonly kind: 'clear_silences' }
  | { readonly kind: 'acknowledge'; readonly monitor: string }
  | { readonly kind: 'restart'; readonly forMs: number }
  | { readonly kind: 'reload'; readonly settings: RawTable }
  | { readonly kind: 'channel_fails'; readonly channel: string; readonly forMs: number }
);

interface Within {
  readonly fromMs: number;
  /** Included; Infinity: to the end. */
  readonly toMs: number;
  readonly path: Path;
}

export interface ExpectedMessage extends Within {
  readonly kind: 'message';
  readonly channel: string | null;
  readonly event: EventName;
  readonly monitor: string | null;
  /** Null: any. */
  readonly impacted: readonly string[] | null;
  readonly cause: string | null;
  readonly isLate: boolean;
}

export interface ExpectedNothing extends Within {
  readonly kind: 'nothing';
  readonly channels: readonly string[] | null;
  readonly monitor: string | null;
}

export interface ExpectedState {
  readonly kind: 'state';
  readonly atMs: number;
  readonly path: Path;
  readonly monitor: string;
  readonly status: Status | null;
  readonly hasIncident: boolean | null;
}

export type Expectation = ExpectedMessage | ExpectedNothing | ExpectedState;

/** One table of [[tests]], its values right one by one. */
export interface TestDraft {
  readonly path: Path;
  readonly name: string;
  readonly startAt: number;
  readonly untilMs: number | null;
  readonly settings: RawTable;
  readonly series: Readonly<Record<string, Series>>;
  readonly events: readonly TestEvent[];
  readonly expectations: readonly Expectation[];
}

/** A draft with its configurations. */
export interface Test extends TestDraft {
  readonly config: Config;
  /** By event: the configuration from then on. */
  readonly reloads: ReadonlyMap<TestEvent, Config>;
}

export interface TestFile {
  /** As it was named. */
  readonly file: string;
  readonly tests: readonly Test[];
  readonly locate: Locate;
}
