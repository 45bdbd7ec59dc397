/**
 * Lives through random histories and has the oracle judge them. Arguments: how many, and `early` for what a seed meant
 * before there were full disks, `unacknowledged` for what it meant before outages were acknowledged, or `slow` for disks on which every write takes time. Those that were wrong once are judged
 * in every whole run. A program of its own, because the test runner follows every promise, which makes it four times slower.
 */
import { setMaxListeners } from 'node:events';
import type { Operation } from '../../src/db/store/operation.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { historyOf } from './history.ts';
import { judge } from './oracle.ts';
import { openDisk } from '../notify/delivery/world.ts';
import { liveThrough, type Sabotage } from './world.ts';

/** What the oracle must notice: each takes something away from what is written. */
const sabotages: Readonly<Record<string, Sabotage>> = {
  'down messages get lost': { write: leavingOut(isPut('down')) },
  'recoveries get lost': { write: leavingOut(isPut('recovered')) },
  'silences get lost': { write: leavingOut(([name]) => name === 'silence.add') },
  'new reasons are not told': { write: leavingOut(isPut('reminder')) },
  'what cannot be checked is not reported': { write: leavingOut(isPut('unknown')) },
  'a full disk is not reported': { write: leavingOut(isPut('storage_failing')) },
  'a full disk keeps alerts back': { isMemoryUseless: true },
  // Of all that was sent, history after history would be the same message without end.
  'what was sent is forgotten': { write: leavingOut(everyThird(([name]) => name === 'outbox.sent')) },
};

/** Histories in which something was wrong once, as they were drawn before there were full disks. */
const onceWrongEarly = [4002006, 4003288, 4003971, 4004221, 4004539, 4006359, 4007390, 4007648];

/** And as they are drawn now. */
const onceWrong = [
  5000639, 6000538, 6001523, 6001939, 7200344, 9002079, 9005652, 9007884, 9009826, 12003148, 12005282,
  12008241, 12009266, 14001767, 17000246, 24002663, 31000524, 31001530, 51000130, 354450841, 354452492,
];

/** More than it takes to see any of them, in histories that are the same ones every time. */
const controls = 60;
const controlSeed = 51333170;

/** One history of so many stores its samples as well. The first does, so that a seed means the same when it is run alone. */
const sampled = 5;

/** One history of so many has a slow disk: a write takes up to half a second. Not the first, for the same reason. */
const slowed = 3;
const slowMs = 500;

function isPut(event: string) {
  return ([name, ...args]: Operation) => name === 'outbox.put' && args.includes(event);
}

function everyThird(isIt: (operation: Operation) => boolean) {
  let seen = 0;
  return (operation: Operation) => isIt(operation) && (seen += 1) % 3 === 0;
}

function leavingOut(isLeftOut: (operation: Operation) => boolean) {
  return (operations: readonly Operation[]) => operations.filter((operation) => !isLeftOut(operation));
}

setMaxListeners(0);
const count = Number(process.argv[2] ?? 200);
/** Few histories are somebody looking into one of them. */
const isWhole = count >= 60;
const seed = printedSeed();
const disk = await openDisk();
let sent = 0;
let failures = 0;

interface How {
  readonly isEarly?: boolean;
  /** As it was drawn before outages were acknowledged. */
  readonly isUnacknowledged?: boolean;
  readonly isSlow?: boolean;
  readonly keepsSamples?: boolean;
}

async function liveThroughSeed(
  drawn: number,
  { isEarly = false, isUnacknowledged = isEarly, isSlow = false, keepsSamples = false }: How,
): Promise<void> {
  const history = historyOf(randomOf(drawn), { isEarly, isUnacknowledged });
  const lived = await liveThrough(history, disk, { keepsSamples, writeMs: isSlow ? slowMs : 0 });
  sent += lived.received.length;
  const wrong = judge(history, lived);
  if (wrong.length === 0) return;
  failures += 1;
  const faults = history.faults.map(({ kind }) => kind).join(' ');
  const how = `STATUSD_SEED=${drawn}${isEarly ? ' early' : isUnacknowledged ? ' unacknowledged' : ''}${isSlow ? ' slow' : ''} (${faults})`;
  console.error(`${how}:\n  ${wrong.slice(0, 5).join('\n  ')}`);
}

for (let index = 0; index < count; index += 1) {
  await liveThroughSeed(seed + index, {
    isEarly: process.argv[3] === 'early',
    isUnacknowledged: process.argv[3] === 'early' || process.argv[3] === 'unacknowledged',
    isSlow: process.argv[3] === 'slow' || index % slowed === 1,
    keepsSamples: index % sampled === 0,
  });
  if ((index + 1) % 1000 === 0) console.log(`  ${index + 1} of ${count}, ${failures} with something wrong`);
}
if (isWhole) {
  for (const known of onceWrongEarly) await liveThroughSeed(known, { isEarly: true });
  for (const known of onceWrong) await liveThroughSeed(known, { isUnacknowledged: true });
}
console.log(`  ${count} histories, ${sent} messages, ${failures} with something wrong`);

for (const [name, sabotage] of isWhole ? Object.entries(sabotages) : []) {
  let noticed = 0;
  for (let index = 0; index < controls && noticed === 0; index += 1) {
    const history = historyOf(randomOf(controlSeed + index));
    noticed += judge(history, await liveThrough(history, disk, { sabotage, keepsSamples: false })).length;
  }
  if (noticed > 0) continue;
  failures += 1;
  console.error(`${name}: nobody noticed in ${controls} histories`);
}

process.exit(failures === 0 && sent > 0 ? 0 : 1);
