/** The promises of alerting that take many steps (A1) or many episodes (A8): one line each. */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { confirm } from '../../src/engine/monitoring/confirm/confirm.ts';
import { firstDifference } from '../engine/monitoring/confirm/compare.ts';
import { faults, liveThrough } from '../engine/monitoring/episodes.ts';
import { startDaemon } from '../support/daemon.ts';
import { startHttp } from '../support/http-target.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { openSoakReport } from '../support/soak-report.ts';
import { makeFolder } from '../support/tiny-store.ts';

const steps = 1_000_000;
const episodesEach = 18;
const stops = 10;

const seed = printedSeed();
const { printResult, exitCode } = openSoakReport();

{
  const difference = firstDifference({ seed, subject: confirm, steps });
  printResult('A1 reference model', `${steps} steps`, difference === null ? [] : [difference]);
}

for (const fault of faults) {
  const random = randomOf(seed);
  const wrong: string[] = [];
  for (let episode = 0; episode < episodesEach; episode += 1) {
    const outcome = await liveThrough({ fault, random });
    wrong.push(...outcome.wrong.map((row) => `episode ${episode}: ${row}`));
    if (!outcome.isAwake) wrong.push(`episode ${episode}: a real outage afterwards was not told`);
  }
  printResult(`A8 own faults: ${fault}`, `${episodesEach} episodes`, wrong);
}

printResult(
  'A8 own faults: SIGSTOP and SIGCONT',
  `${stops} episodes of the daemon itself`,
  await stopAndContinue(),
);

process.exit(exitCode());

/** The hastiest settings there are, and answers that take a while, so that a stop always cuts a check. */
async function stopAndContinue(): Promise<string[]> {
  const random = randomOf(seed);
  const folder = makeFolder();
  let isUp = true;
  const target = await startHttp((_, response) => {
    setTimeout(() => response.writeHead(isUp ? 200 : 503).end('well'), 800);
  });
  const monitors = Array.from({ length: 8 }, (_, index) =>
    [
      `[[monitors]]\nid = "m${index}"\ntarget = "${target.origin}/"`,
      'interval_secs = 2\ntimeout_secs = 2\nprobe_retries = 0\nfail_threshold = 1',
    ].join('\n'),
  );
  writeFileSync(folder.at('statusd.toml'), ['[server]\nbind = "127.0.0.1:0"', ...monitors].join('\n\n'));
  const daemon = await startDaemon(folder.path);
  const downs = () => daemon.lines.filter(({ event }) => event === 'monitor.down');
  try {
    for (let episode = 0; episode < stops; episode += 1) {
      await pause(1500 + random.below(1000));
      daemon.child.kill('SIGSTOP');
      await pause(3000 + random.below(7000));
      daemon.child.kill('SIGCONT');
    }
    await pause(3000);
    const wrong = downs().map(({ message }) => message);
    isUp = false;
    await daemon.says('monitor.down', wrong.length + 1);
    return wrong;
  } finally {
    await daemon.end('SIGKILL');
    await target.close();
    folder.remove();
  }
}
