/** The message about a dependent and the messages about its upstreams. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphOf } from '../../../src/engine/core/graph.ts';
import {
  causesOf,
  impactedBy,
  isPartOf,
  type MonitorLook,
  type Outage,
  type OutageMessage,
  unseenBelow,
} from '../../../src/engine/alerting/blast.ts';
import { fold, type Foldable, type FoldFacts } from '../../../src/engine/alerting/fold.ts';

const nowAt = 1_000_000;
const windowMs = 30_000;
const graph = graphOf([
  { id: 'db', dependsOn: [] },
  { id: 'cache', dependsOn: [] },
  { id: 'api', dependsOn: ['db', 'cache'] },
  { id: 'web', dependsOn: ['api'] },
]);

const coming: OutageMessage = {
  isSent: false,
  isComing: true,
  dueAt: nowAt + 5000,
  sentAt: null,
  groupId: null,
  named: new Set(),
  failing: [],
};
const sent: OutageMessage = {
  ...coming,
  isSent: true,
  isComing: false,
  dueAt: nowAt - 1000,
  sentAt: nowAt - 1000,
  groupId: 'db.down.1',
};
const withheld: OutageMessage = { ...coming, isComing: false, dueAt: Infinity };

/** An outage that began a minute ago, whose window ends now. `message`: that on the channel `ops`; null: none. */
function outage(
  monitor: string,
  message: OutageMessage | null = coming,
  changes: Partial<Outage> = {},
): Outage {
  return {
    uid: `uid-${monitor}`,
    monitor,
    startedAt: nowAt - 60_000,
    windowEndsAt: nowAt,
    isNotifiedAlone: false,
    channels: new Map(message === null ? [] : [['ops', message]]),
    ...changes,
  };
}

const up: MonitorLook = { failingSinceAt: null, lookedAt: nowAt, isUp: true };
const failing: MonitorLook = { failingSinceAt: nowAt - 20_000, lookedAt: nowAt - 1000, isUp: false };
const unseen: MonitorLook = { failingSinceAt: null, lookedAt: nowAt - 60_001, isUp: true };

interface Scene {
  readonly above?: readonly Outage[];
  readonly looks?: Readonly<Record<string, MonitorLook>>;
  readonly own?: Partial<Foldable>;
  readonly facts?: Partial<FoldFacts>;
}

/** What becomes of the message about `api` (or of `own.outage`). */
function folded({ above = [], looks = {}, own = {}, facts = {} }: Scene) {
  const dependent = own.outage ?? outage('api');
  return fold(
    {
      outage: dependent,
      channel: 'ops',
      event: 'down',
      isCritical: false,
      intervalMs: 60_000,
      confirmedAt: nowAt - windowMs,
      namedBy: null,
      isHeld: false,
      heldFor: null,
      limitAt: nowAt + 55_000,
      patienceEndsAt: nowAt + 50_000,
      ...own,
    },
    {
      graph,
      outages: new Map([dependent, ...above].map((each) => [each.monitor, each])),
      look: (id) => looks[id] ?? up,
      recoveredAt: () => null,
      sinceRecovery: () => ({ kind: 'failing' }),
      mutedUntil: () => null,
      isQuiet: () => false,
      laterGroups: () => 0,
      windowMs,
      nowAt,
      ...facts,
    },
  );
}

const alone = { kind: 'send', cause: null, reason: 'sent', later: null };

