/** Loaded before the program (`node --import`): its wall clock is off by the milliseconds that a file holds. */
import { readFileSync } from 'node:fs';

const file = process.env['STATUSD_TEST_CLOCK'] ?? '';
const RealDate = Date;
let offsetMs = 0;

function look() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

look();
setInterval(look, 20).unref();

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};
