/** Has peers asked about an outage before its alert is sent: 12 s at most, once an outage. */
import type { Operation } from '../../../db/store/operation.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { incidents, type IncidentRow } from '../../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../../db/tables/outbox.ts';
import type { Config, Monitor, Peer } from '../../config/config.ts';
import { askAll, type PeerAsking, type QuestionSubject } from './ask.ts';
import { operationOfLeavingOut, operationsOfFinding, type PeerFinding } from './finding.ts';

export interface PeerConfirmationOptions extends PeerAsking {
  readonly sql: SqlReader;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

/** An alert that can be sent. */
interface Sendable {
  readonly row: Pick<DeliveryRow, 'deliveryId' | 'monitor' | 'incident'>;
  readonly event: string;
}

/** What decides whether peers are asked about an alert. */
interface ConfirmationFacts {
  readonly settings: { readonly config: Config; readonly monitors: ReadonlyMap<string, Monitor> };
  readonly incident: (uid: string) => IncidentRow | null;
}

/** A peer answers this many questions at once. In a storm only the first outages are asked about. */
const mostAtOnce = 8;

export class PeerConfirmation {
  private readonly options: PeerConfirmationOptions;
  /** The questions under way, by incident. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** The outages that are not asked about, because too many are already. */
  private readonly leftOut = new Set<string>();
  /** The deliveries that waited for an answer. */
  private readonly served = new Set<string>();
  private found: PeerFinding[] = [];
  private left: QuestionSubject[] = [];

  constructor(options: PeerConfirmationOptions) {
    this.options = options;
  }

  /** Whether a delivery waited for the peers already: it does not wait again, whatever they answered. */
  hasServed(deliveryId: string): boolean {
    return this.served.has(deliveryId);
  }

  /** Resolves when the deliveries can go; null: at once. Never rejects. */
  wait(deliveries: readonly Sendable[], facts: ConfirmationFacts): Promise<void> | null {
    const asked = facts.settings.config.peers.filter(({ ping_url }) => ping_url !== null);
    if (asked.length === 0) return null;
    const fresh = deliveries.filter(({ row }) => !this.hasServed(row.deliveryId));
    const answered = this.ask(subjectsOf(fresh, facts), asked);
    return (
      answered?.then(() => {
        for (const { row } of deliveries) this.served.add(row.deliveryId);
      }) ?? null
    );
  }

  /** Writes down what the peers answered, before anything is decided by it or sent about it. */
  async keepFindings(): Promise<void> {
    const { sql, write, clock } = this.options;
    while (this.found.length + this.left.length > 0) {
      const { found, left } = this;
      this.found = [];
      this.left = [];
      for (const { subject } of found) this.underWay.delete(subject.incident);
      const at = clock.now();
      await write([
        ...found.flatMap((one) => operationsOfFinding(one, incidents.find(sql, one.subject.incident), at)),
        ...left.map((subject) => operationOfLeavingOut(subject, at)),
      ]);
    }
  }

  /** These are on their way; answers whether any had waited. */
  release(deliveries: readonly Sendable[]): boolean {
    return deliveries.filter(({ row }) => this.served.delete(row.deliveryId)).length > 0;
  }

  /** The incident is over. */
  forget(incident: string, deliveryIds: readonly string[]): void {
    this.leftOut.delete(incident);
    for (const id of deliveryIds) this.served.delete(id);
  }

  /** Asks about what was not asked yet. Resolves when all of it is answered; null: nothing to wait for. */
  private ask(subjects: readonly QuestionSubject[], peers: readonly Peer[]): Promise<void> | null {
    for (const subject of subjects) {
      const { incident } = subject;
      if (this.underWay.has(incident) || this.leftOut.has(incident)) continue;
      if (this.underWay.size < mostAtOnce) this.underWay.set(incident, this.begin(subject, peers));
      else {
        this.leftOut.add(incident);
        this.left.push(subject);
      }
    }
    const waited = subjects.flatMap(({ incident }) => this.underWay.get(incident) ?? []);
    return waited.length === 0 ? null : Promise.all(waited).then(() => undefined);
  }

  private async begin(subject: QuestionSubject, peers: readonly Peer[]): Promise<void> {
    const { clock, signal } = this.options;
    const startedMs = clock.monotonic();
    const heard = await askAll(peers, subject.question, this.options);
    if (signal.aborted) return;
    this.found.push({ subject, heard, tookMs: clock.monotonic() - startedMs });
  }
}

/** What the peers are to be asked before these alerts are sent: each outage once, none that was asked about before. */
function subjectsOf(
  deliveries: readonly Sendable[],
  { settings, incident: find }: ConfirmationFacts,
): readonly QuestionSubject[] {
  const subjects = new Map<string, QuestionSubject>();
  for (const { row, event } of deliveries) {
    const { monitor: monitorId, incident } = row;
    if (event !== 'down' || monitorId === null || incident === null || subjects.has(incident)) continue;
    const monitor = settings.monitors.get(monitorId);
    const target = monitor === undefined ? null : targetOf(monitor);
    if (monitor?.confirm_with_peers !== true || target === null) continue;
    const known = find(incident);
    if (known === null || known.vantage !== null) continue;
    const { id, kind } = monitor;
    const question = { from: settings.config.health.id, id, kind, target };
    subjects.set(incident, { incident, monitor: id, question });
  }
  return [...subjects.values()];
}

function targetOf(monitor: Monitor): string | null {
  return monitor.kind === 'push' || monitor.kind === 'exec' ? null : monitor.target;
}
