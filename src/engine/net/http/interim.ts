/** Leaves out interim responses (RFC 9110, section 15.2): undici takes no 100 that it did not ask for. */
import { maxHeaderBytes } from './request.ts';

/** A switch of protocols is the last answer in HTTP, so it is none of them. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const example = 'HTTP/1.1 100 ';
const endOfHead = Buffer.from('\r\n\r\n');
const nothing: Buffer = Buffer.alloc(0);

export class InterimFilter {
  /** What may be the beginning of an interim response. */
  private held: Buffer = nothing;
  private isOver = false;

  /** What of this, and of what was held back, belongs to the answer that counts. */
  read(bytes: Buffer): Buffer {
    if (this.isOver) return bytes;
    let left = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    while (left.length > 0) {
      const beginning = left.toString('latin1', 0, example.length);
      if (!interim.test(beginning + example.slice(beginning.length))) return this.rest(left);
      const end = left.indexOf(endOfHead);
      if (end === -1) {
        if (left.length > maxHeaderBytes) return this.rest(left);
        break;
      }
      left = left.subarray(end + endOfHead.length);
    }
    this.held = left;
    return nothing;
  }

  /** The stream ended: what was held back is no interim response. */
  rest(left: Buffer = this.held): Buffer {
    this.isOver = true;
    this.held = nothing;
    return left;
  }
}
