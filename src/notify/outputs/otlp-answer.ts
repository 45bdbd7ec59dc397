/**
 * Reads the answer of an OTLP receiver that accepted a request, or part of it (opentelemetry-proto,
 * collector/metrics/v1).
 */
import type { Remark } from './format.ts';

/** The numbers of fields, by message. */
const inResponse = { partialSuccess: 1 };
const inPartialSuccess = { rejectedDataPoints: 1, errorMessage: 2 };

const maxVarintBytes = 10;

interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** Null: it took everything and says nothing, or this is no such answer. */
export function readRemark(body: Buffer): Remark | null {
  let points = 0n;
  let message = '';
  for (const { number, value } of fieldsOf(body) ?? []) {
    if (number !== inResponse.partialSuccess || typeof value === 'bigint') continue;
    const parts = fieldsOf(value);
    if (parts === null) return null;
    for (const part of parts) {
      const isNumber = typeof part.value === 'bigint';
      if (part.number === inPartialSuccess.rejectedDataPoints && isNumber)
        points = BigInt.asIntN(64, part.value);
      if (part.number === inPartialSuccess.errorMessage && !isNumber) message = part.value.toString('utf8');
    }
  }
  const rejected = points > 0n ? Number(points) : 0;
  return rejected > 0 || message !== '' ? { rejected, message } : null;
}

/** Null: it is no message. Fields of a fixed length are left out: the answer has none. */
function fieldsOf(bytes: Buffer): readonly Field[] | null {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    if (tag === null) return null;
    const number = Number(tag.value >> 3n);
    at = tag.end;
    switch (Number(tag.value & 7n)) {
      case 0: {
        const read = varintAt(bytes, at);
        if (read === null) return null;
        fields.push({ number, value: read.value });
        at = read.end;
        break;
      }
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varintAt(bytes, at);
        if (length === null) return null;
        at = length.end + Number(length.value);
        fields.push({ number, value: bytes.subarray(length.end, at) });
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return null;
    }
    if (at > bytes.length) return null;
  }
  return fields;
}

function varintAt(bytes: Buffer, from: number): { readonly value: bigint; readonly end: number } | null {
  let value = 0n;
  for (let count = 0; count < maxVarintBytes; count += 1) {
    const byte = bytes[from + count];
    if (byte === undefined) return null;
    value |= BigInt(byte & 0x7f) << BigInt(7 * count);
    if (byte < 0x80) return { value, end: from + count + 1 };
  }
  return null;
}
