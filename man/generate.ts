/** Writes the manual pages and the example of a configuration beside this file: `npm run man`. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleConfig } from '../src/engine/config/example.ts';
import { manualPages } from './pages.ts';

const folder = import.meta.dirname;
const pages = manualPages();
for (const file of readdirSync(folder)) {
  if (/\.[15]$/.test(file) && !pages.has(file)) rmSync(join(folder, file));
}
for (const [file, text] of pages) writeFileSync(join(folder, file), text);
writeFileSync(join(folder, 'statusd.example.toml'), exampleConfig());
