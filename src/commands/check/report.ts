/** The result of one run of `check`, from which every format is rendered. */
import type { Answer, Assertion, Category, MonitorKind, Timings } from '../../engine/core/probe.ts';
import type { Cells } from '../../engine/views/text/cells.ts';
import type { Paint } from '../terminal/colour.ts';
import type { Glyphs } from '../terminal/glyphs.ts';

/** `skipped` is a monitor that is not probed: a push monitor receives heartbeats. */
const checkStatuses = ['up', 'degraded', 'down', 'unknown', 'skipped'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** A place in a file of the configuration, lines and columns counted from 1. */
export interface FilePosition {
  /** As this format names it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One monitor with the verdict on it. Secrets are masked already; control codes are not cleaned yet. */
export interface CheckedMonitor {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  readonly kind: MonitorKind;
  readonly status: CheckStatus;
  readonly latencyMs: number | null;
  /** The latency above which it counts as degraded. */
  readonly degradedOverMs: number | null;
  /** Why it is not up, as one sentence; null when it is, or was skipped. */
  readonly error: string | null;
  readonly category: Category | 'slow' | null;
  readonly attempts: number;
  readonly timings: Timings;
  /** Whole days until the certificate ends, negative once it has; null without a certificate. */
  readonly certExpiryDays: number | null;
  readonly answer: Answer | null;
  /** The expectations that were not met. */
  readonly unmet: readonly Assertion[];
  /** The command that asks the same question; null for kinds that curl cannot ask. */
  readonly curl: string | null;
  readonly position: FilePosition | null;
}

/** Something worth knowing that makes no monitor less than up. */
export interface Note {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly position: FilePosition | null;
}

export type Counts = Readonly<Record<CheckStatus, number>>;

export interface CheckReport {
  /** The configuration file, as this format names it. */
  readonly file: string;
  /** Whether the run passes under its `--fail-on`. */
  readonly isOk: boolean;
  /** The statuses that fail the run. */
  readonly failing: readonly CheckStatus[];
  /** True when the user stopped it: `results` holds what was known by then. */
  readonly isInterrupted: boolean;
  readonly checkedAt: number;
  readonly elapsedMs: number;
  readonly counts: Counts;
  /** In the order of the configuration. */
  readonly results: readonly CheckedMonitor[];
  /** Of those that are down, by id: the name of what they depend on that is down and has no such cause itself. */
  readonly causes: ReadonlyMap<string, string>;
  readonly notes: readonly Note[];
}

/** One thing wrong with the configuration. */
export interface ConfigProblem {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** The key in question: `monitors[2].target`. */
  readonly path: string | null;
  /** What the sentence begins with: `monitor "api": target`; empty for the file as a whole. */
  readonly subject: string;
  /** Continues the sentence that begins with the subject. */
  readonly message: string;
  readonly hint: string | null;
}

/** Whether a configuration can be used: it can when there are no problems. */
export interface ConfigVerdict {
  /** Null when none was found. */
  readonly file: string | null;
  readonly problems: readonly ConfigProblem[];
}

export function countStatuses(results: readonly CheckedMonitor[]): Counts {
  const counts = { up: 0, degraded: 0, down: 0, unknown: 0, skipped: 0 };
  for (const { status } of results) counts[status]++;
  return counts;
}

/** `5 up, 1 down, 1 skipped`: the statuses that occur, in the order of their weight. */
export function countsInWords(counts: Counts): string {
  const parts = checkStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`);
  return parts.length === 0 ? 'no monitors' : parts.join(', ');
}

/** Whether a monitor was asked and found anything short of up. */
export function isWrong({ status }: Pick<CheckedMonitor, 'status'>): boolean {
  return status !== 'up' && status !== 'skipped';
}

/** `API (api)`, or only the id when there is no name of its own. */
export function titleOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === id ? id : `${name} (${id})`;
}

/** `statusd.toml:12:3`, as far as the place is known. */
export function placeOf({ file, line, column }: Pick<ConfigProblem, 'file' | 'line' | 'column'>): string {
  return [file, line, column].filter((part) => part !== null).join(':');
}

/** `monitor "api": interval_secs must be an integer`: the setting in question, then what is wrong with it. */
export function sentenceOf({ subject, message }: Pick<ConfigProblem, 'subject' | 'message'>): string {
  return subject === '' ? message : `${subject} ${message}`;
}

/** What a renderer may know about the place its text goes to. */
export interface CheckView {
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  readonly cells: Cells;
  /** The terminal's width, or null where nothing needs cutting. */
  readonly columns: number | null;
  /** Only what is wrong. */
  readonly isQuiet: boolean;
}

/** One output format. Every function is pure; its text ends with a line break unless it is empty. */
export interface Renderer {
  readonly report: (report: CheckReport, checkView: CheckView) => string;
  /** For a configuration that cannot be used, or was all that had to be looked at. */
  readonly config: (verdict: ConfigVerdict, checkView: CheckView) => string;
  /** Formats that print each result as it comes; `report` then prints what is left to say at the end. */
  readonly result?: (result: CheckedMonitor) => string;
  /** Formats that have a way of their own to warn; with the others, warnings go to stderr. */
  readonly warnings?: (warnings: readonly ConfigProblem[]) => string;
}
