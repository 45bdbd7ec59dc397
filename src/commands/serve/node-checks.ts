/** The part of a node in shared checks: makes those that others ask for, and has others make its own. */
import { randomBytes } from 'node:crypto';
import type { NodeStore } from '../../db/shared/node-store.ts';
import type { NodeRow } from '../../db/shared/statements.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Log } from '../../engine/core/log.ts';
import type { CheckMonitor } from '../../engine/monitoring/prober.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import { CheckCounts } from '../../engine/nodes/check-counts.ts';
import { Dispatcher } from '../../engine/nodes/dispatcher.ts';
import { createNodeLine } from '../../engine/nodes/post.ts';
import { RateMeter } from '../../engine/nodes/rate-meter.ts';
import { monitorsOf } from '../../engine/nodes/watched-hosts.ts';
import { NodeWorker } from '../../engine/nodes/worker.ts';
import { check } from '../../engine/probes/check.ts';
import type { NodeCheckCounts } from '../../engine/views/metrics/inside-families.ts';
import type { Effects } from '../../serve/routes/route.ts';
import type { Context } from '../context.ts';
import { probeTools } from '../outside.ts';
import { version } from '../version.ts';
import type { Dispatched } from './leading.ts';

interface NodeChecksOptions {
  readonly loaded: () => LoadedConfig;
  readonly self: () => NodeRow;
  readonly log: Log;
  readonly context: Pick<Context, 'clock' | 'env'>;
}

interface Dispatching extends Dispatched {
  readonly stop: () => Promise<void>;
}

export interface NodeChecks {
  readonly answer: Effects['answerNode'];
  /** Probes a second over the last minute. */
  readonly probesPerSec: () => number;
  /** What it asked nodes for while it led. */
  readonly counts: () => NodeCheckCounts;
  /** While this node leads: has checks made by the nodes that `store` knows, this one among them. */
  readonly dispatch: (
    store: Pick<NodeStore, 'nodes' | 'clock'>,
    here: { readonly check: CheckMonitor; readonly trust: Trust },
    onIsolated: () => void,
  ) => Dispatching;
  readonly stop: () => void;
}

/** A node says once a lease that it is there, and may miss that once. */
export const leasesToLive = 2.5;

export function createNodeChecks({ loaded, self, log, context }: NodeChecksOptions): NodeChecks {
  const { clock } = context;
  const tools = probeTools(context);
  const rate = new RateMeter(clock);
  const counts = new CheckCounts();
  let leading: Dispatcher | null = null;
  const worker = new NodeWorker({
    clock,
    rate,
    self,
    find: (id) => monitorsOf(loaded().config).get(id) ?? null,
    probe: async (monitor, signal) => {
      const { redact, config } = loaded();
      const { exec_dir: execDir } = config.probes;
      return (await check(monitor, { signal, redact, execDir, ...tools })).result;
    },
  });
  return {
    answer: worker.answer,
    probesPerSec: () => rate.perSec,
    counts: () => ({
      checks: counts.all(),
      fallbacks: counts.fallbacks,
      standings: leading?.standings() ?? [],
    }),
    dispatch: (store, here, onIsolated) => {
      const line = createNodeLine({ trust: here.trust, version: version() });
      const dispatcher = new Dispatcher({
        clock: store.clock,
        log,
        line,
        rate,
        counts,
        self,
        seen: store.nodes,
        liveMs: (loaded().config.storage?.lease_secs ?? 0) * 1000 * leasesToLive,
        config: () => loaded().config,
        session: randomBytes(8).toString('hex'),
        check: here.check,
        onIsolated,
      });
      leading = dispatcher;
      return {
        check: dispatcher.check,
        ownReachability: dispatcher.ownReachability,
        noteUnsent: dispatcher.noteUnsent,
        stop: () => {
          dispatcher.stop();
          if (leading === dispatcher) leading = null;
          line.close();
          return Promise.resolve();
        },
      };
    },
    stop: () => {
      worker.stop();
    },
  };
}
