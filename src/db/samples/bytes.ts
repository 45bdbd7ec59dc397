/** A growing run of bytes, and a cursor over one: varints, single bits, bounds checked on every read. */

/** Bytes from a file that do not say what they should. Nothing was answered from them. */
export class DamagedBytesError extends Error {
  override readonly name = 'DamagedBytesError';
}

/** Collects bytes from the low bit up; whole bytes and varints start on a byte of their own. */
export class ByteWriter {
  #bytes = new Uint8Array(96);
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53 - 1, seven bits a byte, the lowest first (LEB128). */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  /** The lowest `count` bits (0 to 24) of `value`. */
  bits(value: number, count: number): void {
    this.#pending |= (value & ((1 << count) - 1)) << this.#pendingBits;
    this.#pendingBits += count;
    while (this.#pendingBits >= 8) {
      this.byte(this.#pending & 0xff);
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  /** Fills the last byte with zero bits. */
  align(): void {
    if (this.#pendingBits > 0) this.byte(this.#pending & 0xff);
    this.#pending = 0;
    this.#pendingBits = 0;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Bits are read ahead up to this many, so that a run of them needs no look at each; `bits` and `ones` take no more. */
const aheadBits = 24;

/** Reads what a ByteWriter wrote. Reading past the end throws a DamagedBytesError. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at = 0;
  /** What was read ahead, the next bit lowest; zero above `#pendingBits`, of which there are at most 31. */
  #pending = 0;
  #pendingBits = 0;

  /** Reads up to `end`. */
  constructor(bytes: Uint8Array, end = bytes.length) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** Whole bytes to come; not to be asked between bits. */
  get remaining(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    if (this.#at >= this.#end) throw new DamagedBytesError('the bytes end too early');
    return this.#bytes[this.#at++] ?? 0;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte % 0x80) * scale;
      if (byte < 0x80) break;
      scale *= 0x80;
      if (scale > 2 ** 49) throw new DamagedBytesError('a number is too long');
    }
    if (!Number.isSafeInteger(value)) throw new DamagedBytesError('a number is too large');
    return value;
  }

  /** The next `count` bits (0 to 24). */
  bits(count: number): number {
    if (this.#pendingBits < count) this.#readAhead(count);
    const value = this.#pending & ((1 << count) - 1);
    this.#pending >>>= count;
    this.#pendingBits -= count;
    return value;
  }

  /** How many one bits come before the next zero bit, which is consumed too; at most `limit` (24) ones are read. */
  ones(limit: number): number {
    if (this.#pendingBits < aheadBits) this.#readAhead(0);
    const zeros = ~this.#pending;
    const count = Math.min(limit, 31 - Math.clz32(zeros & -zeros));
    const consumed = count === limit ? limit : count + 1;
    if (consumed > this.#pendingBits) this.#readAhead(consumed);
    this.#pending >>>= consumed;
    this.#pendingBits -= consumed;
    return count;
  }

  /** Drops the rest of a byte that was read bit by bit; it must be zero bits. */
  align(): void {
    const unread = this.#pendingBits >>> 3;
    this.#at -= unread;
    if ((this.#pending & ((1 << (this.#pendingBits & 7)) - 1)) !== 0)
      throw new DamagedBytesError('the padding is not empty');
    this.#pending = 0;
    this.#pendingBits = 0;
  }

  /** Reads ahead as far as there are bytes; fewer bits than `needed` are too few. */
  #readAhead(needed: number): void {
    while (this.#pendingBits < aheadBits && this.#at < this.#end) {
      this.#pending |= (this.#bytes[this.#at++] ?? 0) << this.#pendingBits;
      this.#pendingBits += 8;
    }
    if (this.#pendingBits < needed) throw new DamagedBytesError('the bytes end too early');
  }
}
