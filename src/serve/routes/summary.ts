/** Serves the summary. */
import { overallStates, statuses } from '../../engine/core/status.ts';
import { jsonType } from '../http-types.ts';
import { rendered } from '../responses/send.ts';
import {
  count,
  flag,
  incident,
  instant,
  lossShape,
  integer,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  peerCountsShape,
  peerShape,
  permille,
  text,
} from './schema.ts';
import { route } from './route.ts';

/** Samples arrive all the time; a summary is never over 2 s behind. */
const maxAgeMs = 1000;

const labels = () => {
  return { contentType: jsonType, headers: { 'cache-control': 'no-store' }, isKept: false };
};

const status = oneOf(statuses);
const share = orNull(permille);

const day = object({ date: text, state: status, uptime_permille: share });

const monitor = object({
  id: text,
  name: text,
  group: orNull(text),
  kind: text,
  status,
  last_checked: orNull(instant),
  last_latency_ms: orNull(count),
  last_error: orNull(text),
  uptime_24h_permille: share,
  latency_p50_ms: orNull(number),
  latency_p95_ms: orNull(number),
  latency_p99_ms: orNull(number),
  slo_latency_ms: orNull(count),
  slo_uptime_pct: orNull(number),
  error_budget_minutes_total: orNull(number),
  error_budget_minutes_left: orNull(number),
  maintenance: flag,
  silenced_until: orNull(instant),
  unstable_since: orNull(instant),
  cert_expiry_days: orNull(integer),
  domain_expiry_days: orNull(integer),
  coverage_24h_permille: permille,
  cause: orNull(text),
  impacted: listOf(text),
  history: listOf(day),
});

const announcement = object(
  {
    id: orNull(count),
    title: text,
    body: orNull(text),
    severity: oneOf(['info', 'warning', 'critical', 'resolved']),
    at: orNull(instant),
    until: orNull(instant),
  },
  ['id'],
);

const channel = object({
  name: text,
  failing: flag,
  consecutive_failures: count,
  failing_for_secs: count,
});

export const summary = route({
  method: 'GET',
  path: '/api/summary',
  summary: 'All monitors, the open incidents and the announcements',
  parameters: {},
  access: 'reader',
  limit: 'api',
  answers: {
    200: {
      doc: 'At most 2 s old. Figures of 24 hours are those of the last 24 hours, and an error budget that of the last `slo_window_days` times 24 hours, to the minute, without planned maintenance; days are those of `[page] timezone`. `channels`, `losses` and the entries of peers are shown with the access token only.',
      schema: object(
        {
          title: text,
          overall: status,
          overall_label: text,
          overall_state: oneOf(overallStates),
          generated_at: instant,
          incidents: listOf(incident),
          announcements: listOf(announcement),
          maintenances: listOf(object({ title: text, start: instant, end: instant, monitors: listOf(text) })),
          groups: listOf(object({ name: text, ids: listOf(text) })),
          monitors: listOf(monitor),
          peers: listOf(peerShape),
          peer_counts: peerCountsShape,
          channels: listOf(channel),
          losses: listOf(lossShape),
        },
        ['channels', 'losses'],
      ),
    },
  },
  problems: [],
  handle: ({ scope, headers: asked }) =>
    rendered(scope.kept('summary', { maxAgeMs, labels, build: () => scope.summary() }), asked),
});
