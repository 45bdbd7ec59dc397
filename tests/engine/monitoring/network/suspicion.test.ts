import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  suspectNetwork,
  backBecause,
  type HostObservation,
  type HostEvidence,
  hostEvidence,
} from '../../../../src/engine/monitoring/network/suspicion.ts';
import type { Evidence } from '../../../../src/engine/monitoring/network/evidence.ts';
import {
  continued,
  endOf,
  isContinuation,
  type NetworkEpisode,
  networkOk,
  readNetwork,
} from '../../../../src/engine/monitoring/network/episode.ts';

const early = { isFinal: false };
const late = { isFinal: true };

function report(host: string, heard: Evidence | null, wasSilent = false): HostObservation {
  return { host, heard, wasSilent };
}

/** `a+ b- c? !d-`: a answered, b failed, c was not heard, d failed and was down before. */
function heard(text: string, own: string | null = 'a'): HostEvidence {
  const said = { '+': 'answered', '-': 'failed', '?': null } as const;
  const reports = text.split(' ').map((word) => {
    const host = word.slice(0, -1).replace('!', '');
    return report(host, said[word.slice(-1) as keyof typeof said], word.startsWith('!'));
  });
  return hostEvidence(own, reports);
}

describe('suspecting the network', () => {
  it('trusts a failure when fewer than three hosts are known', () => {
    assert.deepEqual(suspectNetwork('a', heard('a- b-'), early), { kind: 'believe', why: 'too_few_hosts' });
  });

  it('trusts it when any other host answered since', () => {
    assert.equal(suspectNetwork('a', heard('a- b+ c-'), early).kind, 'believe');
    assert.equal(suspectNetwork('a', heard('a- b- c- d- e- f+'), early).kind, 'believe');
    assert.equal(suspectNetwork('a', heard('a- b- c? d? e+'), early).kind, 'believe');
  });

  it('trusts it when a host answers that was down before', () => {
    assert.equal(suspectNetwork('a', heard('a- b- c- !d+'), early).kind, 'believe');
  });

  it('trusts it when another port of the same host answered', () => {
    assert.equal(suspectNetwork('a', heard('a+ b- c-'), early).kind, 'believe');
  });

  it('suspects the network when no host answers', () => {
    assert.deepEqual(suspectNetwork('a', heard('a- b- c-'), early), { kind: 'suspect', hosts: 3 });
    assert.deepEqual(suspectNetwork('a', heard('a- b- c- !d-'), early), { kind: 'suspect', hosts: 4 });
  });

  it('asks the hosts that were not heard before it suspects the network', () => {
    assert.deepEqual(suspectNetwork('a', heard('a- b? c? d-'), early), { kind: 'ask', hosts: ['b', 'c'] });
    assert.deepEqual(suspectNetwork('a', heard('a- b- c- d- !e?'), early), { kind: 'ask', hosts: ['e'] });
  });

  it('takes those for silent that did not answer when asked', () => {
    assert.equal(suspectNetwork('a', heard('a- b+ c? d? e? f?'), late).kind, 'believe');
    assert.deepEqual(suspectNetwork('a', heard('a- b- c? d?'), late), { kind: 'suspect', hosts: 4 });
  });

  it('trusts that one host is down where all others were down before', () => {
    assert.equal(suspectNetwork('a', heard('a- !b- !c-'), late).kind, 'believe');
    assert.equal(suspectNetwork('a', heard('a- b- !c- !d-'), late).kind, 'suspect', 'two at once are a sign');
  });

  it('judges a heartbeat by the hosts alone', () => {
    assert.equal(suspectNetwork(null, heard('a+ b+ c-', null), early).kind, 'believe');
    assert.equal(suspectNetwork(null, heard('a- b- c+', null), early).kind, 'believe');
    assert.equal(suspectNetwork(null, heard('a- b- c-', null), early).kind, 'suspect');
    assert.equal(suspectNetwork(null, heard('a- b-', null), early).kind, 'believe');
  });

  it('reaches a host that answers on one port of several', () => {
    const said = hostEvidence('a', [
      report('b', 'failed'),
      report('b', 'answered'),
      report('b', 'failed'),
      report('b', null),
    ]);
    assert.deepEqual([...said.heard], [['b', 'answered']]);
  });

  it('counts no host as up that was down before, the one in question aside', () => {
    const said = hostEvidence('a', [
      report('a', 'failed', true),
      report('b', 'failed', true),
      report('c', null),
    ]);
    assert.deepEqual([...said.heard.keys()], ['a', 'b', 'c']);
    assert.equal(said.wereUp, 2);
  });

  it('sees again when any host answered, or too few are left', () => {
    assert.equal(backBecause(heard('a- b- c- d+', null)), 'answer');
    assert.equal(backBecause(heard('a- b- c- d?', null)), null);
    assert.equal(backBecause(heard('a- b-', null)), 'too_few_hosts');
  });
});

describe('an episode without a network', () => {
  const lost: NetworkEpisode = { state: 'lost', sinceAt: 1000, reason: 'silence', by: 'hosts' };
  const suspect: NetworkEpisode = { ...lost, state: 'suspect', sinceAt: 70_000 };

  it('continues when the network is lost again within the window, whichever check detects it', () => {
    const ended = endOf(lost, 60_000);
    assert.deepEqual(ended, { state: 'ok', ended: { sinceAt: 1000, endedAt: 60_000, reason: 'silence' } });
    const again = continued({ ...suspect, by: 'peers' }, ended, 10_000);
    assert.deepEqual(again, { ...lost, by: 'peers' });
    assert.equal(isContinuation(again, ended), true);
  });

  it('is another one after the window, and after what was only suspected', () => {
    const ended = endOf(lost, 60_000);
    assert.equal(continued(suspect, ended, 9999), suspect);
    assert.equal(isContinuation({ ...lost, sinceAt: 70_000 }, ended), false);
    assert.equal(endOf(suspect, 80_000), networkOk);
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
    const ended = { state: 'ok', ended: { sinceAt: 5, endedAt: 7, reason: 'silence' } } as const;
    assert.deepEqual(readNetwork(ended), ended);
    for (const document of [
      null,
      7,
      [],
      { state: 'ok', ended: { sinceAt: 5 } },
      { state: 'gone' },
      { state: 'lost' },
      { ...lost, reason: 1 },
    ]) {
      assert.equal(readNetwork(document), networkOk);
    }
  });
});
