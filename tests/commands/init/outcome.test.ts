import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closingLines, progressLine } from '../../../src/commands/init/outcome.ts';

const observation = {
  kind: 'http',
  target: 'https://a/',
  shown: 'https://a/',
  host: 'a',
  name: 'a',
  probes: 4,
  latenciesMs: [10, 12],
  degradedOverMs: 250,
  timeoutSecs: null,
  certificateEndsAt: null,
  error: null,
  cure: null,
  isUnknown: false,
} as const;

describe('progressLine', () => {
  it('reports how a target answered', () => {
    assert.equal(progressLine(observation), 'a (http): answered 2 of 4 probes in 10 to 12 ms');
  });

  it('warns of a target that did not, without its control codes', () => {
    assert.equal(
      progressLine({ ...observation, latenciesMs: [], error: 'no\u001b[2J\nway' }),
      'warning: a (http) did not answer as expected: no way',
    );
    assert.match(
      progressLine({ ...observation, latenciesMs: [], error: 'no ping', isUnknown: true }),
      /^warning: a \(http\) could not be asked from here: no ping$/,
    );
  });
});

describe('closingLines', () => {
  it('names the command to run next, ready for a shell', () => {
    assert.deepEqual(closingLines({ kind: 'file', file: 'statusd.toml', isFound: true }, []).slice(0, 3), [
      'Wrote statusd.toml with examples.',
      'Put what you want watched into it, then run:',
      '  statusd check',
    ]);
    const elsewhere = { kind: 'file', file: "my 'own'.toml", isFound: false } as const;
    assert.deepEqual(closingLines(elsewhere, [{ ...observation, id: 'a' }]).slice(0, 3), [
      "Wrote my 'own'.toml with 1 monitor.",
      'Probe everything in it once:',
      "  statusd check -c 'my '\\''own'\\''.toml'",
    ]);
    assert.deepEqual(closingLines({ kind: 'stdout' }, []).slice(0, 1), ['Save it as statusd.toml.']);
  });
});
