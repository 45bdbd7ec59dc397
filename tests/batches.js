/** Which test files share a process, and which have one of their own. */
import { statSync } from 'node:fs';

/**
 * Each of these has a process of its own, because it runs whole programs and mostly waits for them. In this order: what
 * takes longest begins first, so that nothing is left to be waited for alone at the end.
 */
const waiting = [
  'tests/long/failover-kills.test.ts',
  'tests/long/node-networks.test.ts',
  'tests/long/node-checks.test.ts',
  'tests/long/reload-alerts.test.ts',
  'tests/long/failover-times.test.ts',
  'tests/long/outputs-failover.test.ts',
  'tests/long/nodes-https.test.ts',
  'tests/long/subscribers.test.ts',
  'tests/long/failover-database.test.ts',
  'tests/long/failover.test.ts',
  'tests/long/random-outages.test.ts',
  'tests/long/',
  'tests/db/shared/node.test.ts',
  'tests/engine/nodes/dispatcher.test.ts',
  'tests/acceptance/unknown.test.ts',
  'tests/acceptance/hostile-terminal.test.ts',
  'tests/serve/pages/browser.test.ts',
  'tests/notify/outputs/hostile-receivers.test.ts',
  'tests/db/store/folder-news.test.ts',
  'tests/acceptance/',
  'tests/bench/',
  'tests/notify/channels/email.test.ts',
  'tests/engine/net/http/redirect.test.ts',
  'tests/commands/completion/zsh.test.ts',
  'tests/commands/doctor/nodes.test.ts',
  'tests/commands/doctor/losses.test.ts',
  'tests/faults/',
  'tests/run.test.ts',
  'tests/bin/',
];

/**
 * Each of these has one because it looks at what the whole process holds: memory, file descriptors, timers. They wait now
 * and then, so they come before those that only compute: at the end nothing else would have the processors meanwhile.
 */
const watching = [
  'tests/db/store/store.test.ts',
  'tests/engine/net/deadline.test.ts',
  'tests/engine/net/dial.test.ts',
  'tests/engine/probes/http/hostile.test.ts',
  'tests/serve/limit/buckets.test.ts',
];

/**
 * The processes with any of these begin before the others that only compute, in this order: they take longest, and one of
 * them alone at the end would leave the other processors with nothing to do.
 */
const longest = ['tests/notify/delivery/', 'tests/commands/'];

/** Programs that tests run from source. They are bundled with the tests: support/program.ts finds them there. */
export const programs = [
  'bench/seed.ts',
  'tests/long/month.ts',
  'tests/outages/run.ts',
  'tests/programs/checkpoint-leader.ts',
  'tests/programs/exhausted-http.ts',
  'tests/programs/exhausted-probes.ts',
  'tests/programs/packing-node.ts',
  'tests/programs/redirects.ts',
  'src/db/wal/checkpoint/worker.ts',
];

/** Options of V8 with which functions are optimised late. Since Node 21 it counts calls instead, and refuses to start. */
export const optimiseLate = process.versions.node.startsWith('20.') ? ['--interrupt-budget=400000'] : [];

/** What an event begins with in the output of a process; it ends with the line. */
export const mark = '\u0001';

/**
 * As much source as one process is given: files of a folder, or of neighbours, which run the same code. Where each process
 * has a third of it, they load and optimise the same three times, a tenth of all that the processors do for them.
 */
const batchBytes = 600_000;

/** Answers batches, each of the files of one process: of those that mostly wait, of those that watch it, and of the others. */
export function batchesOf(files) {
  const placeIn = (places) => (file) => places.findIndex((place) => file.startsWith(place));
  const [waitingPlace, watchingPlace] = [placeIn(waiting), placeIn(watching)];
  const shared = [];
  let bytes = Infinity;
  for (const file of files.filter((each) => waitingPlace(each) < 0 && watchingPlace(each) < 0)) {
    const { size } = statSync(file);
    if (bytes + size > batchBytes) {
      shared.push([]);
      bytes = 0;
    }
    shared.at(-1).push(file);
    bytes += size;
  }
  const alone = (placeOf) =>
    files
      .filter((file) => placeOf(file) >= 0)
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((file) => [file]);
  const turnOf = (batch) => {
    const turn = longest.findIndex((place) => batch.some((file) => file.startsWith(place)));
    return turn < 0 ? longest.length : turn;
  };
  shared.sort((a, b) => turnOf(a) - turnOf(b));
  const batches = (kind, lists) => lists.map((list) => ({ kind, files: list }));
  return {
    waiting: batches('waiting', alone(waitingPlace)),
    watching: batches('watching', alone(watchingPlace)),
    computing: batches('computing', shared),
  };
}
