/** Takes in a body up to a limit. */

const nothing = Buffer.alloc(0);

/**
 * Copies what it is given into one buffer: chunks are views of larger ones, and a target that sends a byte at a
 * time would otherwise keep a thousandfold of what it sent.
 */
export class BodyCollector {
  readonly #maxBytes: number;
  #buffer = nothing;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** False when the chunk did not fit: the body is longer than the limit. */
  add(chunk: Uint8Array): boolean {
    const room = this.#maxBytes - this.#length;
    const fitting = chunk.subarray(0, room);
    if (this.#length + fitting.length > this.#buffer.length) this.#grow(this.#length + fitting.length);
    this.#buffer.set(fitting, this.#length);
    this.#length += fitting.length;
    return chunk.length <= room;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(needed, 2 * this.#buffer.length)));
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}

/** Whether an answer ends with its headers, whatever length or coding they name (RFC 9112, section 6.3). */
export function isWithoutBody(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * What is not body (chunk sizes and their extensions, interim answers, trailers) may take this many times as much
 * room as the body: chunks of one byte take five times as much.
 */
const mostFraming = 7;

/** Whether the body is the bulk of what was received, so that more than is allowed is a body that is cut. */
export function isMostlyBody(bodyBytes: number, bytes: number): boolean {
  return bodyBytes * (mostFraming + 1) >= bytes;
}
