/** Which address a message leads to, and when it has one to acknowledge it by. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { ackLinkOf, linkOf } from '../../../src/notify/delivery/links.ts';
import { load } from '../../support/config.ts';
import { nowAt } from './decided.ts';

const base = 'https://status.example.com';
const monitorText = `[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\n`;
const { config } = await load(`[server]\nbase_url = "${base}"\n${monitorText}`);
const withoutBase = await load(monitorText);

interface Scene {
  readonly event?: EventName;
  readonly monitor?: string | null;
  readonly incident?: string | null;
  readonly endedAt?: number | null;
  readonly acknowledged?: object | null;
  readonly key?: string | null;
  readonly hasBase?: boolean;
}

function sceneOf({ event = 'down', monitor = 'api', incident = 'of a', hasBase = true, ...scene }: Scene) {
  const row = { deliveryId: 'x', monitor, incident } as never;
  const { endedAt = null, acknowledged = null, key = 'k'.repeat(32) } = scene;
  const context = {
    settings: deliverySettings(hasBase ? config : withoutBase.config),
    incident: (uid: string) => (uid === 'of a' ? { uid, endedAt, acknowledged } : null),
    linkKey: () => (key === null ? null : Buffer.from(key)),
    nowAt,
  } as unknown as DeliveryContext;
  return [{ row, event }, context] as const;
}

const link = (scene: Scene) => linkOf(...sceneOf(scene));
const ackLink = (scene: Scene) => ackLinkOf(...sceneOf(scene));

describe('the address of a message', () => {
  it('is the incident, where it is on record', () => {
    assert.equal(link({}), `${base}/incidents/of%20a`);
    assert.equal(link({ event: 'recovered' }), `${base}/incidents/of%20a`);
    assert.equal(link({ incident: 'of gone' }), `${base}/monitor/api`);
  });

  it('is the incident that an operator opened, with or without a monitor', () => {
    assert.equal(link({ event: 'incident', incident: 'op 1' }), `${base}/incidents/op%201`);
    assert.equal(link({ event: 'incident', incident: 'op 1', monitor: null }), `${base}/incidents/op%201`);
  });

  it('is the monitor, where it is watched', () => {
    assert.equal(link({ incident: null }), `${base}/monitor/api`);
    assert.equal(link({ incident: null, monitor: 'gone' }), base);
  });

  it('is the page for what is about no monitor, whatever its row names', () => {
    assert.equal(link({ event: 'channel_failing' }), base);
    assert.equal(link({ event: 'channel_failing', incident: null }), base);
    assert.equal(link({ event: 'digest', incident: null, monitor: null }), base);
    assert.equal(link({ monitor: null }), base);
  });

  it('is none without base_url', () => {
    assert.equal(link({ hasBase: false }), null);
  });
});

describe('the address to acknowledge by', () => {
  it('is there while the outage lasts and nobody has acknowledged it', () => {
    assert.match(ackLink({}) ?? '', /^https:\/\/status\.example\.com\/ack\/./);
    assert.equal(ackLink({ endedAt: nowAt }), null);
    assert.equal(ackLink({ acknowledged: { at: nowAt } }), null);
  });

  it('is missing without an incident on record, a key, or base_url', () => {
    assert.equal(ackLink({ incident: null }), null);
    assert.equal(ackLink({ incident: 'of gone' }), null);
    assert.equal(ackLink({ key: null }), null);
    assert.equal(ackLink({ hasBase: false }), null);
  });
});
