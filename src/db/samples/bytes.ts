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

/** Reads what a ByteWriter wrote. Reading past the end throws a DamagedBytesError. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new DamagedBytesError('the bytes end too early');
    return value;
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
    while (this.#pendingBits < count) {
      this.#pending |= this.byte() << this.#pendingBits;
      this.#pendingBits += 8;
    }
    const value = this.#pending & ((1 << count) - 1);
    this.#pending >>>= count;
    this.#pendingBits -= count;
    return value;
  }

  /** How many one bits come before the next zero bit, which is consumed too; at most `limit` ones are read. */
  ones(limit: number): number {
    for (let count = 0; count < limit; count++) {
      if (this.bits(1) === 0) return count;
    }
    return limit;
  }

  /** Drops the rest of a byte that was read bit by bit; it must be zero bits. */
  align(): void {
    if (this.#pending !== 0) throw new DamagedBytesError('the padding is not empty');
    this.#pendingBits = 0;
  }
}
