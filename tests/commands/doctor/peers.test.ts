import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { peersCheck } from '../../../src/commands/doctor/checks/peers.ts';
import type { DoctorFinding } from '../../../src/commands/doctor/finding.ts';
import { load } from '../../support/config.ts';
import { notWatched, peerLines, seenUp, startPeer, type FakePeer } from '../../support/fake-peer.ts';
import { probeContext } from '../../support/probing.ts';

const monitors = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `[[monitors]]\nid = "m${index}"\ntarget = "http://127.0.0.1:1/${index}"`,
  ).join('\n');

describe('what doctor says of a peer', () => {
  const open: FakePeer[] = [];
  after(async () => {
    await Promise.all(open.map((peer) => peer.close()));
  });
  const started = async (...given: Parameters<typeof startPeer>) => {
    const peer = await startPeer(...given);
    open.push(peer);
    return peer;
  };
  const look = async (toml: string): Promise<readonly DoctorFinding[]> => {
    const { config } = await load(`[health]\nid = "here"\n${toml}`);
    return peersCheck.run({ config, env: {}, ctx: probeContext(), isAskingChannels: false, isSeen: false });
  };
  const notified = (findings: readonly DoctorFinding[]) =>
    findings.map(({ verdict, message }) => [verdict, message]);

  it('is nothing without peers', async () => {
    assert.deepEqual(await look(monitors(1)), []);
  });

  it('is that it answers, has the same time, takes the token and watches the same', async () => {
    const paris = await started();
    const found = await look(`${monitors(12)}${peerLines('paris', paris.origin, 'name = "Paris"')}`);
    assert.deepEqual(notified(found), [
      ['ok', 'Paris answers'],
      ['ok', 'Paris has the same time, within 2 s'],
      ['ok', 'Paris accepts the token, and monitors 4 of 4 compared targets'],
    ]);
    // A sample from all over the configuration.
    assert.deepEqual(paris.asked.toSorted(), ['m0', 'm3', 'm6', 'm9']);
  });

  it('is a warning when its clock is off, it has another name, or watches other things', async () => {
    const paris = await started({
      id: 'london',
      skewMs: -90_000,
      answer: (id) => (id === 'm0' ? seenUp : notWatched),
    });
    const found = await look(`${monitors(3)}${peerLines('paris', paris.origin)}`);
    assert.deepEqual(
      found.map(({ verdict }) => verdict),
      ['warn', 'warn', 'warn'],
    );
    const [name, clock, common] = found.map(({ message }) => message);
    assert.equal(name, 'paris has the id london in its own configuration, and paris in this one');
    assert.match(clock ?? '', /^the clock of paris is 1m (?:29|30|31)s behind: one of the two is wrong$/);
    assert.equal(common, 'paris accepts the token, and monitors 1 of 3 compared targets');
    assert.ok(found.every(({ cure }) => cure !== null));
  });

  it('fails when the token is wrong or nothing listens', async () => {
    const paris = await started({ token: 'another' });
    const found = await look(
      `${monitors(1)}${peerLines('paris', paris.origin)}${peerLines('gone', 'http://127.0.0.1:1')}`,
    );
    assert.deepEqual(
      found.map(({ verdict }) => verdict),
      ['ok', 'ok', 'fail', 'fail'],
    );
    assert.equal(found[2]?.message, 'paris does not accept the ping_token');
    assert.equal(found[2].cure, 'Make ping_token here and listen_token there the same.');
    assert.match(found[3]?.message ?? '', /^gone does not answer: /);
  });

  it('is about the token also where there is no target to ask about', async () => {
    const paris = await started({ answer: () => notWatched });
    const wrong = await started({ token: 'another' });
    assert.deepEqual(notified(await look(peerLines('paris', paris.origin))).at(-1), [
      'ok',
      'paris accepts the token; there is no target to compare',
    ]);
    assert.equal((await look(peerLines('wrong', wrong.origin))).at(-1)?.verdict, 'fail');
  });

  it('is that it is only listened to without a ping_url', async () => {
    const found = await look(`${monitors(1)}\n[[peers]]\nid = "quiet"\nlisten_token = "the-token-of-peers"`);
    assert.deepEqual(notified(found), [
      ['ok', 'quiet is only expected to send heartbeats: it has no ping_url'],
    ]);
  });
});
