/** Whatever a test says is what the daemon does: the engine itself and the pipeline, with their schedule. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine } from '../../../src/engine/monitoring/create-engine.ts';
import { createPipeline } from '../../../src/notify/delivery.ts';
import { scenarioOf } from '../../../src/commands/test/runner/test-run.ts';
import { openMemoryStore } from '../../../src/commands/test/runner/memory-store.ts';
import { answerOf } from '../../../src/commands/test/runner/target.ts';
import type { Test } from '../../../src/commands/test/format/test-file.ts';
import { seriesType, words } from '../../../src/commands/test/format/series.ts';
import { SimClock } from '../../engine/monitoring/sim-clock.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { fileOf, played } from './world.ts';

const minutes = 60;
const intervalMs = 60_000;

/** An engine in simulated time. Its monitor begins somewhere in its interval: instants count from its first check. */
async function notifiedByDaemon({ config, series, startAt }: Test): Promise<string[]> {
  const clock = new SimClock(startAt);
  const store = await openMemoryStore();
  const notified: { at: number; line: string }[] = [];
  const checkedAt: number[] = [];
  const [monitor] = config.monitors;
  const own = series['api'];
  assert.ok(monitor !== undefined && own !== undefined);
  const scenario = scenarioOf(own, intervalMs);
  const log = () => undefined;
  let uids = 0;
  const engine = await createEngine({
    loaded: { config, redact: (text) => text },
    store,
    clock,
    log,
    check: () => {
      checkedAt.push(clock.now());
      const result = answerOf(scenario.at(clock.now() - (checkedAt[0] ?? 0)), monitor);
      return Promise.resolve({ startedAt: clock.now(), attempts: 1, result });
    },
    lookUpDomain: null,
    peerClients: null,
    onProgress: () => undefined,
    newUid: () => `uid-${(uids += 1)}`,
  });
  const pipeline = createPipeline({
    askPeer: null,
    config: () => config,
    store,
    clock,
    log,
    engine,
    deliver: (message, { name }) => {
      const id = 'monitor' in message ? message.monitor.id : '';
      notified.push({ at: clock.now(), line: `${name} ${message.event} ${id}` });
      return Promise.resolve({ kind: 'sent', attempts: 1 });
    },
  });
  await clock.run((minutes + 2) * intervalMs);
  await clock.until(pipeline.stop());
  await clock.until(engine.stop());
  const [originAt = 0] = checkedAt;
  return notified.map(({ at, line }) => `${Math.round((at - originAt) / 1000)} ${line}`);
}

/** No `-`: the daemon checks at every turn. */
function randomSeries(random: Random): string {
  const known = words.filter((word) => word !== '-');
  const parts = Array.from({ length: 12 }, () => {
    const word = random.below(2) === 0 ? 'down' : (known[random.below(known.length)] ?? 'up');
    return `${word} x${1 + random.below(6)}`;
  });
  return ['up', ...parts, `up for ${minutes}m`].join(', ');
}

describe('a test', () => {
  it('tells what the daemon would tell, when it would, in random series', async () => {
    const random = randomOf(printedSeed());
    let messages = 0;
    const rounds = casesOf(5, 12);
    for (let round = 0; round < rounds; round += 1) {
      const [test] = (
        await fileOf(`[alerts]
fail_threshold = ${1 + random.below(3)}
recover_threshold = ${1 + random.below(2)}
alert_on_degraded = ${random.below(2) === 0}
group_window_secs = ${[0, 10, 45, 100][random.below(4)]}
[[channels]]
name = "ops"
type = "ntfy"
url = "https://ntfy.example.com/ops"
[[monitors]]
id = "api"
target = "https://api.example.com/"
degraded_over_ms = 500
[[tests]]
name = "x"
until = "${minutes + 1}m"
series.api = "${randomSeries(random)}"
`)
      ).tests;
      assert.ok(test !== undefined);
      const { notified } = await played(test);
      const lines = notified.map(({ atMs, channel, event, monitor }) => {
        return `${Math.round(atMs / 1000)} ${channel} ${event} ${monitor}`;
      });
      const theirs = await notifiedByDaemon(test);
      assert.deepEqual(lines, theirs, JSON.stringify(test.series));
      messages += lines.length;
    }
    console.log(`  12 series, ${messages} messages, all alike`);
    assert.ok(messages > rounds);
  });

  it('reads its series as they are written', () => {
    assert.ok(seriesType.read(randomSeries(randomOf(1))).isGood);
  });
});
