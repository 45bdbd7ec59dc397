/** Runs the live view: keys and readings change the state, and the state is drawn. */
import type { Clock } from '../../engine/core/clock.ts';
import { effectOf, type Effect } from '../../tui/effect.ts';
import { commandOf, editOf } from '../../tui/keys.ts';
import type { Model } from '../../tui/model.ts';
import { eventsOf, type MouseMove } from '../../tui/mouse.ts';
import { createPainter } from '../../tui/painter.ts';
import type { Prompt } from '../../tui/prompt.ts';
import { seenIds, selectedId } from '../../tui/selection.ts';
import { initialState, reduce, type Event, type ScreenState } from '../../tui/state.ts';
import { openScreen, type Screen } from '../../tui/view/screen.tsx';
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
  /** What this process has taken of processors so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Who is logged in; null: not known. */
  readonly author: string | null;
  /** What was read first; null: the source asked for patience. */
  readonly first: Model | null;
  readonly interrupt: AbortSignal;
  /** Takes what is thrown where nobody else catches it. */
  readonly onFault: (listener: (error: unknown) => void) => void;
}

const tickMs = 1000;
const lateMs = 1500;

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
  let state = initialState(terminal.size(), clock.now(), options.author);
  let screen: Screen | null = null;
  let isDrawing = false;
  let looked: string | null = null;
  let isGlancing = false;
  /** The monitors that the source was asked about since the last reading. */
  let glanced: ReadonlySet<string> = new Set();

  /** What happens in one turn is drawn once. */
  const draw = () => {
    if (isDrawing) return;
    isDrawing = true;
    setImmediate(() => {
      isDrawing = false;
      if (screen === null) return;
      screen.show(state);
    });
  };
  const dispatch = (event: Event) => {
    const effect = effectOf(state, event);
    const { prompt } = state;
    state = reduce(state, event);
    if (event.kind !== 'passed' && event.kind !== 'looked' && event.kind !== 'glanced') {
      lookIfWanted(event.kind === 'read');
      glanceIfWanted(event.kind === 'read');
    }
    draw();
    if (effect !== null) perform(effect, event.kind === 'edit' ? prompt : null);
  };
  const lookIfWanted = (isNew: boolean) => {
    const wanted = wantedDetail(state);
    if (wanted === looked && !(isNew && wanted !== null)) return;
    looked = wanted;
    const id = wantedMonitor(state);
    if (id === null) return;
    source.look(id, state.hours).then((detail) => {
      if (wantedMonitor(state) === id) dispatch({ kind: 'looked', detail });
    }, failed);
  };
  const failed = (error: unknown) => {
    if (error instanceof StatusdError) dispatch({ kind: 'failed', trouble: error.message });
    else reject(error);
  };
  /** One question at a time: what comes on the screen meanwhile is asked for afterwards. */
  const glanceIfWanted = (isNew: boolean) => {
    const ids = seenIds(state);
    const isKnown = state.live !== null && ids.every((id) => glanced.has(id));
    if (isGlancing || state.model === null || (isKnown && !isNew)) return;
    isGlancing = true;
    glanced = new Set(isNew ? ids : [...glanced, ...ids]);
    source
      .glance(ids)
      .then((live) => {
        if (live !== null) dispatch({ kind: 'glanced', live });
      }, failed)
      .finally(() => {
        isGlancing = false;
        if (state.live !== null) glanceIfWanted(false);
      });
  };
  const lookForDaemon = () => {
    source.daemon().then((daemon) => {
      if (daemon !== state.daemon) dispatch({ kind: 'daemon', daemon });
    }, reject);
  };
  const report = (work: Promise<Done>, { isLate, typed }: { isLate: boolean; typed: Prompt | null }) => {
    work.then(({ text, isBad }) => {
      const notice = { text, tone: isBad ? 'bad' : 'good' } as const;
      dispatch({ kind: 'told', notice, refused: isBad ? typed : null });
      poller.hurry();
      // A daemon reads what it was asked within a second, and a check takes its time.
      if (isLate) clock.sleep(lateMs, ending.signal).then(poller.hurry, () => undefined);
    }, reject);
  };
  const perform = (effect: Effect, typed: Prompt | null) => {
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
      case 'copy':
        terminal.write(clipboardCode(effect.text));
        dispatch({ kind: 'told', notice: { text: `copied: ${effect.text}`, tone: 'good' } });
        return;
      case 'silence':
      case 'unsilence':
      case 'announce':
      case 'unannounce':
      case 'annotate':
      case 'update':
      case 'acknowledge':
      case 'unacknowledge':
      case 'check':
        report(source.act(effect), { isLate: effect.kind === 'check', typed });
    }
  };
  const poller = startReading({
    source,
    clock,
    intervalMs: options.intervalMs,
    cpuMs: options.cpuMs,
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
      lookForDaemon();
    });
    lookForDaemon();
    const drawing = {
      stdin: terminal.stdin,
      theme: look.theme,
      columns: () => state.size.columns,
      paint: painter.show,
      onScroll: (mostScroll: number) => {
        if (mostScroll !== state.mostScroll) dispatch({ kind: 'drawn', mostScroll });
      },
      onKey: (key: string, text: string) => {
        const event = eventOf(state, key, text);
        if (event !== null) dispatch(event);
      },
      onMouse: (mouse: MouseMove) => {
        for (const event of eventsOf(state, mouse)) dispatch(event);
      },
      onFault: reject,
    };
    screen = openScreen(drawing, state);
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

/** Asks the terminal to put a text on the clipboard (OSC 52); one that does not know it ignores it. */
function clipboardCode(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
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

function wantedMonitor(state: ScreenState): string | null {
  return state.place === 'detail' ? selectedId(state) : null;
}

/** What the detail is of; another range is another one. */
function wantedDetail(state: ScreenState): string | null {
  const id = wantedMonitor(state);
  return id === null ? null : `${state.hours} ${id}`;
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
  // It may be rejected before anyone waits for it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
