import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentFacts } from '../../../src/engine/core/record.ts';
import { postmortemSkeleton, publicPostmortemFacts } from '../../../src/engine/views/postmortem.ts';

const startedAt = Date.UTC(2026, 5, 7, 12);
const monitors = [
  { id: 'web', public: true, public_error_detail: false, critical: false },
  { id: 'shop', public: true, public_error_detail: false, critical: false },
  { id: 'ledger', public: false, public_error_detail: false, critical: false },
];
const outage: IncidentFacts = {
  id: 3,
  uid: 'u3',
  monitor: 'web',
  name: 'Website',
  startedAt,
  confirmedAt: startedAt + 120_000,
  endedAt: startedAt + 600_000,
  category: 'connection',
  reason: 'connect ECONNREFUSED 10.0.0.7:5432',
  cause: null,
  impacted: ['shop'],
  note: null,
  snapshot: null,
  vantage: null,
  ownFault: null,
  acknowledged: { at: startedAt + 180_000, by: 'ann', reason: 'asked the ledger team' },
  latest: null,
  carriedFrom: null,
};
const said = {
  updates: [
    { uid: 'x', incident: 'u3', at: startedAt + 200_000, state: null, message: 'We look.', author: 'ann' },
  ],
  events: [{ id: 1, uid: 'e', title: 'deploy v2', monitors: ['web'], at: startedAt - 60_000 }],
};
const decision = {
  id: 1,
  at: startedAt + 150_000,
  monitor: 'web',
  incident: 'u3',
  channel: 'oncall-berlin',
  event: 'down',
  verdict: 'told',
  reason: 'sent',
  detail: null,
} as const;
const draft = (
  facts: IncidentFacts,
  more: Partial<Parameters<typeof publicPostmortemFacts>[0]> = {},
  nameOf = (id: string) => id,
) =>
  postmortemSkeleton({
    ...publicPostmortemFacts(
      { facts, ...said, decisions: [], ...more },
      { monitors, nowAt: startedAt + 3_600_000, nameOf },
    ),
    nameOf,
  });

describe('the draft of a post-mortem for the public', () => {
  it('is the same in a world without private monitors, reasons, channels and names of people', () => {
    const bare = draft({
      ...outage,
      reason: null,
      acknowledged: { at: startedAt + 180_000, by: null, reason: null },
    });
    const whole = draft(
      { ...outage, cause: 'ledger', impacted: ['shop', 'ledger'] },
      {
        decisions: [decision],
        events: [
          ...said.events,
          { id: 2, uid: 'f', title: 'ledger moved', monitors: ['ledger'], at: startedAt },
        ],
      },
    );
    assert.equal(whole, bare);
    assert.match(bare, /\n- Also affected: shop\n/);
    assert.match(bare, /We look\./);
    assert.doesNotMatch(bare, /ann|ledger|10\.0\.0\.7|oncall/);
  });

  it('calls monitors by their names in all its lines', () => {
    const written = draft({ ...outage, cause: 'web' }, {}, (id) => `The ${id}`);
    assert.match(written, /\n- Root cause: The web\n- Also affected: The shop\n/);
    assert.match(written, /Its root cause is The web\.\n.*It took The shop with it\./);
  });

  it('names the private monitor that the incident itself is about, as its readers may know it', () => {
    assert.match(draft({ ...outage, monitor: 'ledger', name: 'Ledger' }), /^# Post-mortem: Ledger was down/);
  });
});
