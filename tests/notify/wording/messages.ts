/** One message or more of every event, as the pipeline would make them. */
import type { EventName, Message, MessageOf } from '../../../src/engine/alerting/events/catalogue.ts';
import { joinAlerts, type ProducerAlert } from '../../../src/engine/alerting/events/producer-alert.ts';
import type { Named } from '../../../src/engine/alerting/events/event.ts';

const nightAt = Date.UTC(2026, 10, 21, 3, 14, 5);
const minute = 60_000;

const named = (id: string, name: string): Named => ({ id, name });
const api = named('api', 'API');

const envelope = {
  deliveryId: '0198c5.down.1',
  at: nightAt + 2 * minute,
  severity: 'error',
  isTest: false,
  link: 'https://status.example.com/history',
} as const;

export const plainDown: MessageOf<'down'> = {
  ...envelope,
  event: 'down',
  monitor: api,
  startedAt: nightAt,
  confirmedAt: nightAt + 2 * minute,
  reason: 'expected a status of 2xx, got 503',
  category: 'status',
  snapshot: {
    statusLine: 'HTTP/1.1 503 Service Unavailable',
    headers: [['content-type', 'text/plain']],
    body: 'upstream connect error\n\nreset before headers: connection refused\n',
  },
  confirmation: '3 failed checks in a row',
  cause: null,
  impacted: [],
  grouping: { groupId: null, incidentIds: [42] },
  vantage: null,
  incidentId: 42,
};

const cascade: MessageOf<'down'> = {
  ...plainDown,
  change: { title: 'deploy v2.3', at: nightAt - 3 * minute },
  monitor: named('db', 'Database'),
  reason: 'connection refused by 10.0.0.5:5432',
  category: 'connection',
  snapshot: null,
  impacted: [api, named('shop', 'Shop'), named('cart', 'Cart')],
  grouping: { groupId: '0198c5.down.1', incidentIds: [42, 43, 44, 45] },
  vantage: [
    { peer: 'paris', verdict: 'up', error: null },
    { peer: 'berlin', verdict: 'down', error: 'connection refused' },
    { peer: 'oslo', verdict: null, error: null },
  ],
};

const unstable: MessageOf<'unstable'> = {
  ...envelope,
  deliveryId: 'api.unstable.1700.unstable.1x2y',
  event: 'unstable',
  severity: 'warning',
  monitor: api,
  startedAt: nightAt,
  downPercent: 67,
  outages: 13,
  spanMs: 10 * minute,
  reason: 'expected a status of 2xx, got 503',
  incidentIds: [44, 43, 42],
};

const plainRecovered: MessageOf<'recovered'> = {
  ...envelope,
  deliveryId: '0198c5.recovered.1',
  severity: 'info',
  event: 'recovered',
  monitor: api,
  from: 'down',
  startedAt: nightAt,
  endedAt: nightAt + 250_000,
  reason: 'expected a status of 2xx, got 503',
  impacted: [],
  grouping: { groupId: null, incidentIds: [42] },
  isLate: false,
  isRemoved: false,
  incidentId: 42,
};

const unchecked: MessageOf<'unknown'> = {
  ...envelope,
  event: 'unknown',
  monitor: api,
  impacted: [named('shop', 'Shop'), named('cart', 'Cart')],
  ownFault: 'resolver',
  startedAt: nightAt,
  confirmedAt: nightAt + 2 * minute,
  reason: 'no name server answered for api.example.com (ETIMEOUT)',
  confirmation: '3 checks in a row that could not be made',
  incidentId: 42,
  incidentIds: [42, 43],
};

const checkedAgain: MessageOf<'recovered'> = {
  ...plainRecovered,
  from: 'unknown',
  reason: 'no name server answered for api.example.com (ETIMEOUT)',
  impacted: [named('shop', 'Shop'), named('cart', 'Cart')],
  ownFault: 'resolver',
  found: [
    { ...api, state: 'up' },
    { ...named('shop', 'Shop'), state: 'up' },
    { ...named('cart', 'Cart'), state: 'up' },
  ],
};

