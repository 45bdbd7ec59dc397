/** Draws the icon of a site as PNG and ICO, for clients without SVG. */
import { crc32, deflateSync } from 'node:zlib';
import type { ReaderState } from '../../engine/core/status.ts';

type Colour = readonly [red: number, green: number, blue: number];

/** As the SVG has it: the disc in the colour of the status, the mark in white, in a square of 24. */
const pictures: Readonly<
  Record<ReaderState, { readonly colour: Colour; readonly strokes: readonly Stroke[] }>
> = {
  up: {
    colour: [31, 138, 91],
    strokes: [
      [7, 12.4, 10.4, 15.8],
      [10.4, 15.8, 17, 8.8],
    ],
  },
  degraded: {
    colour: [184, 122, 0],
    strokes: [
      [12, 8, 12, 14],
      [12, 18, 12, 18],
    ],
  },
  down: {
    colour: [200, 40, 30],
    strokes: [
      [8, 8, 16, 16],
      [16, 8, 8, 16],
    ],
  },
  maintenance: {
    colour: [47, 111, 222],
    strokes: [
      [9, 8, 9, 16],
      [15, 8, 15, 16],
    ],
  },
  unknown: { colour: [122, 130, 140], strokes: [[7.5, 12, 16.5, 12]] },
};

type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];

/** A square picture; `isFilled`: the disc fills the whole square, as tiles of a phone do. */
export function renderPng(status: ReaderState, size: number, isFilled = false): Buffer {
  const { colour, strokes } = pictures[status];
  const scale = size / 24;
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [px, py] = [(x + 0.5) / scale, (y + 0.5) / scale];
      const disc = isFilled ? 1 : cover((12 - Math.hypot(px - 12, py - 12)) * scale);
      const near = Math.min(...strokes.map((stroke) => distance(px, py, stroke)));
      const mark = cover((1.5 - near) * scale);
      const at = y * (1 + size * 4) + 1 + x * 4;
      for (const [index, channel] of colour.entries())
        rows[at + index] = Math.round(channel + (255 - channel) * mark);
      rows[at + 3] = Math.round(disc * 255);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits a channel, with transparency.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** An ICO that holds one PNG. */
export function renderIco(status: ReaderState): Buffer {
  const size = 32;
  const png = renderPng(status, size);
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([size, size, 0, 0], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

/** How much of a pixel lies inside an edge that is so many pixels away. */
function cover(pixels: number): number {
  return Math.min(1, Math.max(0, pixels + 0.5));
}

function distance(x: number, y: number, [x1, y1, x2, y2]: Stroke): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
