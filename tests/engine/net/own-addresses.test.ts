import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkInterfaces } from 'node:os';
import { isOwnAddress, isOwnServer } from '../../../src/engine/net/own-addresses.ts';
import { realClock } from '../../support/real-clock.ts';

describe('an address of this machine', () => {
  it('is loopback, and that of every interface', () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', ...own.map((each) => each.address)])
      assert.equal(isOwnAddress(address, realClock), true, address);
    // RFC 5737 and RFC 3849: for documentation only.
    for (const address of ['192.0.2.1', '2001:db8::1', null])
      assert.equal(isOwnAddress(address, realClock), false, String(address));
  });

  it('is that of a name server, when all of them are here', () => {
    assert.equal(isOwnServer(['127.0.0.53', '127.0.0.1:5353', '[::1]:53'], realClock), true);
    assert.equal(isOwnServer(['127.0.0.53', '192.0.2.1:53'], realClock), false);
    assert.equal(isOwnServer(['2001:db8::1'], realClock), false);
  });
});
