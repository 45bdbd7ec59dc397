/** Counts requests that were refused for their tokens or their rate, and logs the former once a minute for each address. */
import { callAfter, type Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Access, Admission } from '../access/admit.ts';
import { type Presented, textsOf } from '../access/token.ts';
import { counted } from '../../engine/core/words.ts';

const words = {
  wrong_token: 'wrong token',
  no_token: 'no token',
  wrong_link: 'a link that does not work',
  too_many_wrong_tokens: 'too many wrong tokens',
  rate_limit: 'too many requests',
} as const;

export type RefusalReason = keyof typeof words;

/** The routes that ask for the same of their caller, as the log names them. */
const routesOf: Readonly<Record<Access, string>> = {
  anyone: 'links and pages',
  reader: 'pages and figures',
  group: 'pages of groups',
  operator: 'commands',
  peer: 'probes for peers',
  node: 'checks for nodes',
  heartbeat: 'heartbeats',
  alert: 'alerts',
};

interface RefusedRequest {
  readonly reason: RefusalReason;
  readonly access: Access;
  /** The address of the client, as `clientKey` writes it. */
  readonly client: string;
  /** The address of the proxy in between; null: there is none. */
  readonly proxy: string | null;
  readonly requestId: string;
}

interface RefusalCount {
  readonly reason: RefusalReason;
  readonly count: number;
}

export interface Refusals {
  readonly note: (refused: RefusedRequest) => void;
  /** Since it was created, every reason included. */
  readonly counts: () => readonly RefusalCount[];
  /** Logs what was not logged yet. */
  readonly stop: () => void;
}

export interface RefusalsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep' | 'after'>;
  readonly log: Log;
  readonly redact: (text: string) => string;
}

/** Null: it was not refused for its tokens. A wrong one where none is needed leaves its sender a stranger. */
export function refusalIn(
  admission: Admission,
  { presented, hasWrong }: { readonly presented: Presented; readonly hasWrong: boolean },
): RefusalReason | null {
  if (admission.kind === 'admitted')
    return hasWrong && admission.viewer.kind === 'anonymous' ? 'wrong_token' : null;
  if (hasWrong || textsOf(presented).length > 0) return 'wrong_token';
  return admission.problem.status === 401 ? 'no_token' : null;
}

const everyMs = 60_000;

/** So many addresses have lines of their own within a minute; all others share one. */
const maxAddresses = 100;
const others = 'other addresses';

interface Pending {
  readonly address: string;
  /** Refused since the last line. */
  count: number;
  latest: RefusedRequest;
  readonly loggedMs: number;
}

/** The first refusal of an address is logged at once; those of the minute after it in one line at its end. */
export function createRefusals({ clock, log, redact }: RefusalsOptions): Refusals {
  const totals = new Map<RefusalReason, number>();
  /** The one whose line is oldest first. */
  const pending = new Map<string, Pending>();
  let cancel: (() => void) | null = null;
  const tell = (address: string, count: number, refused: RefusedRequest) => {
    const { reason, access, proxy, requestId } = refused;
    const routes = routesOf[access];
    const by = proxy === null || address === others ? '' : ` by ${proxy}`;
    log({
      level: 'warning',
      event: 'http.refused',
      message: `refused ${counted(count, 'request')} from ${address}${by}: ${words[reason]} (${routes})`,
      fields: { address, proxy, count, reason, routes, request_id: redact(requestId) },
    });
    pending.set(address, { address, count: 0, latest: refused, loggedMs: clock.monotonic() });
  };
  const look = () => {
    cancel = null;
    const dueMs = clock.monotonic() - everyMs;
    for (const { address, count, latest, loggedMs } of [...pending.values()]) {
      if (loggedMs > dueMs) break;
      pending.delete(address);
      if (count > 0) tell(address, count, latest);
    }
    arrange();
  };
  const arrange = () => {
    const [oldest] = pending.values();
    if (cancel !== null || oldest === undefined) return;
    cancel = callAfter(clock, Math.max(0, oldest.loggedMs + everyMs - clock.monotonic()), look);
  };
  return {
    note: (refused) => {
      const { reason, client } = refused;
      totals.set(reason, (totals.get(reason) ?? 0) + 1);
      if (reason === 'rate_limit') return;
      const address = pending.has(client) || pending.size < maxAddresses ? client : others;
      const known = pending.get(address);
      if (known === undefined) tell(address, 1, refused);
      else {
        known.count += 1;
        known.latest = refused;
      }
      arrange();
    },
    counts: () =>
      (Object.keys(words) as RefusalReason[]).map((reason) => ({ reason, count: totals.get(reason) ?? 0 })),
    stop: () => {
      cancel?.();
      for (const { address, count, latest } of [...pending.values()])
        if (count > 0) tell(address, count, latest);
      pending.clear();
    },
  };
}
