/** A TypeScript program that tests run in a process of its own. */
import { join } from 'node:path';
import { optimiseLate } from '../batches.js';

/** Options of V8 for what makes much garbage and ends soon: it is collected and optimised less often. */
const tuning = ['--min-semi-space-size=32', '--max-semi-space-size=64', ...optimiseLate];

/**
 * The arguments with which node runs it: as it was bundled with the tests, which saves a second of transforming it, or
 * from its source where the tests were started in another way. `path`: from the root, one of `programs` in batches.js.
 */
export function programArguments(path: string): string[] {
  const bundled = bundledProgram(path);
  return bundled === null ? [...tuning, '--import', 'tsx', path] : [...tuning, bundled];
}

/** The same program as a file of JavaScript; null where the tests were started in another way. */
export function bundledProgram(path: string): string | null {
  const folder = process.env['STATUSD_BUNDLE'];
  return folder === undefined ? null : join(folder, `${path}.js`);
}
