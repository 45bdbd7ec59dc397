/** A notice of every event that has no end to wait for: its fact, and what has to become of it. */
import type { ImmediateEvent } from '../../../../src/engine/alerting/events/catalogue.ts';
import type { EventFields } from '../../../../src/engine/alerting/events/stored.ts';

const day = 86_400_000;
/** When each of them is raised. */
export const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const text = '2026-01-02T03:04:05.000Z';
/** What it is about, where that is a monitor or a peer. */
export const about = { id: 'web', name: 'Web' };
export const named = (id: string) => ({ id, name: id.toUpperCase() });

interface Notice {
  readonly fact: ImmediateEvent;
  readonly key: string;
  readonly episode?: string;
  /** The fields of its message that are its own. */
  readonly own: object;
  readonly webhook: EventFields;
  /** What is left of its message where another version stored nothing; null: it cannot be sent then. */
  readonly bare: object | null;
}

const holder = { subject: 'CN=web', issuer: 'CN=ca' };
const monitors = ['web', 'db'];

export const notices: Readonly<Record<string, Notice>> = {
  alert: {
    fact: {
      kind: 'producer_alert',
      at,
      uid: 'u1',
      monitor: 'web',
      severity: 'error',
      title: 'Disk',
      message: 'full',
      tags: { env: 'prod', host: 'a\n1' },
      dedupKey: 'disk',
    },
    key: 'alert.u1',
    own: {
      monitor: about,
      title: 'Disk',
      message: 'full',
      tags: { env: 'prod', host: 'a\n1' },
      dedupKey: 'disk',
    },
    webhook: { title: 'Disk', message: 'full\nenv=prod, host=a 1' },
    bare: { monitor: about, title: '', message: null, tags: {}, dedupKey: null },
  },
  incident: {
    fact: {
      kind: 'incident_said',
      at,
      uid: 'i1',
      update: 'u2',
      number: 7,
      title: 'Slow\nlogins',
      impact: 'partial',
      state: 'identified',
      message: 'We know why.',
      monitors,
      startedAt: at - day,
    },
    key: 'incident.i1.u2',
    episode: 'i1',
    own: {
      uid: 'i1',
      number: 7,
      title: 'Slow\nlogins',
      impact: 'partial',
      state: 'identified',
      message: 'We know why.',
      monitors: [named('web'), named('db')],
      startedAt: at - day,
    },
    webhook: {
      incident_id: 7,
      incident_uid: 'i1',
      title: 'Slow logins',
      impact: 'partial',
      state: 'identified',
      message: 'We know why.',
      monitors,
      started_at: '2026-01-01T03:04:05.000Z',
    },
    bare: {
      uid: '',
      number: null,
      title: '',
      impact: 'degraded',
      state: null,
      message: null,
      monitors: [],
      startedAt: at,
    },
  },
  channel_failing: {
    fact: {
      kind: 'channel_failing',
      at,
      channel: 'phone',
      consecutiveFailures: 3,
      failingSinceAt: at - 90_500,
      error: 'refused',
      isPartial: false,
    },
    key: `channel.11yi0gigrua.failing.${at - 90_500}`,
    own: {
      channel: 'phone',
      consecutiveFailures: 3,
      failingSinceAt: at - 90_500,
      error: 'refused',
      isPartial: false,
    },
    webhook: { channel: 'phone', consecutive_failures: 3, failing_for_secs: 90 },
    bare: { channel: '', consecutiveFailures: 0, failingSinceAt: at, error: null, isPartial: false },
  },
  cert_expiring: {
    fact: { kind: 'cert_expiring', at, monitor: 'web', expiresAt: at + 3 * day - 1, ...holder },
    key: `web.cert_expiring.${at + 3 * day - 1}`,
    own: { monitor: about, expiresAt: at + 3 * day - 1, daysLeft: 2, ...holder },
    webhook: { days_left: 2, expires_at: '2026-01-05T03:04:04.999Z' },
    bare: null,
  },
  cert_changed: {
    fact: {
      kind: 'cert_changed',
      at,
      monitor: 'web',
      expiresAt: at + day,
      ...holder,
      spkiSha256: 'ab',
      previousSpkiSha256: 'cd',
    },
    key: `web.cert_changed.${at}`,
    own: { monitor: about, expiresAt: at + day, ...holder, spkiSha256: 'ab', previousSpkiSha256: 'cd' },
    webhook: { expires_at: '2026-01-03T03:04:05.000Z', spki_sha256: 'ab', previous_spki_sha256: 'cd' },
    bare: null,
  },
  cert_unreadable: {
    fact: {
      kind: 'cert_unreadable',
      at,
      monitor: 'web',
      sinceAt: at - day,
      lastExpiresAt: at + day,
      reason: 'no certificate',
    },
    key: `web.cert_unreadable.${at - day}`,
    own: { monitor: about, sinceAt: at - day, lastExpiresAt: at + day, reason: 'no certificate' },
    webhook: {
      reason: 'no certificate',
      since: '2026-01-01T03:04:05.000Z',
      last_seen_expires_at: '2026-01-03T03:04:05.000Z',
    },
    bare: { monitor: about, sinceAt: at, lastExpiresAt: null, reason: null },
  },
  domain_expiring: {
    fact: { kind: 'domain_expiring', at, monitor: 'web', domain: 'a.example', expiresAt: at - 1 },
    key: `web.domain_expiring.${at - 1}`,
    own: { monitor: about, expiresAt: at - 1, daysLeft: -1, domain: 'a.example' },
    webhook: { domain: 'a.example', days_left: -1, expires_at: '2026-01-02T03:04:04.999Z' },
    bare: null,
  },
  budget_burn: {
    fact: {
      kind: 'budget_burn',
      at,
      monitor: 'web',
      pace: 'fast',
      rate: 14.4,
      windowSecs: 3600,
      uptimePercent: 99.9,
      sloWindowDays: 30,
      leftMinutes: -2,
      totalMinutes: 43.2,
    },
    key: `web.budget_burn.fast.${at}`,
    own: {
      monitor: about,
      pace: 'fast',
      rate: 14.4,
      windowSecs: 3600,
      uptimePercent: 99.9,
      sloWindowDays: 30,
      leftMinutes: -2,
      totalMinutes: 43.2,
    },
    webhook: {
      pace: 'fast',
      rate: 14.4,
      window_secs: 3600,
      slo_uptime_pct: 99.9,
      error_budget_minutes_left: -2,
    },
    bare: {
      monitor: about,
      pace: 'slow',
      rate: 0,
      windowSecs: 0,
      uptimePercent: 0,
      sloWindowDays: 0,
      leftMinutes: null,
      totalMinutes: null,
    },
  },
  peer_down: {
    fact: { kind: 'peer_down', at, peer: 'web', startedAt: 5, lastHeardAt: at, reason: 'silent' },
    key: 'web.peer_down.5',
    own: { peer: about, node: 'oslo', lastHeardAt: at, reason: 'silent' },
    webhook: { last_heard_at: text },
    bare: { peer: about, node: 'oslo', lastHeardAt: null, reason: null },
  },
  peer_recovered: {
    fact: { kind: 'peer_recovered', at, peer: 'web', startedAt: at - 61_900, endedAt: at },
    key: `web.peer_recovered.${at - 61_900}`,
    own: { peer: about, node: 'oslo', startedAt: at - 61_900, endedAt: at, isRemoved: false },
    webhook: { duration_secs: 61, resolution: 'recovered' },
    bare: { peer: about, node: 'oslo', startedAt: at, endedAt: at, isRemoved: false },
  },
  peer_link_degraded: {
    fact: {
      kind: 'peer_link_degraded',
      at,
      peer: 'web',
      startedAt: 5,
      lastHeardAt: null,
      seenBy: ['oslo'],
      reason: 'silent',
    },
    key: 'web.peer_link_degraded.5',
    own: { peer: about, lastHeardAt: null, seenBy: ['oslo'], reason: 'silent' },
    webhook: { last_heard_at: null, seen_by: ['oslo'] },
    bare: { peer: about, lastHeardAt: null, seenBy: [], reason: null },
  },
  node_blind: {
    fact: { kind: 'node_blind', at, startedAt: at - day, reason: 'no route', monitors, isContinued: false },
    key: `node.blind.${at - day}`,
    episode: `node.blind.${at - day}`,
    own: {
      node: 'oslo',
      startedAt: at - day,
      endedAt: null,
      reason: 'no route',
      monitors: [named('web'), named('db')],
      monitorCount: 2,
    },
    webhook: {
      node: 'oslo',
      started_at: '2026-01-01T03:04:05.000Z',
      ended_at: null,
      monitors,
      monitor_count: 2,
    },
    bare: { node: 'oslo', startedAt: at, endedAt: null, reason: null, monitors: [], monitorCount: 0 },
  },
  storage_failing: {
    fact: { kind: 'storage_failing', at, startedAt: at - day, error: 'ENOSPC' },
    key: `node.storage_failing.${at - day}`,
    own: { startedAt: at - day, error: 'ENOSPC' },
    webhook: { started_at: '2026-01-01T03:04:05.000Z' },
    bare: { startedAt: at, error: null },
  },
  nodes_differ: {
    fact: {
      kind: 'nodes_differ',
      at,
      startedAt: at - day,
      leader: 'oslo',
      nodes: ['paris'],
      isStandIn: true,
      monitors,
    },
    key: `nodes.differ.${at - day}`,
    own: {
      startedAt: at - day,
      leader: 'oslo',
      nodes: ['paris'],
      isStandIn: true,
      monitors: monitors.map(named),
      monitorCount: 2,
    },
    webhook: {
      started_at: '2026-01-01T03:04:05.000Z',
      leader: 'oslo',
      nodes: ['paris'],
      stand_in: true,
      monitors,
      monitor_count: 2,
    },
    bare: { startedAt: at, leader: '', nodes: [], isStandIn: false, monitors: [], monitorCount: 0 },
  },
  digest: {
    fact: { kind: 'digest_due', at, slotAt: 9, fromAt: at - day, toAt: at, summary: 'Calm.', lines: ['web'] },
    key: 'node.digest.9',
    own: { fromAt: at - day, toAt: at, summary: 'Calm.', lines: ['web'] },
    webhook: { period: `2026-01-01T03:04:05.000Z/${text}` },
    bare: { fromAt: at, toAt: at, summary: '', lines: [] },
  },
};
