/** The result for one item of the other program: imported, and how completely, or not. */
import type { TomlValue } from './toml-value.ts';

export type ItemKind = 'monitor' | 'group' | 'channel' | 'maintenance' | 'notice' | 'settings';

/** Where a table stands in the configuration. The last three are there once. */
export type TableSection =
  | 'channels'
  | 'monitors'
  | 'maintenance'
  | 'incidents'
  | 'alerts'
  | 'page'
  | 'server';

/** A table of the configuration, its settings in their order. */
export interface ImportTable {
  readonly section: TableSection;
  readonly settings: ReadonlyMap<string, TomlValue>;
  /** What the other program said about it beyond settings: tags, a description. */
  readonly comments: readonly string[];
}

/** What was not taken over as it was. */
export interface ImportRemark {
  readonly level: 'approximated' | 'dropped';
  /** A clause that says what, and why: `resends every 3 checks: statusd notifies once`. */
  readonly text: string;
  /** A condition of a monitor, which is counted by itself. */
  readonly isCondition?: true;
}

type Result =
  | { readonly kind: 'written'; readonly table: ImportTable }
  /** In the file as comments: it is paused. */
  | { readonly kind: 'commented'; readonly table: ImportTable }
  /** What it was for stands in other tables: a group. */
  | { readonly kind: 'merged' }
  | { readonly kind: 'left_out' };

export interface Item {
  readonly kind: ItemKind;
  /** As the other program calls it, not cleaned. */
  readonly name: string;
  /** What it was there: `mqtt`, `smtp`. */
  readonly type: string;
  readonly result: Result;
  /** Where it stands, when there were several files. */
  readonly file?: string;
  readonly remarks: readonly ImportRemark[];
}

export type ImportOutcome = 'exact' | 'approximated' | 'dropped';

/** Paused and left out is dropped; anything that was not taken over as it was makes it approximated. */
export function outcomeOf({ result, remarks }: Item): ImportOutcome {
  if (result.kind === 'left_out' || result.kind === 'commented') return 'dropped';
  return remarks.length === 0 ? 'exact' : 'approximated';
}

/** The table of an item that is in force. */
export function tableOf({ result }: Item): ImportTable | null {
  return result.kind === 'written' ? result.table : null;
}

/** The id of a monitor or the name of a channel, for references to it. */
export function handleOf(table: ImportTable): string | null {
  const handle = table.settings.get(table.section === 'monitors' ? 'id' : 'name');
  return typeof handle === 'string' ? handle : null;
}

/** Gathers the remarks on one item. */
export interface Remarks {
  readonly list: readonly ImportRemark[];
  readonly approximate: (text: string) => void;
  readonly drop: (text: string) => void;
  /** Without a condition fewer answers are failures; `why` it is dropped may be empty. */
  readonly dropCondition: (condition: string, why?: string) => void;
}

export function createRemarks(): Remarks {
  const list: ImportRemark[] = [];
  return {
    list,
    approximate: (text) => list.push({ level: 'approximated', text }),
    drop: (text) => list.push({ level: 'dropped', text }),
    dropCondition: (condition, why = '') => {
      const text = `the condition ${condition}${why === '' ? '' : `: ${why}`}`;
      list.push({ level: 'dropped', text, isCondition: true });
    },
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The nearest whole number within the bounds; `what` is reported when that is another one. */
export function bounded(
  wanted: number,
  { min, max }: Bounds,
  notified: { readonly what: string; readonly remarks: Remarks },
): number {
  const value = Number.isFinite(wanted) ? Math.min(max, Math.max(min, Math.round(wanted))) : min;
  if (value !== wanted)
    notified.remarks.approximate(`has ${notified.what} of ${rounded(wanted)}: ${value} in statusd`);
  return value;
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

export const intervalBounds = { min: 1, max: 2_592_000 } as const;
export const timeoutBounds = { min: 1, max: 300 } as const;
export const thresholdBounds = { min: 1, max: 100 } as const;
