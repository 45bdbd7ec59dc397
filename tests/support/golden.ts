/** Compares text with a file kept beside the test. `UPDATE_GOLDEN=1` writes the file anew. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Fails unless `text` is what the golden file at `url` holds. */
export function assertGolden(url: URL, text: string): void {
  const file = fileURLToPath(url);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
}
