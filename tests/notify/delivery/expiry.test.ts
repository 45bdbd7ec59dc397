/** A warning of an expiry is of what is presented when it is sent, and none is lost while certificates change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Certificate, ProbeResult } from '../../../src/engine/core/probe.ts';
import { Certificates } from '../../../src/engine/monitoring/certificates.ts';
import { NoticeSender } from '../../../src/engine/monitoring/notice-sender.ts';
import type { WatchedMonitor } from '../../../src/engine/monitoring/watched-monitor.ts';
import { up } from '../../engine/monitoring/world.ts';
import { load } from '../../support/config.ts';
import { type Disk, openDisk, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const day = 24 * hour;
const toml = `
[[channels]]
name = "ops"
type = "webhook"
url = "https://ops.example.com/"
[[monitors]]
id = "api"
target = "https://127.0.0.1/"`;

/** Which certificate is presented in each hour: one with 4 days left, its successor, or one that ends a day later. */
type Presented = 'old' | 'new' | 'near';
const endsAt = { old: originAt + 4 * day, new: originAt + 89 * day, near: originAt + 5 * day };

interface Life {
  readonly presented: readonly Presented[];
  /** In hours; null: nothing is silenced. */
  readonly silentUntil: number | null;
}

/** What was sent: the days that are left, and the hour. */
async function sent({ presented, silentUntil }: Life, disk: Disk): Promise<string[]> {
  const { config } = await load(toml);
  const world = new World({ disk, config, startAt: originAt });
  const { sql, clock } = world;
  const store = {
    sql,
    write: (operations: readonly Operation[]) => {
      world.apply(...operations);
      return Promise.resolve([]);
    },
  } as unknown as ConstructorParameters<typeof NoticeSender>[0]['store'];
  const parts = { store, clock, log: () => undefined, config: () => config };
  const certificates = new Certificates({ ...parts, notices: new NoticeSender(parts) });
  const [monitor] = config.monitors;
  assert.ok(monitor !== undefined);
  if (silentUntil !== null)
    world.apply(
      silences.add({
        monitors: null,
        untilAt: originAt + silentUntil * hour,
        reason: null,
        createdAt: originAt,
      }),
    );
  for (const [index, which] of presented.entries()) {
    await world.runTo(originAt + index * hour + hour / 2);
    certificates.look({ id: 'api', monitor } as WatchedMonitor, presenting(which));
    await world.settle();
  }
  await world.runTo(originAt + (presented.length + 1) * hour);
  await world.stop();
  return world.notified.map(({ message, at }) =>
    message.event === 'cert_expiring'
      ? `${message.daysLeft} days at ${Math.floor((at - originAt) / hour)}`
      : message.event,
  );
}

function presenting(which: Presented): ProbeResult {
  const certificate: Certificate = {
    subject: 'CN=api.example',
    issuer: 'CN=ca',
    validFromAt: 0,
    validToAt: endsAt[which],
    spkiSha256: 'a'.repeat(64),
    isTrusted: true,
    chain: [],
  };
  return { ...up().result, certificate };
}

describe('a warning of the expiry of a certificate', () => {
  const cases: readonly (readonly [what: string, life: Life, expected: readonly string[]])[] = [
    [
      'is not sent after a silence in which it was renewed',
      { presented: ['old', 'old', 'new', 'new', 'new'], silentUntil: 4 },
      [],
    ],
    [
      'is sent after a silence in which it was not renewed',
      { presented: ['old', 'old', 'old', 'old', 'old'], silentUntil: 4 },
      ['3 days at 4'],
    ],
    [
      'is sent when the renewal is taken back after the silence',
      { presented: ['old', 'new', 'new', 'new', 'new', 'old', 'old'], silentUntil: 4 },
      ['3 days at 5'],
    ],
    [
      'is sent once while two certificates take turns',
      { presented: ['old', 'new', 'old', 'new', 'old', 'new', 'old'], silentUntil: null },
      ['3 days at 0'],
    ],
    [
      'is sent once after a silence during which two took turns, whichever was presented at its end',
      { presented: ['new', 'old', 'new', 'old', 'new', 'old', 'new', 'old'], silentUntil: 5 },
      ['3 days at 5'],
    ],
    [
      'is sent soon after a silence that ended while the other one was presented',
      { presented: ['old', 'new', 'old', 'new', 'old', 'new', 'old', 'new'], silentUntil: 4 },
      ['3 days at 4'],
    ],
    [
      'is sent of each of two that expire soon',
      { presented: ['old', 'near', 'old', 'near', 'old', 'near', 'old'], silentUntil: 4 },
      ['4 days at 4', '3 days at 4'],
    ],
  ];
  for (const [what, life, expected] of cases) {
    it(what, async () => {
      assert.deepEqual(await sent(life, await openDisk()), expected);
    });
  }
});