describe('a message below upstreams that are down', () => {
  it('waits for the message about the root that is about to leave, and names whichever is due first', () => {
    const both = [outage('db'), outage('cache', { ...coming, dueAt: nowAt + 2000 })];
    assert.deepEqual(folded({ above: both }), { kind: 'await', untilAt: nowAt + 2000, by: ['db', 'cache'] });
    const due = [outage('db', { ...coming, dueAt: nowAt })];
    assert.deepEqual(folded({ above: due }), { kind: 'await', untilAt: nowAt + 55_000, by: ['db'] });
  });

  it('waits no longer than its limit', () => {
    const over = { limitAt: nowAt };
    const send = { kind: 'send', cause: 'db', reason: 'hold_limit', later: null };
    assert.deepEqual(folded({ above: [outage('db')], own: over }), send);
  });

  it('is covered by a message that named it while the outage of that lasts', () => {
    const above = [outage('db', sent)];
    const namedBy = { groupId: 'db.down.1', root: 'uid-db' };
    assert.deepEqual(folded({ above, own: { namedBy } }), { kind: 'fold', into: ['db'], namedBy: null });
    const other = { groupId: 'x', root: 'uid-before' };
    assert.equal(folded({ above, own: { namedBy: other } }).kind, 'send', 'that outage is over');
    const both = [outage('db', { ...sent, named: new Set(['uid-api']) }), outage('cache', sent)];
    const into = folded({ above: both, own: { namedBy: other } });
    assert.deepEqual(into, { kind: 'fold', into: ['db'], namedBy }, 'another message named it, too');
  });

  it('is covered by a message that named it as failing, where it has failed since', () => {
    const above = [outage('db', { ...sent, failing: ['api'] })];
    const namedBy = { groupId: 'db.down.1', root: 'uid-db' };
    assert.deepEqual(folded({ above }), { kind: 'fold', into: ['db'], namedBy });
    const again = outage('api', coming, { startedAt: nowAt - 999 });
    assert.equal(folded({ above, own: { outage: again } }).kind, 'send', 'it came back in between');
  });

  it('is sent below the message that left without it, and later ones are gathered for longer', () => {
    const above = [outage('db', sent)];
    const later = { root: 'uid-db', groupId: 'db.down.1', number: 1 };
    assert.deepEqual(folded({ above }), { kind: 'send', cause: 'db', reason: 'later_group', later });
    const dueAt = (count: number, own: Partial<Foldable> = {}) => {
      const folding = folded({ above, own, facts: { laterGroups: () => count } });
      return folding.kind === 'gather' ? folding.untilAt - (nowAt - windowMs) : folding.kind;
    };
    assert.deepEqual(
      [1, 2, 3, 4, 9].map((count) => dueAt(count)),
      [60_000, 120_000, 240_000, 300_000, 300_000],
    );
    assert.equal(dueAt(9, { isCritical: true }), 'send', 'one window for what is critical');
    assert.equal(dueAt(9, { confirmedAt: nowAt - 300_000 }), 'send');
  });

  it('is not covered by a message that quiet hours, a mute or another route keep back', () => {
    const held = { kind: 'send', cause: 'db', reason: 'cause_held', later: null };
    assert.deepEqual(folded({ above: [outage('db', withheld)] }), held);
    const isQuiet = (monitor: string) => monitor === 'db';
    assert.deepEqual(folded({ above: [outage('db')], facts: { isQuiet } }), held);
    assert.equal(folded({ above: [outage('db')], facts: { isQuiet: () => true } }).kind, 'await');
    const elsewhere = { kind: 'send', cause: 'db', reason: 'cause_elsewhere', later: null };
    assert.deepEqual(folded({ above: [outage('db', null)] }), elsewhere);
  });

  it('names the topmost cause that no healthy monitor parts from it', () => {
    const web = outage('web');
    const middle = (look: MonitorLook) => ({
      above: [outage('db', null)],
      looks: { api: look },
      own: { outage: web },
    });
    assert.deepEqual(folded(middle(failing)), {
      kind: 'send',
      cause: 'db',
      reason: 'cause_elsewhere',
      later: null,
    });
    assert.deepEqual(folded(middle(up)), alone);
    assert.deepEqual(folded(middle(unseen)), { kind: 'ask', ids: ['api'], untilAt: nowAt + 55_000 });
  });

  it('is withheld below a muted upstream that failed with it, and only below one', () => {
    const mutedUntil = (id: string) => (id === 'db' ? nowAt + 9 : null);
    const after = (ms: number) => outage('api', coming, { startedAt: nowAt - 60_000 + ms });
    const above = [outage('db', withheld)];
    const muted = { kind: 'mute', untilAt: nowAt + 9, by: 'db' };
    const own = { intervalMs: 10_000 };
    const look = () => ({ ...up, lookedAt: Infinity });
    const at = (ms: number) =>
      folded({ above, own: { ...own, outage: after(ms) }, facts: { mutedUntil, look } });
    // The interval of the dependent and a minute.
    assert.deepEqual(at(70_000), muted);
    assert.equal(at(70_001).kind, 'send');
    assert.deepEqual(
      folded({ facts: { mutedUntil } }),
      alone,
      'a healthy upstream under a mute hides nothing',
    );
  });

  it('does not fold with a window of 0, nor what was told alone before', () => {
    const above = [outage('db', sent)];
    assert.deepEqual(folded({ above, facts: { windowMs: 0 } }), alone);
    const own = { outage: outage('api', coming, { isNotifiedAlone: true }) };
    assert.deepEqual(folded({ above, own }), alone);
    const early = { outage: outage('api', coming, { windowEndsAt: nowAt - 60_001 }) };
    assert.deepEqual(folded({ above, own: early }), alone, 'the upstream failed after that window');
  });

  it('covers a degradation by every message about an upstream', () => {
    const own = { event: 'degraded' } as const;
    assert.deepEqual(folded({ above: [outage('db', sent)], own }), {
      kind: 'fold',
      into: ['db'],
      namedBy: null,
    });
  });
});

