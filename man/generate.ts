/** Writes the manual pages beside this file: `npm run man`. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualPages } from './pages.ts';

const folder = import.meta.dirname;
const pages = manualPages();
for (const file of readdirSync(folder)) {
  if (/\.[15]$/.test(file) && !pages.has(file)) rmSync(join(folder, file));
}
for (const [file, text] of pages) writeFileSync(join(folder, file), text);
