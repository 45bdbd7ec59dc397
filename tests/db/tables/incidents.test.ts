import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { openFacts } from '../../support/facts.ts';

const t0 = 1_764_000_000_000;

function opened(uid: string, monitor: string, startedAt: number) {
  return incidents.open({
    uid,
    monitor,
    name: monitor.toUpperCase(),
    startedAt,
    confirmedAt: startedAt + 120_000,
    category: 'status',
    reason: 'answered 503, expected 200-299',
    cause: null,
    impacted: [],
    snapshot: {
      statusLine: 'HTTP/1.1 503 Service Unavailable',
      headers: [['server', 'demo']],
      body: 'down\0',
    },
    vantage: null,
  });
}

/** Forty incidents, some starting in the same millisecond; every fourth is open, each of another monitor. */
async function forty() {
  const facts = await openFacts();
  for (let index = 0; index < 40; index++) {
    const uid = `uid-${(index * 17) % 40}`;
    const isOpen = index % 4 === 0;
    const monitor = isOpen ? `still-${index}` : index % 2 === 0 ? 'api' : 'web';
    facts.apply(opened(uid, monitor, t0 + Math.floor(index / 4) * 1000));
    if (!isOpen) facts.apply(incidents.close({ uid, endedAt: t0 + 500_000 }));
  }
  return facts;
}

describe('the incident record', () => {
  it('gives back what was recorded, snapshot included', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(apply(opened('k3f', 'api', t0)), [1]);
    assert.deepEqual(
      apply(
        incidents.describe({
          uid: 'k3f',
          cause: 'gateway',
          impacted: ['web', 'shop'],
          vantage: { paris: 'up' },
        }),
        incidents.annotate({ uid: 'k3f', note: 'rebooted', at: 5000 }),
        incidents.close({ uid: 'k3f', endedAt: t0 + 300_000 }),
      ),
      [true, true, true],
    );
    assert.deepEqual(incidents.find(sql, 'k3f'), {
      id: 1,
      uid: 'k3f',
      monitor: 'api',
      name: 'API',
      startedAt: t0,
      confirmedAt: t0 + 120_000,
      endedAt: t0 + 300_000,
      category: 'status',
      reason: 'answered 503, expected 200-299',
      latest: null,
      cause: 'gateway',
      impacted: ['web', 'shop'],
      note: 'rebooted',
      notedAt: 5000,
      snapshot: {
        statusLine: 'HTTP/1.1 503 Service Unavailable',
        headers: [['server', 'demo']],
        body: 'down\ufffd',
      },
      vantage: { paris: 'up' },
      ownFault: null,
      acknowledged: null,
      carriedFrom: null,
    });
  });

  it('keeps what could not be checked apart from outages', async () => {
    const { sql, apply } = await openFacts();
    const blocked = { uid: 'u1', monitor: 'api', name: 'API', startedAt: t0, confirmedAt: t0 + 60_000 };
    const rest = { category: 'own_fault', reason: null, cause: null, impacted: [], snapshot: null } as const;
    apply(incidents.open({ ...blocked, ...rest, vantage: null, ownFault: 'resolver' }));
    apply(opened('d1', 'web', t0));
    assert.equal(incidents.find(sql, 'u1')?.ownFault, 'resolver');
    assert.deepEqual([...incidents.totals(sql)], [['web', 1]]);
    const between = { fromAt: t0, toAt: t0 + 1000 };
    assert.deepEqual(
      incidents.spansWithin(sql, between).map(({ monitor }) => monitor),
      ['web'],
    );
    apply(incidents.close({ uid: 'u1', endedAt: t0 + 90_000 }), opened('d2', 'api', t0 + 90_000));
    assert.equal(incidents.listOpen(sql).length, 2);
  });

  it('records a uid once, also when it is sent again', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(
      apply(opened('a', 'api', t0), opened('a', 'api', t0), opened('b', 'web', t0)),
      [1, 1, 2],
    );
    assert.equal(incidents.totals(sql).get('api'), 1);
  });

  it('has one open incident of a monitor at a time', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(apply(opened('a', 'api', t0), opened('b', 'api', t0 + 5)), [1, 1]);
    assert.equal(incidents.find(sql, 'b'), null);
    apply(incidents.close({ uid: 'a', endedAt: t0 + 10 }));
    assert.deepEqual(apply(opened('b', 'api', t0 + 20), opened('a', 'api', t0)), [2, 1]);
    assert.deepEqual(
      incidents.listOpen(sql).map(({ uid }) => uid),
      ['b'],
    );
    assert.equal(incidents.totals(sql).get('api'), 2);
    assert.throws(() => sql.run('UPDATE incidents SET ended_at = NULL'), /UNIQUE constraint failed/);
  });

  it('closes and annotates what is there, and says when it is not', async () => {
    const { sql, apply } = await openFacts();
    apply(opened('a', 'api', t0));
    assert.deepEqual(
      apply(
        incidents.close({ uid: 'a', endedAt: t0 + 1 }),
        incidents.close({ uid: 'a', endedAt: t0 + 2 }),
        incidents.annotate({ uid: 'nobody', note: 'x', at: 1 }),
        incidents.annotate({ uid: 'a', note: null, at: 2 }),
      ),
      [true, false, false, true],
    );
    assert.equal(incidents.find(sql, 'a')?.endedAt, t0 + 1);
    assert.deepEqual(incidents.listOpen(sql), []);
  });

  it('pages through all of them, newest first, each once, for any page size', async () => {
    const { sql } = await forty();
    const all = incidents.list(sql, { limit: 100 });
    assert.equal(all.next, null);
    const uids = all.incidents.map(({ uid }) => uid);
    assert.equal(new Set(uids).size, 40);
    assert.deepEqual(
      all.incidents.map(({ startedAt }) => startedAt),
      all.incidents.map(({ startedAt }) => startedAt).toSorted((a, b) => b - a),
    );
    for (const limit of [1, 3, 7, 40]) {
      const seen: string[] = [];
      for (let before: string | null = null; ; ) {
        const page = incidents.list(sql, { limit, before });
        seen.push(...page.incidents.map(({ uid }) => uid));
        before = page.next;
        if (before === null) break;
        assert.ok(incidents.isCursor(before));
      }
      assert.deepEqual(seen, uids);
    }
  });

  it('filters by monitor, by what a viewer may see, and by open', async () => {
    const { sql } = await forty();
    const list = (query: Partial<Parameters<typeof incidents.list>[1]>) =>
      incidents.list(sql, { limit: 100, ...query }).incidents;
    assert.equal(list({ monitors: ['api'] }).length, 10);
    assert.equal(list({ monitors: ['api', 'web', 'nobody'] }).length, 30);
    assert.equal(list({ monitors: [] }).length, 0);
    assert.equal(list({ monitors: ['api'], isOpen: true }).length, 0);
    assert.equal(list({ monitors: ['api', 'still-8'], isOpen: true }).length, 1);
    assert.equal(list({ isOpen: true }).length, 10);
    assert.equal(list({ isOpen: false }).length, 30);
    assert.equal(incidents.listOpen(sql).length, 10);
  });

  it('refuses a text that is no cursor', () => {
    for (const text of ['', '1', 'x-1', "1-a'b", `1-${'a'.repeat(300)}`])
      assert.ok(!incidents.isCursor(text));
  });

  it('finds those that touch a stretch of time, open ones too', async () => {
    const { sql, apply } = await openFacts();
    apply(
      opened('before', 'api', t0),
      incidents.close({ uid: 'before', endedAt: t0 + 10 }),
      opened('into', 'api', t0),
      incidents.close({ uid: 'into', endedAt: t0 + 101 }),
      opened('inside', 'api', t0 + 120),
      incidents.close({ uid: 'inside', endedAt: t0 + 130 }),
      opened('open', 'api', t0 + 150),
      opened('after', 'web', t0 + 200),
    );
    const found = incidents.listWithin(sql, { fromAt: t0 + 100, toAt: t0 + 200 });
    assert.deepEqual(
      found.map(({ uid }) => uid),
      ['open', 'inside', 'into'],
    );
    const spans = incidents.spansWithin(sql, { fromAt: t0 + 100, toAt: t0 + 200 });
    assert.deepEqual(
      spans.toSorted((a, b) => b.startedAt - a.startedAt),
      found.map(({ monitor, startedAt, endedAt }) => ({ monitor, startedAt, endedAt })),
    );
  });

  it('reads a page through an index', async () => {
    const { sql } = await forty();
    for (const where of [
      '',
      'WHERE monitor = ?1',
      'WHERE ended_at IS NULL',
      'WHERE (started_at, uid) < (?1, ?2)',
    ]) {
      const plan = sql.all(
        `EXPLAIN QUERY PLAN SELECT * FROM incidents ${where} ORDER BY started_at DESC, uid DESC LIMIT 10`,
        [],
        (row) => row.text('detail'),
      );
      assert.ok(
        plan.every((line) => line.includes('USING INDEX')),
        plan.join('; '),
      );
    }
  });
});

