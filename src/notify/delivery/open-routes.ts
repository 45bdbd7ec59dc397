/** Knows when an open outage is to be routed again: when a step of its escalation is due, or a turn of a rotation ends. */
import type { Operation } from '../../db/store/operation.ts';
import { unstableMonitorIn } from '../../engine/alerting/events/outage.ts';
import type { Ongoing } from '../../engine/alerting/route.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import { ongoingOf, routeOutage, type RouteFacts, type Routing, unstableTimes } from './route-outage.ts';
import { type PartsWriter, writeEach } from './write-in-parts.ts';

type Facts = Omit<RouteFacts, 'nowAt'>;

const never: Routing = { intents: [], nextAt: null };

export class OpenRoutes {
  private readonly facts: () => Facts;
  /** When each is to be routed again, by uid. */
  private readonly dueAts = new Map<string, number>();
  /** Those of which that is not known. */
  private readonly changed = new Set<string>();

  constructor(facts: () => Facts) {
    this.facts = facts;
    this.load();
  }

  /** The configuration, the clock or an acknowledgement changed: all of them are looked at. */
  load(): void {
    const { sql, settings } = this.facts();
    this.dueAts.clear();
    this.changed.clear();
    const { rotations, escalations } = settings.config;
    if (rotations.length + escalations.length === 0) return;
    for (const { uid } of incidents.listOpenOutlines(sql)) this.changed.add(uid);
    for (const { episode } of unstableTimes(sql)) this.changed.add(episode);
  }

  /** Takes in what was written. */
  note(operations: readonly Operation[]): void {
    const { rotations, escalations } = this.facts().settings.config;
    if (rotations.length + escalations.length === 0) return;
    for (const [name, subject] of operations) {
      if (typeof subject !== 'string') continue;
      if (name.startsWith('incident.')) this.changed.add(subject);
      if (/^incident\.(un)?acknowledge$/.test(name))
        for (const { episode } of unstableTimes(this.facts().sql)) this.changed.add(episode);
      if (!name.startsWith('incident.')) {
        const [, uid] = /^(.+)\.(?:down|unknown|unstable)\.(?:\d+\.)?[^.]+$/.exec(subject) ?? [];
        if (uid !== undefined) this.changed.add(uid);
      }
    }
  }

  /** When the first is due, epoch ms; Infinity: none is. */
  nextAt(nowAt: number): number {
    for (const uid of this.changed) {
      const { intents, nextAt } = this.routingOf(uid, nowAt);
      // A turn that ends in the moment of another change ends all the same.
      const isDue = (this.dueAts.get(uid) ?? Infinity) <= nowAt;
      const dueAt = isDue || intents.length > 0 ? nowAt : nextAt;
      if (dueAt === null) this.dueAts.delete(uid);
      else this.dueAts.set(uid, dueAt);
    }
    this.changed.clear();
    let firstAt = Infinity;
    for (const at of this.dueAts.values()) firstAt = Math.min(firstAt, at);
    return firstAt;
  }

  /** Routes what is due; answers whether there was anything. Resolves when it is written. */
  async go(nowAt: number, writer: PartsWriter): Promise<boolean> {
    if (this.nextAt(nowAt) > nowAt) return false;
    const due = [...this.dueAts].flatMap(([uid, at]) => (at <= nowAt ? uid : []));
    const operations = (uid: string): Operation[] => operationsOf(this.routingOf(uid, nowAt).intents, nowAt);
    await writeEach(due, operations, writer);
    for (const uid of due) {
      this.dueAts.delete(uid);
      this.changed.add(uid);
    }
    return true;
  }

  private routingOf(uid: string, nowAt: number): Routing {
    const facts = this.facts();
    const incident = incidents.find(facts.sql, uid);
    const ongoing = incident === null ? this.unstableTimeOf(uid) : ongoingOf(incident);
    return ongoing === null ? never : routeOutage(ongoing, { ...facts, nowAt });
  }

  /** Null: it is over, or is none. */
  private unstableTimeOf(uid: string): Ongoing | null {
    if (unstableMonitorIn(uid) === null) return null;
    return unstableTimes(this.facts().sql).find(({ episode }) => episode === uid) ?? null;
  }
}
