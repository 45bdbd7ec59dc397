import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runChecks } from '../../../src/commands/check/run-checks.ts';

const never = new AbortController().signal;

/** Checks that end when the test says so. */
function pending() {
  const started: string[] = [];
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const check = (name: string) => {
    started.push(name);
    return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
  };
  const end = async (name: string) => {
    ends.get(name)?.resolve(`${name} done`);
    await turn();
  };
  return { started, ends, check, end };
}

test('results come in the order of the monitors, whatever order they end in', async () => {
  const { check, end } = pending();
  const done: string[] = [];
  const running = runChecks(['a', 'b', 'c'], {
    concurrency: 3,
    signal: never,
    check,
    onDone: (name) => done.push(name),
  });
  for (const name of ['c', 'a', 'b']) await end(name);
  assert.deepEqual(await running, ['a done', 'b done', 'c done']);
  assert.deepEqual(done, ['c', 'a', 'b']);
});

test('a slow target holds up one slot and nobody else', async () => {
  const { started, check, end } = pending();
  const running = runChecks(['slow', 'b', 'c', 'd'], { concurrency: 2, signal: never, check });
  assert.deepEqual(started, ['slow', 'b']);
  for (const name of ['b', 'c', 'd']) await end(name);
  assert.deepEqual(started, ['slow', 'b', 'c', 'd']);
  await end('slow');
  assert.equal((await running).length, 4);
});

test('an interrupt answers at once with what is known, and starts nothing more', async () => {
  const { started, check, end } = pending();
  const controller = new AbortController();
  const running = runChecks(['a', 'b', 'c'], { concurrency: 2, signal: controller.signal, check });
  await end('a');
  controller.abort();
  assert.deepEqual(await running, ['a done', undefined, undefined]);
  await end('b');
  assert.deepEqual(started, ['a', 'b', 'c']);
});

test('a check that an interrupt makes fail fails nothing', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const check = () =>
    new Promise<string>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
  const running = runChecks(['a', 'b'], { concurrency: 2, signal, check });
  controller.abort();
  assert.deepEqual(await running, [undefined, undefined]);
});

test('nothing is started after an interrupt', async () => {
  const { started, check } = pending();
  assert.deepEqual(await runChecks(['a'], { concurrency: 1, signal: AbortSignal.abort(), check }), [
    undefined,
  ]);
  assert.deepEqual(started, []);
});

test('an error of a check ends the run with that error', async () => {
  const { started, ends, check, end } = pending();
  const running = runChecks(['a', 'b', 'c'], { concurrency: 2, signal: never, check });
  ends.get('a')?.reject(new Error('impossible'));
  await assert.rejects(running, /impossible/);
  await end('b');
  assert.deepEqual(started, ['a', 'b']);
});
