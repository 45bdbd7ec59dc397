/** Bounds what the other side of a connection sends to a library that reads the connection by itself. */
import type { Socket } from 'node:net';

/** A server on the same host sends a few megabytes in this time. */
const lookEveryMs = 10;

/**
 * Destroys `socket` and calls `onTooMuch` once it has received `maxBytes` more than it had at this call, TLS overhead
 * included. Answers how to stop watching; a closed socket is watched no longer. A listener for data would take the bytes
 * away from a library that is not listening yet, so a timer reads the counter of the socket.
 */
export function watchReceived(socket: Socket, maxBytes: number, onTooMuch: () => void): () => void {
  const readBefore = socket.bytesRead;
  const timer = setInterval(() => {
    const isTooMuch = socket.bytesRead - readBefore > maxBytes;
    if (!isTooMuch && !socket.destroyed) return;
    stop();
    if (!isTooMuch) return;
    socket.destroy();
    onTooMuch();
  }, lookEveryMs).unref();
  const stop = () => {
    clearInterval(timer);
  };
  return stop;
}
