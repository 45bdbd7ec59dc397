import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { certificates } from '../../../src/db/tables/certificates.ts';
import { domains } from '../../../src/db/tables/domains.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { openFacts } from '../../support/facts.ts';

const t0 = 1_764_000_000_000;

describe('certificates', () => {
  const seen = {
    monitor: 'api',
    subject: 'CN=api.example.org',
    issuer: 'CN=Demo',
    validFromAt: t0,
    validToAt: t0 + 1000,
    spkiSha256: 'aa',
    isTrusted: true,
    at: t0,
  };

  it('record a changed key, and the expiry of the last warning', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(
      apply(
        certificates.see(seen),
        certificates.see({ ...seen, at: t0 + 1 }),
        certificates.warned({ monitor: 'api', validToAt: t0 + 1000 }),
      ),
      [false, false, true],
    );
    assert.deepEqual(
      apply(certificates.see({ ...seen, validToAt: t0 + 9000, spkiSha256: 'bb', at: t0 + 2 })),
      [true],
    );
    const { at, ...kept } = seen;
    assert.deepEqual(certificates.list(sql), [
      {
        ...kept,
        validToAt: t0 + 9000,
        spkiSha256: 'bb',
        seenAt: at + 2,
        changedAt: t0 + 2,
        warnedForAt: t0 + 1000,
        unreadableSinceAt: null,
      },
    ]);
    assert.equal(certificates.find(sql, 'web'), null);
  });

  it('cannot be read from some time on, until they are seen again', async () => {
    const { sql, apply } = await openFacts();
    const unreadableSince = () => certificates.find(sql, 'api')?.unreadableSinceAt;
    const told = certificates.unreadable({ monitor: 'api', sinceAt: t0 + 5 });
    assert.deepEqual(apply(told, certificates.see(seen), told), [false, false, true]);
    assert.equal(unreadableSince(), t0 + 5);
    apply(certificates.see({ ...seen, at: t0 + 9 }));
    assert.equal(unreadableSince(), null);
  });
});

describe('domains', () => {
  it('keep the expiry they know when a look-up fails', async () => {
    const { sql, apply } = await openFacts();
    const seen = { monitor: 'api', domain: 'example.org', expiresAt: t0 + 5000, error: null, at: t0 };
    apply(domains.see(seen), domains.see({ ...seen, expiresAt: null, error: 'no answer', at: t0 + 1 }));
    assert.deepEqual(domains.find(sql, 'api'), {
      monitor: 'api',
      domain: 'example.org',
      expiresAt: t0 + 5000,
      error: 'no answer',
      checkedAt: t0 + 1,
      warnedForAt: null,
    });
    apply(
      domains.warned({ monitor: 'api', expiresAt: t0 + 5000 }),
      domains.see({ ...seen, domain: 'example.net', expiresAt: null }),
    );
    assert.deepEqual(
      domains.list(sql).map(({ expiresAt, warnedForAt }) => [expiresAt, warnedForAt]),
      [[null, t0 + 5000]],
    );
  });
});

describe('peers', () => {
  it('are kept with their state, and their last verdict on each monitor', async () => {
    const { sql, apply } = await openFacts();
    const verdict = {
      peer: 'paris',
      monitor: 'api',
      at: t0,
      status: 'down' as const,
      latencyMs: null,
      error: 'refused',
      skewMs: -40,
    };
    apply(
      peers.save({ id: 'paris', state: { age: 3 }, heardAt: t0 }),
      peers.saveVerdict(verdict),
      peers.saveVerdict({ ...verdict, status: 'up', latencyMs: 12, error: null }),
    );
    assert.deepEqual(peers.list(sql), [{ id: 'paris', heardAt: t0, state: { age: 3 } }]);
    assert.deepEqual(peers.listVerdicts(sql), [{ ...verdict, status: 'up', latencyMs: 12, error: null }]);
  });

  it('have the clock that they had when they were asked last, about whatever monitor', async () => {
    const { sql, apply } = await openFacts();
    const verdict = { status: 'up', latencyMs: 1, error: null } as const;
    apply(
      peers.saveVerdict({ ...verdict, peer: 'paris', monitor: 'api', at: t0 + 2000, skewMs: 70 }),
      peers.saveVerdict({ ...verdict, peer: 'paris', monitor: 'web', at: t0 + 1000, skewMs: 900 }),
      peers.saveVerdict({ ...verdict, peer: 'paris', monitor: 'db', at: t0 + 3000, skewMs: null }),
      peers.saveVerdict({ ...verdict, peer: 'tokyo', monitor: 'web', at: t0, skewMs: null }),
    );
    assert.deepEqual(peers.listSkews(sql), [{ peer: 'paris', skewMs: 70 }]);
  });

  it('are forgotten with their verdicts; silent are those without a heartbeat or a verdict', async () => {
    const { sql, apply } = await openFacts();
    const verdict = { monitor: 'api', status: 'up', latencyMs: 1, error: null, skewMs: null } as const;
    apply(
      peers.save({ id: 'heard', state: {}, heardAt: t0 }),
      peers.save({ id: 'never', state: {}, heardAt: null }),
      peers.save({ id: 'asked', state: {}, heardAt: null }),
      peers.saveVerdict({ ...verdict, peer: 'asked', at: t0 }),
      peers.saveVerdict({ ...verdict, peer: 'unknown', at: t0 - 1 }),
    );
    assert.deepEqual(peers.listSilentSince(sql, t0), ['never', 'unknown']);
    apply(peers.forget({ id: 'asked' }), peers.forget({ id: 'heard' }));
    assert.deepEqual(
      [peers.list(sql).map(({ id }) => id), peers.listVerdicts(sql).map(({ peer }) => peer)],
      [['never'], ['unknown']],
    );
  });
});

describe('single values', () => {
  it('hold the digest slot and any JSON; null when never set', async () => {
    const { sql, apply } = await openFacts();
    assert.equal(meta.digestSlot(sql), null);
    apply(meta.setDigestSlot(t0), meta.set({ name: 'x', value: { a: [1, null, 'é\0'] } }));
    assert.equal(meta.digestSlot(sql), t0);
    assert.deepEqual(meta.get(sql, 'x'), { a: [1, null, 'é\0'] });
  });
});

describe('alert states', () => {
  it('are given back as they were saved', async () => {
    const { sql, apply } = await openFacts();
    apply(
      alertStates.save({ monitor: 'api', state: { streak: 2 }, at: t0 }),
      alertStates.save({ monitor: 'api', state: { streak: 3 }, at: t0 }),
      alertStates.save({ monitor: 'web', state: null, at: t0 }),
    );
    assert.deepEqual(
      [...alertStates.list(sql)],
      [
        ['api', { streak: 3 }],
        ['web', null],
      ],
    );
    assert.deepEqual(alertStates.find(sql, 'api'), { streak: 3 });
    assert.equal(alertStates.find(sql, 'nobody'), null);
  });
});
