/** Job control of the real process. */
import type { Jobs } from './terminal.ts';

/** Without a listener SIGTSTP stops a process; so nobody listens while it stops itself. */
export function processJobs(): Jobs {
  const stopListeners = new Set<() => void>();
  const onStopSignal = () => {
    for (const listener of stopListeners) listener();
  };
  return {
    onStop: (listener) => {
      stopListeners.add(listener);
      process.on('SIGTSTP', onStopSignal);
      return () => {
        stopListeners.delete(listener);
        process.off('SIGTSTP', onStopSignal);
      };
    },
    onContinue: (listener) => {
      const continued = () => {
        if (stopListeners.size > 0 && process.listenerCount('SIGTSTP') === 0)
          process.on('SIGTSTP', onStopSignal);
        listener();
      };
      process.on('SIGCONT', continued);
      return () => process.off('SIGCONT', continued);
    },
    onExit: (listener) => {
      process.on('exit', listener);
      return () => process.off('exit', listener);
    },
    stop: () => {
      process.off('SIGTSTP', onStopSignal);
      process.kill(0, 'SIGTSTP');
    },
  };
}