describe('a message below upstreams that are not known to be down', () => {
  it('has those checked that were not since', () => {
    const looks = { db: unseen, cache: { ...unseen, lookedAt: null } };
    assert.deepEqual(folded({ looks }), { kind: 'ask', ids: ['db', 'cache'], untilAt: nowAt + 55_000 });
    const over = { limitAt: nowAt, patienceEndsAt: nowAt };
    assert.deepEqual(folded({ looks, own: over }), {
      kind: 'ask',
      ids: ['db', 'cache'],
      untilAt: nowAt + 12_000,
    });
    assert.deepEqual(folded({}), alone);
  });

  it('waits for one that fails, has it checked again, and names it when it waited for long enough', () => {
    const looks = { db: failing };
    assert.deepEqual(folded({ looks }), { kind: 'hold', untilAt: nowAt + 15_000, by: 'db' });
    const stale = { db: { ...failing, lookedAt: nowAt - 15_000 } };
    assert.deepEqual(folded({ looks: stale }), { kind: 'ask', ids: ['db'], untilAt: nowAt + 55_000 });
    const own = { patienceEndsAt: nowAt };
    assert.deepEqual(folded({ looks, own }), {
      kind: 'send',
      cause: 'db',
      reason: 'hold_limit',
      later: null,
    });
  });

  it('looks at a failing upstream every 2 to 15 seconds, as the window is', () => {
    const pauses = [1, 2000, 7000, 30_000, 600_000].map((ms) => {
      const held = folded({
        looks: { db: failing },
        own: { patienceEndsAt: Infinity },
        facts: { windowMs: ms },
      });
      return held.kind === 'hold' ? held.untilAt - nowAt : null;
    });
    assert.deepEqual(pauses, [2000, 2000, 7000, 15_000, 15_000]);
  });

  it('names the upstream that it was held for last, at its limit', () => {
    const own = { limitAt: nowAt, patienceEndsAt: nowAt, heldFor: 'db' };
    assert.deepEqual(folded({ own }), { kind: 'send', cause: 'db', reason: 'hold_limit', later: null });
  });
});

describe('a message whose upstream has recovered', () => {
  const facts = { recoveredAt: (id: string) => (id === 'db' ? nowAt - 1000 : null) };
  const own = { isHeld: true };
  it('waits for a window of its own, where it failed a check since', () => {
    assert.deepEqual(folded({ own, facts }), { kind: 'renew', untilAt: nowAt - 1000 + windowMs });
    assert.deepEqual(folded({ own: { ...own, limitAt: nowAt + 10 }, facts }), {
      kind: 'renew',
      untilAt: nowAt + 10,
    });
    assert.deepEqual(folded({ facts }), alone, 'none named it');
  });

  it('is checked first, and waits for answers like its last', () => {
    const since = (kind: 'unchecked' | 'recovering') =>
      folded({ own, facts: { ...facts, sinceRecovery: () => ({ kind }) } });
    assert.deepEqual(since('unchecked'), {
      kind: 'ask',
      ids: ['api'],
      untilAt: nowAt - 1000 + windowMs + 12_000,
    });
    assert.deepEqual(since('recovering'), { kind: 'watch', untilAt: nowAt + windowMs, heardBy: null });
  });
});

describe('the message about a root', () => {
  const root = { outage: outage('db') };
  it('has its dependents checked once before it leaves, those that a healthy one parts from it aside', () => {
    const looks = { api: unseen, web: unseen };
    assert.deepEqual(folded({ own: root, looks }), {
      kind: 'ask',
      ids: ['api', 'web'],
      untilAt: nowAt + 12_000,
    });
    assert.deepEqual(folded({ own: root, looks: { web: unseen } }), alone, 'api is up');
    const late = { outage: outage('db', coming, { windowEndsAt: nowAt - 12_000 }) };
    assert.deepEqual(folded({ own: late, looks }), alone, 'the checks took too long');
    const facts = { graph, outages: new Map<string, Outage>(), look: () => unseen };
    assert.deepEqual(unseenBelow(outage('cache'), facts), ['api', 'web']);
  });

  it('names what is down, and what fails, along paths that fail', () => {
    const all = (outages: readonly Outage[], looks: Readonly<Record<string, MonitorLook>> = {}) =>
      impactedBy(outage('db'), 'ops', {
        graph,
        outages: new Map(outages.map((each) => [each.monitor, each])),
        look: (id) => looks[id] ?? up,
      });
    assert.deepEqual(all([outage('api'), outage('web'), outage('cache')]), {
      down: ['api', 'web'],
      failing: [],
    });
    assert.deepEqual(all([outage('web')], { api: failing }), { down: ['web'], failing: ['api'] });
    assert.deepEqual(all([outage('web')]), { down: [], failing: [] }, 'api is up');
    assert.deepEqual(
      all([outage('api', sent), outage('web')]),
      { down: ['web'], failing: [] },
      'api was told',
    );
  });
});

it('an outage is part of the one above it that was failing when its window ended', () => {
  const above = (startedAt: number) => outage('db', coming, { startedAt });
  assert.equal(isPartOf(outage('api'), above(nowAt)), true);
  assert.equal(isPartOf(outage('api'), above(nowAt + 1)), false);
  assert.equal(isPartOf(outage('api', coming, { isNotifiedAlone: true }), above(0)), false);
  const outages = new Map([outage('db'), outage('cache')].map((each) => [each.monitor, each]));
  assert.deepEqual(causesOf(outage('api'), { graph, outages, look: () => up }), ['db', 'cache']);
});
