import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { doubt, isSighted, type Testimony, witnesses } from '../../../../src/engine/core/doubt/doubt.ts';
import type { Evidence } from '../../../../src/engine/core/doubt/evidence.ts';
import { networkOk, readNetwork } from '../../../../src/engine/core/doubt/episode.ts';

const early = { isFinal: false };
const late = { isFinal: true };

function testimony(host: string, heard: Evidence | null, wasDown = false): Testimony {
  return { host, heard, wasDown };
}

/** `a+ b- c?`: a answered, b failed, c was not heard. */
function heard(text: string): Map<string, Evidence | null> {
  const said = { '+': 'answered', '-': 'failed', '?': null } as const;
  return new Map(
    text.split(' ').map((word) => [word.slice(0, -1), said[word.slice(-1) as keyof typeof said]]),
  );
}

describe('doubting the network', () => {
  it('believes a failure when fewer than three hosts are known', () => {
    assert.deepEqual(doubt('a', heard('a- b-'), early), { kind: 'believe', why: 'too_few_hosts' });
  });

  it('believes it when at least half of the other hosts answered since', () => {
    assert.equal(doubt('a', heard('a- b+ c-'), early).kind, 'believe');
    assert.equal(doubt('a', heard('a- b+ c+ d- e?'), early).kind, 'believe');
  });

  it('believes it when another port of the same host answered', () => {
    assert.equal(doubt('a', heard('a+ b- c-'), early).kind, 'believe');
  });

  it('suspects the network when more than half of all hosts fail', () => {
    assert.deepEqual(doubt('a', heard('a- b- c?'), early), { kind: 'suspect', failing: 2, hosts: 3 });
    assert.equal(doubt('a', heard('a- b- c- d+'), early).kind, 'suspect');
  });

  it('asks the hosts that were not heard when neither is clear', () => {
    assert.deepEqual(doubt('a', heard('a- b? c? d-'), early), { kind: 'ask', hosts: ['b', 'c'] });
  });

  it('decides by those who answered when asking is over', () => {
    assert.equal(doubt('a', heard('a- b+ c? d? e? f?'), late).kind, 'believe');
    assert.equal(doubt('a', heard('a- b- c? d? e? f?'), late).kind, 'suspect');
    assert.equal(doubt('a', heard('a- b? c? d? e? f?'), late).kind, 'suspect');
  });

  it('judges a heartbeat by the hosts alone', () => {
    assert.equal(doubt(null, heard('a+ b+ c-'), early).kind, 'believe');
    assert.equal(doubt(null, heard('a- b- c-'), early).kind, 'suspect');
    assert.equal(doubt(null, heard('a- b-'), early).kind, 'believe');
  });

  it('hears a host that answers on one port of several', () => {
    const said = witnesses('a', [
      testimony('b', 'failed'),
      testimony('b', 'answered'),
      testimony('b', 'failed'),
      testimony('b', null),
    ]);
    assert.deepEqual([...said], [['b', 'answered']]);
  });

  it('takes no witness from a host that was down before, the one in question aside', () => {
    const said = witnesses('a', [
      testimony('a', 'failed', true),
      testimony('b', 'failed', true),
      testimony('c', null),
    ]);
    assert.deepEqual([...said.keys()], ['a', 'c']);
  });

  it('sees again when half of the hosts answered, or too few are left', () => {
    assert.equal(isSighted(heard('a+ b+ c- d-')), true);
    assert.equal(isSighted(heard('a+ b- c- d?')), false);
    assert.equal(isSighted(heard('a- b-')), true);
  });
});

describe('the stored state of the network', () => {
  it('is read back, and anything else is ok', () => {
    const lost = {
      state: 'lost',
      sinceAt: 5,
      reason: '3 of 4 hosts cannot be reached',
      by: 'hosts',
    } as const;
    assert.deepEqual(readNetwork(lost), lost);
    for (const document of [null, 7, [], { state: 'gone' }, { state: 'lost' }, { ...lost, reason: 1 }]) {
      assert.equal(readNetwork(document), networkOk);
    }
  });
});
