/** Runs the live view: keys and readings change the state, the state is drawn. */
import type { Clock } from '../../engine/core/clock.ts';
import { effectOf, type Effect } from '../../tui/effect.ts';
import { commandOf, editOf } from '../../tui/keys.ts';
import type { Model } from '../../tui/model.ts';
import { createPainter } from '../../tui/painter.ts';
import {
  currentRows,
  initialState,
  reduce,
  selectedIn,
  type Event,
  type ScreenState,
} from '../../tui/state.ts';
import { drawFrame } from '../../tui/view/frame.ts';
import { openScreen, type Screen } from '../../tui/view/screen.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import type { TerminalLook } from './terminal-look.ts';
import { startReading } from './reading.ts';
import type { Done, SummarySource } from './source.ts';
import { takeTerminal, type Jobs, type Terminal } from './terminal.ts';

export interface LiveOptions {
  readonly source: SummarySource;
  readonly terminal: Terminal;
  readonly jobs: Jobs;
  readonly look: TerminalLook;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** What was read first; null: the source asked for patience. */
  readonly first: Model | null;
  readonly interrupt: AbortSignal;
  /** Takes what is thrown where nobody else catches it. */
  readonly onFault: (listener: (error: unknown) => void) => void;
}

const tickMs = 1000;

/** Resolves with the exit code once the terminal is as it was; rejects likewise. */
export async function runLive(options: LiveOptions): Promise<ExitCode> {
  const { terminal, jobs, look, clock, source, interrupt } = options;
  const { promise, resolve, reject } = settling<ExitCode>();
  const ending = new AbortController();
  const onInterrupt = () => {
    reject(interrupt.reason);
  };
  options.onFault(reject);
  const painter = createPainter(terminal.write);
  const stay = takeTerminal(terminal, jobs, () => {
    painter.forget();
    draw();
  });
  let state = initialState(terminal.size(), clock.now());
  let screen: Screen | null = null;
  let isDrawing = false;
  let looked: string | null = null;

  /** What happens in one turn is drawn once. */
  const draw = () => {
    if (isDrawing) return;
    isDrawing = true;
    setImmediate(() => {
      isDrawing = false;
      if (screen === null) return;
      state = shownOn(screen, state, look);
    });
  };
  const dispatch = (event: Event) => {
    const effect = effectOf(state, event);
    state = reduce(state, event);
    lookIfWanted(event.kind === 'read');
    draw();
    if (effect !== null) perform(effect);
  };
  const lookIfWanted = (isNew: boolean) => {
    const wanted = wantedDetail(state);
    if (wanted === looked && !(isNew && wanted !== null)) return;
    looked = wanted;
    if (wanted === null) return;
    source.look(wanted).then(
      (detail) => {
        if (detail.id === looked) dispatch({ kind: 'looked', detail });
      },
      (error: unknown) => {
        if (error instanceof StatusdError) dispatch({ kind: 'failed', trouble: error.message });
        else reject(error);
      },
    );
  };
  const report = (work: Promise<Done>) => {
    work.then(({ text, isBad }) => {
      dispatch({ kind: 'told', notice: { text, tone: isBad ? 'bad' : 'good' } });
      poller.hurry();
    }, reject);
  };
  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'quit':
        resolve(exitCodes.ok);
        return;
      case 'interrupt':
        resolve(exitCodes.interrupted);
        return;
      case 'suspend':
        stay.suspend();
        return;
      case 'redraw':
        painter.forget();
        return;
      case 'refresh':
        poller.hurry();
        return;
      case 'silence':
        report(source.silence(effect.monitor, effect.text));
        return;
      case 'announce':
        report(source.announce(effect.text));
        return;
      case 'annotate':
        report(source.annotate(effect.monitor, effect.text));
        return;
    }
  };
  const poller = startReading({
    source,
    clock,
    intervalMs: options.intervalMs,
    signal: ending.signal,
    onRead: (model) => {
      dispatch({ kind: 'read', model });
    },
    onFailed: (trouble) => {
      dispatch({ kind: 'failed', trouble });
    },
  });
  const unsize = terminal.onResize(() => {
    painter.forget();
    dispatch({ kind: 'resized', size: terminal.size() });
  });
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  try {
    if (interrupt.aborted) onInterrupt();
    poller.ended.catch(reject);
    tick(clock, ending.signal, () => {
      dispatch({ kind: 'passed', nowAt: clock.now() });
    });
    screen = await openScreen({
      stdin: terminal.stdin,
      columns: () => state.size.columns,
      paint: painter.show,
      onKey: (key, text) => {
        const event = eventOf(state, key, text);
        if (event !== null) dispatch(event);
      },
      onFault: reject,
    });
    if (options.first !== null) dispatch({ kind: 'read', model: options.first });
    draw();
    return await promise;
  } finally {
    interrupt.removeEventListener('abort', onInterrupt);
    ending.abort();
    unsize();
    screen?.close();
    stay.leave();
  }
}

/** Draws the state and answers it with how far it can be scrolled. */
function shownOn(screen: Screen, state: ScreenState, { theme, cells }: TerminalLook): ScreenState {
  const pen = { cells, marks: theme.marks };
  const { lines, mostScroll } = drawFrame(state, pen);
  screen.show(lines.map(theme.paint));
  return reduce(state, { kind: 'drawn', mostScroll });
}

/** What a key means in this state; null: nothing. */
function eventOf(state: ScreenState, key: string, text: string): Event | null {
  if (state.prompt !== null && key !== 'ctrl-z') {
    const edit = editOf(key);
    if (edit !== null) return { kind: 'edit', edit };
    return text === '' ? null : { kind: 'typed', text };
  }
  const command = commandOf(key, state.place);
  return command === null ? null : { kind: 'command', command };
}

function wantedDetail(state: ScreenState): string | null {
  return state.place === 'detail' ? selectedIn(currentRows(state), state.selectedId) : null;
}

function tick(clock: Clock, signal: AbortSignal, onTick: () => void): void {
  clock.sleep(tickMs, signal).then(
    () => {
      onTick();
      tick(clock, signal, onTick);
    },
    () => undefined,
  );
}

function settling<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  // It may be rejected before anybody waits for it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
