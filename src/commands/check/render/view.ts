/** What a renderer may know about the place its text goes to. */
import type { Cells } from '../../../engine/views/text/cells.ts';
import type { Paint } from '../../terminal/colour.ts';
import type { Glyphs } from '../../terminal/glyphs.ts';
import type { CheckedMonitor, CheckReport, ConfigVerdict, ConfigProblem } from '../report.ts';

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
