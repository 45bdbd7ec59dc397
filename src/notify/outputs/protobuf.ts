/** Writes protobuf messages (protobuf.dev/programming-guides/encoding), as far as metrics need it. */

const [varintType, fixed64Type, bytesType] = [0, 1, 2];

/** Can be used again after `finish`. */
export class ProtobufWriter {
  private buffer = Buffer.allocUnsafe(4096);
  /** How many bytes are written. */
  length = 0;

  /** Not negative, and below 2^53. */
  varint(field: number, value: number): void {
    this.tag(field, varintType);
    this.rawVarint(value);
  }

  double(field: number, value: number): void {
    this.tag(field, fixed64Type);
    this.room(8);
    this.length = this.buffer.writeDoubleLE(value, this.length);
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.tag(field, bytesType);
    this.rawVarint(bytes.length);
    this.raw(bytes);
  }

  text(field: number, text: string): void {
    this.tag(field, bytesType);
    const from = this.length;
    // Three bytes a unit of UTF-16 at most.
    this.room(3 * text.length);
    this.length += this.buffer.write(text, from);
    this.prefixLength(from);
  }

  /** A message, or packed numbers: what `write` writes, with its length before it. */
  message(field: number, write: () => void): void {
    this.tag(field, bytesType);
    const from = this.length;
    write();
    this.prefixLength(from);
  }

  /** Eight bytes as they are. */
  fixed64(field: number, bytes: Uint8Array): void {
    this.tag(field, fixed64Type);
    this.raw(bytes);
  }

  whole64(field: number, value: number): void {
    this.tag(field, fixed64Type);
    this.rawFixed64(value);
  }

  /** A whole number in eight bytes, as packed ones stand. */
  rawFixed64(value: number): void {
    this.room(8);
    this.length = this.buffer.writeUInt32LE(value % 2 ** 32, this.length);
    this.length = this.buffer.writeUInt32LE(Math.floor(value / 2 ** 32), this.length);
  }

  /** As they are: bytes that were written elsewhere. */
  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Answers what was written, and begins anew. */
  finish(): Buffer {
    const written = Buffer.from(this.buffer.subarray(0, this.length));
    this.length = 0;
    return written;
  }

  /** Moves what was written from there on, so that its length fits before it. */
  private prefixLength(from: number): void {
    const written = this.length - from;
    let bytes = 1;
    for (let rest = written; rest > 0x7f; rest = Math.floor(rest / 128)) bytes += 1;
    this.room(bytes);
    this.buffer.copyWithin(from + bytes, from, this.length);
    this.length = from;
    this.rawVarint(written);
    this.length += written;
  }

  private tag(field: number, wireType: number | undefined): void {
    this.rawVarint(field * 8 + (wireType ?? 0));
  }

  private rawVarint(value: number): void {
    this.room(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.buffer[this.length++] = (rest % 128) + 128;
    this.buffer[this.length++] = rest;
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** `value` in groups of seven bits, the lowest first; Snappy writes lengths the same way. */
export function varintBytes(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}
