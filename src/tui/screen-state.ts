/** The state of the terminal view. */
import type { LiveMonitor, LiveView } from '../engine/views/live.ts';
import type { ScreenPlace } from './keys.ts';
import type { DaemonState, Detail, Model } from './model.ts';
import type { HeaderNotice } from './notices.ts';
import type { Prompt } from './prompt.ts';
import type { RowChoice, TableRow } from './rows.ts';
import type { TableWants } from './table-wants.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenState extends RowChoice {
  readonly size: Size;
  readonly nowAt: number;
  /** Who is logged in, for what is signed with a name; null: not known. */
  readonly author: string | null;
  /** Null: nothing was read yet. */
  readonly model: Model | null;
  /** What the source says beyond the summary; null: nothing so far. */
  readonly live: LiveView | null;
  /** The same of every monitor that was on the screen, as of when it was. */
  readonly glances: ReadonlyMap<string, LiveMonitor>;
  readonly daemon: DaemonState;
  /** Why the last reading failed; null: it did not. */
  readonly trouble: string | null;
  /** How much room the table would like. */
  readonly wants: TableWants;
  /** Of the model, in the order that was chosen. */
  readonly rows: readonly TableRow[];
  readonly place: ScreenPlace;
  /** Where help goes back to. */
  readonly placeBefore: Exclude<ScreenPlace, 'help'>;
  /** Of the row that the cursor was put on; null: the first one. */
  readonly selectedKey: string | null;
  /** The first row on the screen. */
  readonly top: number;
  readonly detail: Detail | null;
  readonly hours: number;
  /** The first line of the detail or the help on the screen, and the last it can be. */
  readonly scroll: number;
  readonly mostScroll: number;
  readonly prompt: Prompt | null;
  /** The result of the last action. */
  readonly notice: HeaderNotice | null;
}
