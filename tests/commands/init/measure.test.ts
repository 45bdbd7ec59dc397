import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gapMs, measure, probeCount } from '../../../src/commands/init/measure.ts';
import type { ProbeQuestion, WantedTarget } from '../../../src/commands/init/target.ts';
import { noTimings, type ProbeResult } from '../../../src/engine/core/probe.ts';

const secure: ProbeQuestion = { kind: 'http', target: 'https://a/' };
const clear: ProbeQuestion = { kind: 'http', target: 'http://a/' };
const wanted: WantedTarget = { text: 'a', host: 'a', questions: [secure, clear] };

const answer = { statusLine: 'HTTP/1.1 404 Not Found', headers: [], body: '' };
const result = (outcome: ProbeResult['outcome'], parts: Partial<ProbeResult> = {}): ProbeResult => ({
  outcome,
  reason: outcome === 'healthy' ? null : { category: 'connection', message: outcome },
  latencyMs: 5,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
  ...parts,
});

/** Runs a measurement in virtual time against scripted answers; the last answer of a question repeats. */
async function run(answers: ReadonlyMap<ProbeQuestion, ProbeResult[]>) {
  const asked: [string, number][] = [];
  let now = 0;
  const measured = await measure(wanted, {
    probe: (question) => {
      asked.push([question.target, now]);
      const left = answers.get(question) ?? [];
      return Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? result('failed'));
    },
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (ms) => {
        now += ms;
        return Promise.resolve();
      },
    },
    signal: new AbortController().signal,
  });
  return { asked, measured };
}

describe('measure', () => {
  it('asks the first question that is answered a few times, a moment apart', async () => {
    const { asked, measured } = await run(new Map([[secure, [result('healthy')]]]));
    assert.deepEqual(
      asked,
      Array.from({ length: probeCount }, (_, index) => [secure.target, index * gapMs]),
    );
    assert.equal(measured.question, secure);
    assert.equal(measured.results.length, probeCount);
  });

  it('stays with a question that was answered by another origin, whose answer is not kept', async () => {
    const assertions = [{ key: 'expected_status', isMet: false, expected: '2xx', actual: '403 Forbidden' }];
    const { measured } = await run(
      new Map([
        [secure, [result('failed')]],
        [clear, [result('failed', { assertions })]],
      ]),
    );
    assert.equal(measured.question, clear);
  });

  it('goes on to the next question when one is not answered, and never comes back', async () => {
    const { asked, measured } = await run(new Map([[clear, [result('degraded')]]]));
    assert.deepEqual(
      asked.map(([target]) => target),
      [secure.target, ...Array.from({ length: probeCount }, () => clear.target)],
    );
    assert.equal(measured.question, clear);
  });

  it('gives a silent target one more chance with the first question', async () => {
    const { asked, measured } = await run(new Map([[secure, [result('failed'), result('healthy')]]]));
    assert.deepEqual(
      asked.map(([target]) => target),
      [secure.target, clear.target, secure.target],
    );
    assert.deepEqual(
      measured.results.map(({ outcome }) => outcome),
      ['failed', 'healthy'],
    );
  });

  it('prefers a wrong answer to none', async () => {
    const { measured } = await run(new Map([[clear, [result('failed', { answer })]]]));
    assert.equal(measured.question, clear);
  });
});