describe('decisions', () => {
  it('are read back by monitor and by incident, and counted for ever', async () => {
    const { sql, apply } = await openFacts();
    const log = (at: number, incident: string | null, verdict: string) =>
      decisions.log({
        at,
        monitor: 'api',
        incident,
        channel: 'ops',
        event: 'down',
        verdict,
        reason: 'silence',
        detail: 'muted until 12:00',
      });
    apply(log(1, null, 'muted'), log(2, 'a', 'muted'), log(3, 'a', 'told'), log(4, 'b', 'told'));
    assert.deepEqual(
      decisions.ofMonitor(sql, 'api', { at: 3, limit: 2 }).map(({ at }) => at),
      [2, 3],
    );
    assert.deepEqual(
      decisions.ofIncident(sql, 'a').map(({ verdict }) => verdict),
      ['muted', 'told'],
    );
    assert.deepEqual(decisions.countWithin(sql, { fromAt: 2, toAt: 4, followUps: [] }), [
      { verdict: 'muted', reason: 'silence', count: 1 },
      { verdict: 'told', reason: 'silence', count: 1 },
    ]);
    assert.deepEqual(
      decisions.totals(sql).map(({ count }) => count),
      [2, 2],
    );
    assert.equal(decisions.ofIncident(sql, 'a')[0]?.detail, 'muted until 12:00');
    apply(log(3, 'a', 'told'), log(3, null, 'told'));
    assert.deepEqual(decisions.countWithin(sql, { fromAt: 3, toAt: 4, followUps: [] }), [
      { verdict: 'told', reason: 'silence', count: 2 },
    ]);
  });
});
