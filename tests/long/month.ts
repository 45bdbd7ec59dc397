/**
 * Thirty days of two hundred monitors, or the first three, with everything that goes wrong in a month. A program of its own, because
 * the test runner follows every promise, which makes it four times slower.
 */
import assert from 'node:assert/strict';
import { outbox } from '../../src/db/tables/outbox.ts';
import type { CheckResult } from '../../src/engine/core/probe.ts';
import { holdSecsOf } from '../../src/engine/monitoring/check-policy.ts';
import type { ProbedMonitor } from '../../src/engine/probes/probe.ts';
import { casesOf, printedSeed, randomOf } from '../support/random.ts';
import { memoryStore } from '../engine/monitoring/memory-store.ts';
import { Reference } from '../engine/monitoring/reference.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { type Answer, failed, loadWith, openWorld, silent, unknown, up } from '../engine/monitoring/world.ts';

const minute = 60_000;
const days = casesOf(3, 30);
const probedCount = 180;
const pushCount = 20;

const intervals = [300, 600, 900, 1800, 900, 600, 3600, 1800, 900];

function tomlOf(renamed: number): string {
  const probed = Array.from({ length: probedCount }, (_, n) => {
    const interval = n % 30 === 0 ? 60 : (intervals[n % intervals.length] ?? 60);
    const name = n < renamed ? `name = "renamed ${renamed}"\n` : '';
    const thresholds = `fail_threshold = ${1 + (n % 4)}\nrecover_threshold = ${1 + (n % 3)}\n`;
    const target = `https://host-${n % 60}.example/${n}`;
    return `[[monitors]]\nid = "m${n}"\n${name}target = "${target}"\ninterval_secs = ${interval}\ndegraded_over_ms = 900\n${thresholds}`;
  });
  const push = Array.from(
    { length: pushCount },
    (_, n) => `[[monitors]]\nid = "p${n}"\nkind = "push"\ninterval_secs = 600\ngrace_secs = 300\n`,
  );
  return [...probed, ...push].join('\n');
}

/** What a target is doing at the moment, and until when on the monotonic clock. */
interface Spell {
  readonly answer: () => Answer;
  readonly untilMs: number;
}

const random = randomOf(printedSeed());
const clock = new VirtualClock();
const store = await memoryStore({ isWithoutSamples: true });
const spells = new Map<string, Spell>();
let networkCutUntilMs = 0;
const underWay = new Set<string>();
const last = new Map<string, number>();
let disturbedMs = 0;
let shortGaps = 0;
let checks = 0;

const watch = (monitor: ProbedMonitor) => {
  const nowMs = clock.monotonic();
  const intervalMs = monitor.interval_secs * 1000;
  checks += 1;
  assert.equal(underWay.has(monitor.id), false, `two checks of ${monitor.id} at once`);
  underWay.add(monitor.id);
  const gapMs = nowMs - (last.get(monitor.id) ?? -Infinity);
  if (gapMs < intervalMs / 2 && nowMs - disturbedMs > intervalMs) shortGaps += 1;
  const isCalm = (last.get(monitor.id) ?? 0) > disturbedMs;
  assert.ok(!isCalm || gapMs <= 2 * intervalMs + 1000, `${monitor.id} was not checked for ${gapMs} ms`);
  last.set(monitor.id, nowMs);
};
const check = async (monitor: ProbedMonitor, how: { signal: AbortSignal }): Promise<CheckResult> => {
  watch(monitor);
  try {
    const startedAt = clock.now();
    const spell = spells.get(monitor.id);
    const nowMs = clock.monotonic();
    const isCut = nowMs < networkCutUntilMs;
    const answer = isCut
      ? silent(10_000)
      : spell !== undefined && nowMs < spell.untilMs
        ? spell.answer()
        : up();
    if (answer.tookMs > 0) await clock.sleep(answer.tookMs, how.signal);
    return { startedAt, attempts: 1, result: answer.result };
  } finally {
    underWay.delete(monitor.id);
  }
};

