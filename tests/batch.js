/**
 * Runs test files one after the other in this process: `node tests/batch.js FOLDER FILE…` runs FILE as FOLDER/FILE.js.
 * A file is a suite of its own, so what it hooks up at its top holds for itself alone. What node:test reports goes to
 * stdout as marked lines, between those that the tests print.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { mark } from './batches.js';

/** How node:test follows every promise, so that what is declared anywhere finds the suite it belongs to. */
const followers = [];
const hooks = createRequire(import.meta.url)('node:async_hooks');
const { createHook } = hooks;
hooks.createHook = (callbacks) => {
  const follower = createHook(callbacks);
  followers.push(follower);
  return follower;
};
const { after, describe, it } = await import('node:test');
hooks.createHook = createHook;

/** What is still open this long after the last test would keep the run from ending. */
const patienceMs = 10_000;

const reported = new Set(['test:start', 'test:pass', 'test:fail', 'test:diagnostic']);
const isCount = ({ message }) =>
  /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);

/** The reporter: an error goes as its text, which is all that is shown of it. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (!reported.has(type) || (data.nesting === 0 && isCount(data))) continue;
    const { error, ...details } = data.details ?? {};
    const failure = error && { failureType: error.failureType, text: inspect(error.cause ?? error) };
    yield `${mark}${JSON.stringify({ type, data: { ...data, details }, failure })}\n`;
  }
}

// Not awaited here: node:test loads the reporter, which is this file, before it runs anything.
if (process.argv[1] === import.meta.filename) {
  const [, , folder, ...files] = process.argv;
  void runAll(folder, files);
}

async function runAll(folder, files) {
  let from = [0, 0];
  for (const file of files) {
    await run(folder, file);
    const until = [processorMs(), performance.now()];
    const data = { file, computedMs: until[0] - from[0], lastedMs: until[1] - from[1] };
    process.stdout.write(`${mark}${JSON.stringify({ type: 'times', data })}\n`);
    from = until;
  }
  setTimeout(() => {
    process.stderr.write(`still open: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(1);
  }, patienceMs).unref();
}

/** Milliseconds that processors worked for this process and, where the system says so, for those it waited for. */
function processorMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1).split(' ');
    return 10 * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/** Declares what the file holds and waits for its end. Promises are followed meanwhile, not while its tests run. */
function run(folder, file) {
  return new Promise((resolve) => {
    for (const follower of followers) follower.enable();
    describe(file, async () => {
      try {
        await import(pathToFileURL(join(folder, `${file}.js`)).href);
      } catch (error) {
        it(`${file} can be loaded`, () => {
          throw error;
        });
      }
      after(resolve);
      for (const follower of followers) follower.disable();
    });
  });
}
