/** The names of events and severities in the configuration, the outbox and every message. */

/** In the order in which people read of them. A recovery goes to the channels that got the alert: it is no choice. */
export const alertNames = [
  'down',
  'degraded',
  'unknown',
  'unstable',
  'recovered',
  'reminder',
  'alert',
  'incident',
  'channel_failing',
  'cert_expiring',
  'cert_changed',
  'cert_unreadable',
  'domain_expiring',
  'budget_burn',
  'peer_down',
  'peer_recovered',
  'peer_link_degraded',
  'node_blind',
  'storage_failing',
  'nodes_differ',
  'digest',
  'test',
] as const;

/** The lowest first. */
export const severities = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];
