/** Compares text with a file kept beside the test. `UPDATE_GOLDEN=1` writes the file anew. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A value as lines that a reader of a difference understands: a leaf a line, texts as they are. */
export function leaves(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return [`${path}: ${value.replaceAll('\n', '\n    ')}`];
  if (typeof value !== 'object' || value === null) return [`${path} = ${String(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${path} = ${Array.isArray(value) ? '[]' : '{}'}`];
  return entries.flatMap(([key, item]) => {
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
    return leaves(item, `${path}${step}`);
  });
}

/** Fails unless `text` is what the golden file at `url` holds. */
export function assertGolden(url: URL, text: string): void {
  const file = fileURLToPath(url);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
}
