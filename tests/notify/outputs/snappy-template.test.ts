import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uncompress } from 'snappyjs';
import { varintBytes } from '../../../src/notify/outputs/protobuf.ts';
import { instantBytes, snappyTemplate } from '../../../src/notify/outputs/snappy-template.ts';

function filled(labels: readonly Buffer[], value: number, at: number): Buffer {
  const template = snappyTemplate(labels);
  const block = Buffer.alloc(template.bytes);
  template.fill(block, 0, {
    values: new Float64Array(labels.length).fill(value),
    instant: instantBytes(at),
  });
  assert.deepEqual(template.labels(), labels);
  return uncompress(Buffer.concat([Buffer.from(varintBytes(template.rawBytes)), block]));
}

const labelsOf = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => Buffer.from(`series-${index % 7} of ${text}, bucket ${index}`));

describe('compressed series that are filled in later', () => {
  it('are whole, whatever noise they were compressed with', () => {
    for (let round = 0; round < 1500; round += 1) {
      const raw = filled(labelsOf(26, `monitor-${round}`), round / 3, 1_800_000_000_000 + round);
      const value = Buffer.alloc(8);
      value.writeDoubleLE(round / 3);
      assert.equal(raw.toString('latin1').split(value.toString('latin1')).length - 1, 26);
    }
  });

  it('take half of the room at most', () => {
    const template = snappyTemplate(labelsOf(26, 'a monitor with a name of the usual length in the shop'));
    assert.ok(template.bytes < template.rawBytes / 2, `${template.bytes} of ${template.rawBytes}`);
  });

  it('are whole where they are longer than what is compressed at once', () => {
    const raw = filled(labelsOf(60, 'x'.repeat(3000)), 1, 1_800_000_000_000);
    assert.ok(raw.length > 65_536);
  });
});
