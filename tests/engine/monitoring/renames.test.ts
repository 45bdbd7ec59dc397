/** What goes by another name is recognised, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renamesOf } from '../../../src/engine/monitoring/renames.ts';

const named = (text: string) =>
  text.split(' ').flatMap((each) => {
    const [name = '', identity = ''] = each.split('=');
    return name === '' ? [] : [{ name, identity: identity === '' ? null : identity }];
  });

const renames = (vanished: string, appeared: string) =>
  renamesOf(named(vanished), named(appeared))
    .map(({ from, to }) => `${from}>${to}`)
    .join(' ');

describe('a rename', () => {
  it('is one that vanished and one that appeared with the same identity', () => {
    assert.equal(renames('ops=1', 'pager=1'), 'ops>pager');
    assert.equal(renames('ops=1 sms=2', 'b=2 a=1 c=3'), 'ops>a sms>b');
  });

  it('is none where the identity is another, or not known', () => {
    assert.equal(renames('ops=1', 'pager=2'), '');
    assert.equal(renames('ops=', 'pager='), '');
    assert.equal(renames('', 'pager=1'), '');
  });

  it('is none where several share an identity on either side', () => {
    assert.equal(renames('a=1 b=1', 'c=1'), '');
    assert.equal(renames('a=1', 'b=1 c=1'), '');
    assert.equal(renames('a=1 b=1 x=2', 'c=1 d=1 y=2'), 'x>y');
  });
});
