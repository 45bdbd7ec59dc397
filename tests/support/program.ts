/** A TypeScript program that tests run in a process of its own. */
import { join } from 'node:path';

/**
 * The arguments with which node runs it: as it was bundled with the tests, which saves a second of transforming it, or
 * from its source where the tests were started in another way. `path`: from the root, one of `programs` in batches.js.
 */
export function programArguments(path: string): string[] {
  const folder = process.env['STATUSD_BUNDLE'];
  return folder === undefined ? ['--import', 'tsx', path] : [join(folder, `${path}.js`)];
}
