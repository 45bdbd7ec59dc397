/** The metrics that need the access token, because they show channels, peers and private monitors. */
import type { DecisionVerdict, ReasonWord } from '../../alerting/reasons.ts';
import type { PeerStatus } from '../../peers/rules/state.ts';
import type { NodeFamily } from './family.ts';
import { labelsOf, noLabels } from './labels.ts';

/** What shows private monitors and channels, so that it needs the access token. */
export interface MeasuredInside {
  readonly notifications: readonly {
    readonly channel: string;
    readonly outcome: string;
    readonly count: number;
  }[];
  readonly decisions: readonly DecisionTotal[];
  readonly open: { readonly acknowledged: number; readonly others: number };
  readonly databaseBytes: number;
  readonly peers: readonly MeasuredPeer[];
  readonly outputs: readonly OutputCounts[];
  /** Requests that were refused since the process began, by reason. */
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  /** Null: it has its database to itself. */
  readonly nodes: NodeCheckCounts | null;
}

/** The checks by nodes that share a database, as the one that leads counted them since its process began. */
export interface NodeCheckCounts {
  readonly checks: readonly { readonly node: string; readonly outcome: string; readonly count: number }[];
  /** Checks that the node which leads made because no other one could. */
  readonly fallbacks: number;
  /** The nodes that are there to make checks; empty where this one does not lead. */
  readonly standings: readonly { readonly node: string; readonly isLeftOut: boolean }[];
}

/** What became of the samples that an output was given, since the process began. */
export interface OutputCounts {
  /** The name of the output. */
  readonly output: string;
  readonly sent: number;
  /** Refused by the receiver. */
  readonly failed: number;
  /** Given up because the queue was full. */
  readonly dropped: number;
  /** Waiting to be sent. */
  readonly queued: number;
}

/** How often the same was decided about an alert for the same reason, ever. */
interface DecisionTotal {
  readonly verdict: string;
  readonly reason: string;
  readonly count: number;
}

interface MeasuredPeer {
  readonly id: string;
  readonly name: string;
  readonly state: PeerStatus;
  /** Seconds since its last heartbeat; null: none received. */
  readonly age: number | null;
}

/** Why a channel joins an outage that is open. */
const addedLater = ['escalated', 'handed_over', 'last_resort'] as const satisfies readonly ReasonWord[];

const decisionWords: Readonly<Record<string, string>> = {
  queued: 'queued',
  held: 'held',
  told: 'sent',
  spared: 'suppressed',
  undelivered: 'failed',
} satisfies Record<DecisionVerdict, string>;

export function insideFamilies({
  notifications,
  decisions,
  open,
  databaseBytes,
  peers,
  outputs,
  refused,
  nodes,
}: MeasuredInside): readonly NodeFamily[] {
  return [
    {
      name: 'statusd_notifications',
      type: 'counter',
      help: 'How messages to each channel ended, ever.',
      samples: notifications.map(({ channel, outcome, count }) => ({
        labels: labelsOf({ channel, outcome }),
        value: count,
      })),
    },
    {
      name: 'statusd_alerts_suppressed',
      type: 'counter',
      help: 'Suppressed messages, ever, by reason.',
      samples: decisions.flatMap(({ verdict, reason, count }) =>
        verdict === 'spared' ? [{ labels: labelsOf({ reason }), value: count }] : [],
      ),
    },
    {
      name: 'statusd_alerts_escalated',
      type: 'counter',
      help: 'Messages about open outages to further channels, ever: by a step of an escalation, by a turn of a rotation that began (handed_over), or because nobody else could be notified (last_resort).',
      samples: addedLater.map((reason) => ({
        labels: labelsOf({ reason }),
        value: decisions.find((each) => each.verdict === 'queued' && each.reason === reason)?.count ?? 0,
      })),
    },
    {
      name: 'statusd_alert_decisions',
      type: 'counter',
      help: 'Decisions about alerts, ever, by what was decided and why; statusd explain says the reasons in words.',
      samples: decisions
        .map(({ verdict, reason, count }) => ({
          labels: labelsOf({ decision: decisionWords[verdict] ?? verdict, reason }),
          value: count,
        }))
        .sort((one, other) => (one.labels.text < other.labels.text ? -1 : 1)),
    },
    {
      name: 'statusd_incidents_open',
      type: 'gauge',
      help: 'Open incidents of monitors, by whether they are acknowledged.',
      samples: (['true', 'false'] as const).map((acknowledged) => ({
        labels: labelsOf({ acknowledged }),
        value: acknowledged === 'true' ? open.acknowledged : open.others,
      })),
    },
    {
      name: 'statusd_database_bytes',
      type: 'gauge',
      help: 'The size of the database.',
      samples: [{ labels: noLabels, value: databaseBytes }],
    },
    {
      name: 'statusd_peer_up',
      type: 'gauge',
      help: 'Whether the node sends heartbeats (1) or not (0). Absent while nothing is known.',
      samples: peers.flatMap(({ id, name, state }) =>
        state === 'unknown' ? [] : [{ labels: labelsOf({ id, name }), value: state === 'up' ? 1 : 0 }],
      ),
    },
    {
      name: 'statusd_peer_heartbeat_age_seconds',
      type: 'gauge',
      help: 'How long ago the node last sent a heartbeat. Absent when it never did.',
      samples: peers.flatMap(({ id, name, age }) =>
        age === null ? [] : [{ labels: labelsOf({ id, name }), value: age }],
      ),
    },
    {
      name: 'statusd_output_samples',
      type: 'counter',
      help: 'Samples for each output since the process began, by what became of them.',
      samples: outputs.flatMap(({ output, sent, failed, dropped }) =>
        Object.entries({ sent, failed, dropped }).map(([outcome, value]) => ({
          labels: labelsOf({ output, outcome }),
          value,
        })),
      ),
    },
    {
      name: 'statusd_output_queued_samples',
      type: 'gauge',
      help: 'Samples that wait to be sent to each output.',
      samples: outputs.map(({ output, queued }) => ({ labels: labelsOf({ output }), value: queued })),
    },
    {
      name: 'statusd_http_refused',
      type: 'counter',
      help: 'Requests that were refused since the process began, by reason: a wrong token, none, a link that does not work, too many wrong tokens, or too many requests.',
      samples: refused.map(({ reason, count }) => ({ labels: labelsOf({ reason }), value: count })),
    },
    ...(nodes === null ? [] : ofNodes(nodes)),
  ];
}

function ofNodes({ checks, fallbacks, standings }: NodeCheckCounts): readonly NodeFamily[] {
  return [
    {
      name: 'statusd_node_checks',
      type: 'counter',
      help: 'Checks that each node was asked for since the process began, retries included, by what came of them: result, no_reply, or why the node has none.',
      samples: checks.map(({ node, outcome, count }) => ({
        labels: labelsOf({ node, outcome }),
        value: count,
      })),
    },
    {
      name: 'statusd_node_fallback_checks',
      type: 'counter',
      help: 'Checks that the node which leads made because no other one could, since the process began.',
      samples: [{ labels: noLabels, value: fallbacks }],
    },
    {
      name: 'statusd_node_left_out',
      type: 'gauge',
      help: 'Whether a node that is there to make checks is left out (1) or makes its share (0). Only the node that leads knows.',
      samples: standings.map(({ node, isLeftOut }) => ({
        labels: labelsOf({ node }),
        value: isLeftOut ? 1 : 0,
      })),
    },
  ];
}
