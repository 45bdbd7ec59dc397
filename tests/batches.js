/** Which test files share a process, and which have one of their own. */
import { statSync } from 'node:fs';

/** Each of these has a process of its own, because it runs whole programs and mostly waits for them. */
const waiting = [
  'tests/acceptance/',
  'tests/bench/',
  'tests/bin/',
  'tests/faults/',
  'tests/outages/',
  'tests/run.test.ts',
  'tests/engine/monitoring/month.test.ts',
];

/** Each of these has one because it looks at what the whole process holds: memory, file descriptors, timers. */
const watching = [
  'tests/db/store/store.test.ts',
  'tests/engine/net/deadline.test.ts',
  'tests/engine/net/dial.test.ts',
  'tests/engine/probes/http/hostile.test.ts',
  'tests/serve/limit/buckets.test.ts',
];

/** What an event begins with in the output of a process; it ends with the line. */
export const mark = '\u0001';

/** As much source as one process is given: files of a folder, or of neighbours. */
const batchBytes = 100_000;

/** Answers lists of files, each for a process: of those that mostly wait, and of those that compute. */
export function batchesOf(files) {
  const isIn = (places) => (file) => places.some((place) => file.startsWith(place));
  const [isWaiting, isWatching] = [isIn(waiting), isIn(watching)];
  const shared = [];
  let bytes = Infinity;
  for (const file of files.filter((each) => !isWaiting(each) && !isWatching(each))) {
    const { size } = statSync(file);
    if (bytes + size > batchBytes) {
      shared.push([]);
      bytes = 0;
    }
    shared.at(-1).push(file);
    bytes += size;
  }
  const alone = (isWanted) => files.filter(isWanted).map((file) => [file]);
  return { waiting: alone(isWaiting), computing: [...shared, ...alone(isWatching)] };
}
