/** Talks over a connection line by line, with bounds on the lines of the other side. */
import { secondsText } from '../core/duration.ts';
import type { Socket } from 'node:net';
import { type Deadline } from '../net/deadline.ts';
import { faultOf, ProbeFault } from '../net/faults.ts';

export interface Talk {
  /** Sends one line. */
  readonly write: (line: string) => void;
  /**
   * The next line, without its end. `what` is waited for, in words: `a greeting`. Rejects with a ProbeFault
   * when it does not come, or when the other side has said more than 16 KiB.
   */
  readonly read: (what: string) => Promise<string>;
  /** Stops listening, and answers whether something had been said that nobody has heard. */
  readonly leave: () => boolean;
}

/** All lines of a talk together: what a real server says before TLS fits many times over. */
const talkBytes = 16 * 1024;

/** `peer` is for sentences. The socket stays the caller's to close. */
export function talk(socket: Socket, peer: string, deadline: Deadline): Talk {
  let unheard = Buffer.alloc(0);
  let total = 0;
  let end: Error | null = null;
  let wake: () => void = () => undefined;

  const onData = (chunk: Buffer) => {
    total += chunk.length;
    if (total > talkBytes) {
      end ??= new ProbeFault({
        outcome: 'failed',
        category: 'protocol',
        message: `${peer} sends lines without end`,
      });
      socket.pause();
    } else {
      unheard = Buffer.concat([unheard, chunk]);
    }
    wake();
  };
  const onError = (error: Error) => {
    end ??= new ProbeFault(faultOf(error, peer), { cause: error });
    wake();
  };
  const onEnd = () => {
    onError(Object.assign(new Error('closed'), { code: 'EPIPE' }));
  };
  socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);

  const nextLine = (): string | null => {
    const at = unheard.indexOf(10);
    if (at === -1) return null;
    const line = unheard.toString('utf8', 0, at).replace(/\r$/, '');
    unheard = unheard.subarray(at + 1);
    return line;
  };
  const lineOrEnd = async (): Promise<string> => {
    for (;;) {
      const line = nextLine();
      if (line !== null) return line;
      if (end !== null) throw end;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  return {
    write: (line) => {
      socket.write(`${line}\r\n`);
    },
    read: (what) =>
      deadline.bound(lineOrEnd(), () =>
        deadline.missed(`${peer} did not send ${what} within ${secondsText(deadline.timeoutMs)}`),
      ),
    leave: () => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      socket.pause();
      return unheard.length > 0 || socket.readableLength > 0;
    },
  };
}
