/** Shows on a terminal how far a run has come, on one line that is redrawn in place. */
import { elapsedText } from '../../engine/core/duration.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { type Cells, cutCells } from '../../engine/views/text/cells.ts';
import type { Paint } from '../terminal/colour.ts';
import type { Glyphs } from '../terminal/glyphs.ts';

/** Twelve times a second at most: enough to look alive, too little to burden a slow link. */
const redrawMs = 85;
const maxNames = 3;

export interface ProgressState {
  readonly done: number;
  readonly total: number;
  /** What is in flight, the longest-running first. */
  readonly names: readonly string[];
  readonly elapsedMs: number;
  readonly frame: number;
}

export interface ProgressLook {
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  readonly cells: Cells;
}

/** What a terminal writes behind the line when it is interrupted: wrapped, the line could not be taken away. */
const interruptEcho = '^C';

/** `⠹ 34/100 api, web, billing +3 · 1.2 s`, in so much fewer than `columns` cells that no terminal wraps it. */
export function progressLine(
  state: ProgressState,
  columns: number,
  { paint, glyphs, cells }: ProgressLook,
): string {
  const { done, total, names, elapsedMs, frame } = state;
  const more = names.length > maxNames ? ` +${names.length - maxNames}` : '';
  const head = `${glyphs.spinner[frame % glyphs.spinner.length] ?? ''} ${done}/${total}`;
  const tail = ` ${glyphs.dot} ${elapsedText(elapsedMs)}`;
  const most = Math.max(0, columns - 1 - interruptEcho.length);
  const room = most - head.length - 1 - more.length - tail.length;
  const inFlight = names.slice(0, maxNames).join(', ');
  if (room < 4 || inFlight === '') return cutCells(head + tail, most, cells);
  return `${head} ${paint.dim(cutCells(inFlight, room, cells) + more + tail)}`;
}

export interface ProgressTarget {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly columns: () => number;
}

export interface Progress {
  readonly start: (name: string) => void;
  readonly done: (name: string) => void;
  /** Takes the line away so that something else can be printed; it comes back with the next redraw. */
  readonly clear: () => void;
  /** Takes the line away for good. */
  readonly end: () => void;
}

/** A progress line for `total` monitors. It is drawn by a timer of its own until `end`. */
export function showProgress(total: number, target: ProgressTarget, look: ProgressLook): Progress {
  const { clock, write, columns } = target;
  const startedAt = clock.monotonic();
  const names: string[] = [];
  const ended = new AbortController();
  let done = 0;
  let frame = 0;
  let isShown = false;
  const clear = () => {
    if (isShown) write('\r\u001b[K');
    isShown = false;
  };
  const draw = () => {
    const elapsedMs = clock.monotonic() - startedAt;
    write(`\r${progressLine({ done, total, names, elapsedMs, frame }, columns(), look)}\u001b[K`);
    frame++;
    isShown = true;
  };
  const redraw = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(redrawMs, ended.signal);
      draw();
    }
  };
  redraw().catch(() => undefined);
  return {
    start: (name) => {
      names.push(name);
    },
    done: (name) => {
      names.splice(names.indexOf(name), 1);
      done++;
    },
    clear,
    end: () => {
      ended.abort();
      clear();
    },
  };
}

/** Progress where there is nobody to see it. */
export const noProgress: Progress = {
  start: () => undefined,
  done: () => undefined,
  clear: () => undefined,
  end: () => undefined,
};