const { config } = await loadWith(tomlOf(0));
const rules = new Map(
  config.monitors.map((monitor) => [
    monitor.id,
    {
      failThreshold: monitor.kind === 'push' ? 1 : monitor.fail_threshold,
      recoverThreshold: monitor.recover_threshold,
      forgetMs: Math.max(900_000, 3000 * holdSecsOf(monitor)),
    },
  ]),
);
const world = await openWorld(tomlOf(0), { clock, store, engine: { check } });
// Nothing is to be packed: samples do not reach the tables.
store.facts.sql.run('UPDATE monitors SET packed_before = 1000000');
const reference = new Reference(rules, 1);
let renamed = 0;
const senders = new Map(Array.from({ length: pushCount }, (_, n) => [`p${n}`, 0]));

const misfortune = async () => {
  const id = `m${random.below(probedCount)}`;
  const untilMs = clock.monotonic() + (1 + random.below(90)) * minute;
  const kinds: (() => void | Promise<void>)[] = [
    () => void spells.set(id, { answer: () => failed('status'), untilMs }),
    () => void spells.set(id, { answer: () => silent(random.below(20_000)), untilMs }),
    () => void spells.set(id, { answer: () => (random.below(2) === 0 ? up() : failed('content')), untilMs }),
    () => void spells.set(id, { answer: () => up(1500), untilMs }),
    () => void spells.set(id, { answer: unknown, untilMs }),
    () => void senders.set(`p${random.below(pushCount)}`, untilMs),
  ];
  await random.pick(kinds)();
};
const upheaval = async () => {
  disturbedMs = Infinity;
  switch (random.below(5)) {
    case 0:
      await world.restart();
      break;
    case 1:
      renamed = random.below(probedCount);
      await world.reload(tomlOf(renamed));
      break;
    case 2:
      clock.stall((3 + random.below(4000)) * 1000);
      break;
    case 3:
      clock.step((random.below(2) === 0 ? -1 : 1) * random.below(300) * 1000);
      break;
    case 4:
      networkCutUntilMs = clock.monotonic() + (1 + random.below(30)) * minute;
  }
  disturbedMs = clock.monotonic() + 2 * minute;
};

for (let passed = 0; passed < days * 1440; passed += 1) {
  if (random.below(10) === 0) await misfortune();
  if (random.below(360) === 0) await upheaval();
  for (const [id, quietUntilMs] of senders) {
    const isDue = (passed + Number(id.slice(1))) % 10 === 0;
    const isCut = clock.monotonic() < networkCutUntilMs;
    if (!isDue || isCut || clock.monotonic() < quietUntilMs) continue;
    void world.engine.heartbeat({ monitor: id, status: 'up', message: null, pingMs: 5 });
  }
  await clock.run(minute);
  reference.follow(store.taken.splice(0));
  for (const { id } of config.monitors) {
    const isDown = world.engine.stateOf(id)?.status === 'down';
    assert.equal(isDown, reference.open.has(id), `${id} is shown as something else than it is`);
  }
  if (passed % 60 === 0) {
    assert.deepEqual(world.openIncidents().sort(), [...reference.open.keys()].sort());
    for (const { deliveryId } of outbox.due(store.sql, clock.now(), 1000))
      store.facts.apply(outbox.sent({ deliveryId, at: clock.now() }));
  }
}
const sighted = world.log.filter(({ event }) => event === 'node.sighted').length;
console.log(
  `  ${days} days: ${checks} checks, ${reference.samples} samples, ${reference.opened} incidents, ` +
    `${shortGaps} checks out of turn, ${sighted} times without network`,
);
assert.ok(reference.opened > days * 10, 'a month without outages proves nothing');
// Before an incident is believed, at most eight hosts are asked.
assert.ok(shortGaps <= 8 * reference.opened, 'checks out of turn are rare');
await clock.until(world.engine.stop());
