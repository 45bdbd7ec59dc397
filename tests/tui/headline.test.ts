import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headlineOf } from '../../src/tui/headline.ts';
import { createTheme } from '../../src/tui/theme.ts';
import { modelOf, monitorOf, summaryOf } from './facts.ts';

describe('the headline of top', () => {
  it('has the colour and the mark of the worse of checks and what an operator says', () => {
    const { marks } = createTheme('none', false);
    const stateOf = (
      overall: string,
      overall_state?: 'up' | 'unknown' | 'maintenance' | 'degraded' | 'partial_outage' | 'major_outage',
    ) => {
      const given = {
        overall,
        overall_label: 'so',
        ...(overall_state === undefined ? {} : { overall_state }),
      };
      const model = modelOf(summaryOf([monitorOf('a')], given));
      const facts = { model, live: null, daemon: 'ok', trouble: null, nowAt: 0, hasBars: false } as const;
      const { text, tone } = headlineOf(facts, marks).state.at(-1) ?? {};
      return [text, tone];
    };
    assert.deepEqual(stateOf('up', 'up'), ['+ SO', 'good']);
    assert.deepEqual(stateOf('up', 'degraded'), ['! SO', 'warn']);
    assert.deepEqual(stateOf('up', 'partial_outage'), ['! SO', 'warn']);
    assert.deepEqual(stateOf('degraded', 'major_outage'), ['x SO', 'bad']);
    assert.deepEqual(stateOf('down', 'partial_outage'), ['x SO', 'bad']);
    assert.deepEqual(stateOf('down', 'maintenance'), ['> SO', 'accent'], 'what is down under it is planned');
    assert.deepEqual(stateOf('up', 'maintenance'), ['> SO', 'accent']);
    assert.deepEqual(stateOf('degraded', 'unknown'), ['? SO', 'dim'], 'no data yet, one check failed');
    assert.deepEqual(stateOf('down'), ['x SO', 'bad'], 'of a server that does not say');
  });
});
