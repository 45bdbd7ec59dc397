/** Takes the signals of the process from the first line of the program on, before anything listens to them. */

/** By signal that a process is asked to end with the exit code of one that did not listen. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type SignalName = keyof typeof signalCodes;

export interface Signals {
  /** Hands every signal to `listener` instead of the one before, beginning with those that nobody was handed yet. */
  readonly listen: (listener: (name: SignalName) => void) => void;
}

/** To be called once. Without it, a signal during the start ends the process, and as process 1 of a container is ignored. */
export function takeSignals(): Signals {
  const early: SignalName[] = [];
  let onSignal = (name: SignalName) => {
    early.push(name);
  };
  for (const name of Object.keys(signalCodes) as SignalName[]) {
    process.on(name, () => {
      onSignal(name);
    });
  }
  return {
    listen: (listener) => {
      onSignal = listener;
      for (const name of early.splice(0)) listener(name);
    },
  };
}

/**
 * Ends the process with the exit code of this signal. The exit waits for a system call that hangs; the next signal of
 * this name ends even that, because nothing listens to it any more.
 */
export function endAtOnce(name: SignalName): never {
  process.removeAllListeners(name);
  process.exit(signalCodes[name]);
}
