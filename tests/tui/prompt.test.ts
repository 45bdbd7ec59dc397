import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  acknowledgeTyped,
  bannerTyped,
  silenceTyped,
  updateTyped,
  withPreset,
} from '../../src/tui/prompt.ts';

describe('what was typed', () => {
  it('is how long, then why', () => {
    assert.deepEqual(silenceTyped('  1h30m  the  deploy '), { duration: '1h30m', reason: 'the deploy' });
    assert.deepEqual(silenceTyped('5m'), { duration: '5m', reason: '' });
  });

  it('is a banner with a severity in front, or without', () => {
    assert.deepEqual(bannerTyped('Critical: all is lost: run'), {
      isForced: false,
      severity: 'critical',
      title: 'all is lost: run',
    });
    assert.deepEqual(bannerTyped('note: this'), {
      severity: 'info',
      title: 'note: this',
      isForced: false,
    });
  });

  it('is who is at work, then what is done', () => {
    assert.deepEqual(acknowledgeTyped(' @ann  restarting it '), { by: 'ann', reason: 'restarting it' });
    assert.deepEqual(acknowledgeTyped('@ann'), { by: 'ann', reason: '' });
    assert.deepEqual(acknowledgeTyped('restarting as @ann said'), {
      by: null,
      reason: 'restarting as @ann said',
    });
    assert.deepEqual(acknowledgeTyped(''), { by: null, reason: '' });
  });

  it('is an update with a state in front, or without', () => {
    assert.deepEqual(updateTyped('Identified: a full disk'), {
      state: 'identified',
      message: 'a full disk',
      isForced: false,
    });
    assert.deepEqual(updateTyped('! Identified: a full disk'), {
      state: 'identified',
      message: 'a full disk',
      isForced: true,
    });
    assert.deepEqual(updateTyped('still at it: really'), {
      state: null,
      message: 'still at it: really',
      isForced: false,
    });
  });
});

describe('what Tab offers', () => {
  it('takes the place of what it offered before, and goes round', () => {
    const texts = ['deploy'];
    for (let round = 0; round < 5; round++)
      texts.push(withPreset({ kind: 'silence', text: texts.at(-1) ?? '' }));
    assert.deepEqual(texts.slice(1), ['15m deploy', '1h deploy', '4h deploy', '1d deploy', '15m deploy']);
  });

  it('is nothing where nothing is offered', () => {
    assert.equal(withPreset({ kind: 'annotate', text: 'why' }), 'why');
  });
});
