/** Measures how long the built program takes to start, against Node doing nothing. Run `npm run build` first. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge, medianTimes, withServer } from './measure.ts';

const rounds = 21;
const bin = 'bin/statusd.js';
const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));

try {
  await withServer((origin) => {
    const config = join(folder, 'statusd.toml');
    writeFileSync(config, `[[monitors]]\nid = "local"\ntarget = "${origin}/"\n`);
    const times = medianTimes(
      [
        { name: 'node', args: ['-e', '0'] },
        { name: 'version', args: [bin, '--version'] },
        { name: 'help', args: [bin, '--help'] },
        { name: 'check', args: [bin, 'check', '--config', config] },
      ],
      rounds,
    );
    const isMet = judge(
      [
        { what: 'startup --version', command: 'version', baseline: 'node', atMost: 1.5 },
        { what: 'startup --help', command: 'help', baseline: 'node', atMost: 2 },
        { what: 'startup check of one local URL', command: 'check', baseline: 'node', atMost: 2.5 },
      ],
      times,
    );
    process.exitCode = isMet ? 0 : 1;
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
