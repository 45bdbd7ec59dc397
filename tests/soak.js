/**
 * Runs the long tests, tests/soak/*.ts, one after the other. Arguments are parts of their names; what follows `--` is
 * handed to the tests: `npm run soak -- mutation -- core` runs the mutation test of one area.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const [wanted, handed] = splitAt(process.argv.slice(2), '--');
const files = readdirSync('tests/soak')
  .filter((file) => file.endsWith('.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
let isWell = files.length > 0;
for (const file of files) {
  const run = spawnSync(process.execPath, ['--import', 'tsx', join('tests/soak', file), ...handed], {
    stdio: 'inherit',
  });
  if (run.status !== 0) isWell = false;
}
process.exit(isWell ? 0 : 1);

function splitAt(words, mark) {
  const at = words.indexOf(mark);
  return at === -1 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
}