const degraded: MessageOf<'degraded'> = {
  ...envelope,
  severity: 'warning',
  event: 'degraded',
  monitor: api,
  startedAt: nightAt,
  latencyMs: 2314.4,
  limitMs: 800,
  reason: null,
  confirmation: '3 slow checks in a row',
};

const certificate: MessageOf<'cert_expiring'> = {
  ...envelope,
  severity: 'warning',
  event: 'cert_expiring',
  monitor: api,
  expiresAt: nightAt + 5 * 86_400_000,
  daysLeft: 5,
  subject: 'CN=api.example.com',
  issuer: 'C=US, O=An Authority, CN=R3',
};

const unreadable: MessageOf<'cert_unreadable'> = {
  ...envelope,
  severity: 'warning',
  event: 'cert_unreadable',
  monitor: api,
  sinceAt: nightAt,
  lastExpiresAt: nightAt + 5 * 86_400_000,
  reason: 'the target answered 3 checks in a row without a certificate that can be read',
};

const blind: MessageOf<'node_blind'> = {
  ...envelope,
  severity: 'warning',
  event: 'node_blind',
  node: 'paris',
  startedAt: nightAt,
  endedAt: nightAt + 12 * minute,
  reason: '9 of 10 monitors on 4 hosts failed at once, and no peer answered',
  monitors: [api, named('web', 'Website'), named('db', 'PostgreSQL')],
  monitorCount: 3,
};

const peer = named('berlin', 'Berlin');

const peerEnd = {
  ...envelope,
  severity: 'info',
  event: 'peer_recovered',
  peer,
  node: 'paris',
  startedAt: nightAt,
  endedAt: nightAt + 3 * 3_600_000 + 5 * minute,
} as const;

const burn: MessageOf<'budget_burn'> = {
  ...envelope,
  severity: 'warning',
  event: 'budget_burn',
  monitor: api,
  pace: 'fast',
  rate: 21.37,
  windowSecs: 3600,
  uptimePercent: 99.9,
  sloWindowDays: 30,
  leftMinutes: 12.34,
  totalMinutes: 43.2,
};

const linkDegraded: MessageOf<'peer_link_degraded'> = {
  ...envelope,
  severity: 'warning',
  event: 'peer_link_degraded',
  peer,
  lastHeardAt: nightAt,
  seenBy: ['paris', 'oslo'],
  reason: null,
};

const refused = {
  sinceAt: nightAt + 90_000,
  category: 'connection',
  reason: 'connection refused by 192.0.2.7:443',
} as const;

const many = Array.from({ length: 8 }, (_, at) => named(`web-${at}`, `Web ${at}`));

/** By what makes each one special. Every event is there. */
function producerAlert(title: string, severity: ProducerAlert['severity']): ProducerAlert {
  return {
    ...envelope,
    event: 'alert',
    severity,
    deliveryId: `alert.${title.slice(0, 2)}.1x`,
    monitor: named('backup', 'Backup'),
    title,
    message: severity === 'critical' ? 'rsync exited with 23' : null,
    tags: { host: title },
    dedupKey: severity === 'critical' ? 'disk' : null,
  };
}

