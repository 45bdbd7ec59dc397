/** Measures what `check` adds to asking 100 URLs at once, as whole processes. Run `npm run build` first. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge, medianTimes, withServer } from './measure.ts';

const rounds = 15;
const urlCount = 100;
const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));

/** What somebody would write by hand: ask all, look at the status, read the body. */
const bareScript = (urls: readonly string[]) => `
const answers = await Promise.all(${JSON.stringify(urls)}.map(async (url) => {
  const response = await fetch(url);
  await response.text();
  return response.ok;
}));
if (!answers.every(Boolean)) process.exit(1);
`;

try {
  await withServer((origin) => {
    const urls = Array.from({ length: urlCount }, (_, index) => `${origin}/${index}`);
    const script = join(folder, 'bare.mjs');
    writeFileSync(script, bareScript(urls));
    const config = join(folder, 'statusd.toml');
    writeFileSync(
      config,
      urls.map((url, index) => `[[monitors]]\nid = "m${index}"\ntarget = "${url}"\n`).join('\n'),
    );
    const times = medianTimes(
      [
        { name: 'bare', args: [script] },
        { name: 'check', args: ['bin/statusd.js', 'check', '--config', config] },
      ],
      rounds,
    );
    const isMet = judge(
      [
        {
          what: `check of ${urlCount} local URLs against a bare script`,
          command: 'check',
          baseline: 'bare',
          atMost: 2,
        },
      ],
      times,
    );
    process.exitCode = isMet ? 0 : 1;
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
