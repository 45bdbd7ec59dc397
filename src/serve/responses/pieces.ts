/** A response body in pieces, so that pieces that did not change are shared with the body before. */

export type Pieces = readonly Buffer[];

/** A piece to keep: not of the pool of small buffers, where it would keep its neighbours, too. */
export function pieceOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export function lengthOf(pieces: Pieces): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** Less than this is sent quicker as one. */
const fewBytes = 65_536;

/** Many small pieces as one, large ones as they are. */
export function compact(pieces: Pieces): Pieces {
  return pieces.length > 1 && lengthOf(pieces) <= fewBytes ? [Buffer.concat(pieces)] : pieces;
}