export const messages: Readonly<Record<string, Message>> = {
  'a monitor is down': plainDown,
  'an outage that can be acknowledged': {
    ...plainDown,
    ack: 'https://status.example.com/ack/0198c5.down.1~abc~sig_na-ture',
  },
  'nothing is known of why': {
    ...plainDown,
    reason: null,
    category: null,
    snapshot: null,
    confirmation: null,
    link: null,
    incidentId: null,
  },
  'an outage that failed for another reason when it could be sent': { ...plainDown, latest: refused },
  'an outage whose acknowledgement is carried over': {
    ...plainDown,
    carried: { by: 'ann', reason: 'restarting it' },
  },
  'a recovery from two reasons': { ...plainRecovered, latest: refused },
  'a cascade with a blast radius, seen by peers': cascade,
  'a cascade of many': { ...cascade, impacted: many },
  'a dependent with a known cause': { ...plainDown, cause: named('db', 'Database') },
  'a down that is a test': { ...plainDown, isTest: true, incidentId: null },
  'a recovery': plainRecovered,
  'a recovery of several': {
    ...plainRecovered,
    impacted: [named('shop', 'Shop'), named('cart', 'Cart')],
    grouping: { groupId: '0198c5.down.1', incidentIds: [42, 44, 45] },
  },
  'a recovery that is a test': { ...plainRecovered, isTest: true },
  'an outage that is told late': { ...plainRecovered, isLate: true },
  'an outage of a monitor that was removed': { ...plainRecovered, isRemoved: true },
  'a recovery of a monitor that was removed since': { ...plainRecovered, isGone: true },
  unstable,
  'told down again and again': {
    ...unstable,
    severity: 'error',
    downPercent: null,
    outages: 3,
    spanMs: 30 * minute,
    reason: null,
    incidentIds: [],
  },
  'stable again': {
    ...plainRecovered,
    deliveryId: 'api.unstable.1700.recovered.1x2y',
    from: 'unstable',
    reason: null,
    incidentId: null,
    outages: 31,
    alertId: 'api.unstable.1700.unstable.1x2y',
    grouping: { groupId: 'api.unstable.1700.unstable.1x2y', incidentIds: [] },
  },
  'no longer degraded': { ...plainRecovered, from: 'degraded', reason: null, incidentId: null },
  'monitors that cannot be checked': unchecked,
  'one monitor that cannot be checked': {
    ...unchecked,
    impacted: [],
    ownFault: 'plugin check_disk',
    reason: 'the plugin check_disk is not in /srv/plugins (exec_dir): no such file',
    incidentIds: [42],
  },
  'many that cannot be checked': { ...unchecked, impacted: many, ownFault: 'descriptors', reason: null },
  'all well when they can be checked again': checkedAgain,
  'not all well when they can be checked again': {
    ...checkedAgain,
    found: [
      { ...api, state: 'down' },
      { ...named('shop', 'Shop'), state: 'failing' },
      { ...named('cart', 'Cart'), state: 'up' },
    ],
  },
  'one that can be checked again': {
    ...checkedAgain,
    impacted: [],
    found: [{ ...api, state: 'up' }],
  },
  'monitors that could not be checked, told late': { ...checkedAgain, isLate: true },
  'too slow': degraded,
  'degraded for a reason of its own': { ...degraded, reason: 'only IPv4 answers', latencyMs: 14 },
  'a reminder': {
    ...envelope,
    at: nightAt + 3_600_000,
    event: 'reminder',
    monitor: named('db', 'Database'),
    startedAt: nightAt,
    reason: 'connection refused by 10.0.0.5:5432',
    latest: null,
    because: 'unacknowledged',
    number: 2,
    impacted: [api],
    incidentId: 42,
    incidentIds: [42, 43],
    ack: 'https://status.example.com/ack/0198c5.reminder.2~abc~sig_na-ture',
  },
  'an acknowledged outage with another reason': {
    ...envelope,
    at: nightAt + 720_000,
    event: 'reminder',
    monitor: named('db', 'Database'),
    startedAt: nightAt,
    reason: 'status 503, expected 200-299',
    latest: {
      sinceAt: nightAt + 660_000,
      category: 'connection',
      reason: 'connection refused by 10.0.0.5:5432',
    },
    because: 'reason_changed',
    number: 1,
    impacted: [],
    incidentId: 42,
    incidentIds: [42],
  },
  'a producer alert': {
    ...envelope,
    event: 'alert',
    severity: 'critical',
    monitor: named('backup', 'Backup'),
    title: 'Nightly backup failed',
    message: 'rsync exited with 23\nsome files were not transferred',
    tags: { host: 'a1', env: 'prod' },
  },
  'a producer alert of a title alone': {
    ...envelope,
    event: 'alert',
    severity: 'info',
    monitor: named('backup', 'Backup'),
    title: 'Nightly backup done',
    message: null,
    tags: {},
  },
  'many producer alerts': joinAlerts(producerAlert('a1', 'warning'), [
    producerAlert(
      'a2 failed with a title that is far longer than there is room for in a list of five',
      'critical',
    ),
    ...Array.from({ length: 21 }, (_, index) => producerAlert(`a${index + 3}`, 'info')),
  ]),
  'a channel that fails': {
    ...envelope,
    severity: 'warning',
    event: 'channel_failing',
    channel: 'ops',
    consecutiveFailures: 3,
    failingSinceAt: nightAt - 10 * minute,
    error: 'Telegram answered 401: Unauthorized; check the token of the bot',
    isPartial: false,
  },
  'a channel that does not reach all': {
    ...envelope,
    severity: 'warning',
    event: 'channel_failing',
    channel: 'mail',
    consecutiveFailures: 1,
    failingSinceAt: nightAt,
    error: 'the mail server mail.example.com:587 refused night@example.org: 550 No such user; check to',
    isPartial: true,
  },
  'a certificate near its end': certificate,
  'a certificate that ends today': { ...certificate, daysLeft: 0 },
  'a certificate that ended': { ...certificate, daysLeft: -1, subject: null, issuer: null },
  'a certificate with another key': {
    ...envelope,
    severity: 'warning',
    event: 'cert_changed',
    monitor: api,
    expiresAt: nightAt + 90 * 86_400_000,
    subject: 'CN=api.example.com',
    issuer: 'CN=R3',
    spkiSha256: 'ab'.repeat(32),
    previousSpkiSha256: 'cd'.repeat(32),
  },
  'a certificate that cannot be read': unreadable,
  'a certificate that cannot be read, of which nothing is known': {
    ...unreadable,
    lastExpiresAt: null,
    reason: null,
  },
  'a domain near its end': {
    ...envelope,
    severity: 'warning',
    event: 'domain_expiring',
    monitor: api,
    domain: 'example.com',
    expiresAt: nightAt + 86_400_000,
    daysLeft: 1,
  },
  'a budget that burns': burn,
  'a budget that is spent': { ...burn, pace: 'slow', windowSecs: 21_600, leftMinutes: -3 },
  'a peer is down': {
    ...envelope,
    event: 'peer_down',
    peer,
    node: 'paris',
    lastHeardAt: nightAt,
    reason: 'no heartbeat for 3m',
  },
  'a peer that was never heard': {
    ...envelope,
    event: 'peer_down',
    peer,
    node: 'paris',
    lastHeardAt: null,
    reason: null,
  },
  'a peer is back': { ...peerEnd, isRemoved: false },
  'a peer that is no longer watched': { ...peerEnd, isRemoved: true },
  'a peer that others still see': linkDegraded,
  'this node is back from being blind': blind,
  'this node is blind': { ...blind, node: null, endedAt: null },
  'the database cannot be written': {
    ...envelope,
    severity: 'critical',
    event: 'storage_failing',
    startedAt: nightAt,
    error: 'no space left on /var/lib/statusd',
  },
  'nodes with different configurations': {
    ...envelope,
    severity: 'warning',
    event: 'nodes_differ',
    startedAt: nightAt,
    leader: 'oslo',
    nodes: ['paris'],
    isStandIn: true,
    monitors: [{ id: 'm5', name: 'Mail' }],
    monitorCount: 1,
  },
  'an incident that an operator opened': {
    ...envelope,
    severity: 'error',
    event: 'incident',
    uid: 'a1b2',
    number: 7,
    title: 'Payments fail',
    impact: 'partial',
    state: 'identified',
    message: 'A certificate expired.\nA new one is on its way.',
    monitors: [{ id: 'api', name: 'API' }],
    startedAt: nightAt,
  },
  'the digest': {
    ...envelope,
    severity: 'info',
    event: 'digest',
    fromAt: nightAt - 7 * 86_400_000,
    toAt: nightAt,
    summary: '2 monitors, 1 incident, 99.97% uptime',
    lines: ['API 99.95%, 1 incident, 31.2 minutes of budget left', 'Database 100%, no incident'],
  },
  'a test of the channel': { ...envelope, severity: 'info', event: 'test', isTest: true },
};

export const eventsOf = (all: Readonly<Record<string, Message>>): Set<EventName> =>
  new Set(Object.values(all).map(({ event }) => event));
