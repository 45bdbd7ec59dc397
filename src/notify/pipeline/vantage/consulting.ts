/** Keeps deliveries waiting for what other nodes see, no longer than 12 s and never twice. */
import type { Operation } from '../../../db/operation.ts';
import type { SqlReader } from '../../../db/sql.ts';
import { incidents } from '../../../db/topics/incidents.ts';
import type { Facts } from '../facts.ts';
import type { Ready } from '../plan.ts';
import type { Asking } from './ask.ts';
import { operationOfLeavingOut, operationsOfFinding } from './finding.ts';
import { askedPeers, subjectsOf } from './question.ts';
import { Vantages } from './vantages.ts';

export interface ConsultingOptions extends Asking {
  readonly sql: SqlReader;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

export class Consulting {
  private readonly options: ConsultingOptions;
  private readonly vantages: Vantages;
  private readonly served = new Set<string>();

  constructor(options: ConsultingOptions) {
    this.options = options;
    this.vantages = new Vantages(options);
  }

  /** What has waited for the peers once: it waits for nobody again, whatever they said. */
  hasServed(deliveryId: string): boolean {
    return this.served.has(deliveryId);
  }

  /** Resolves when the deliveries can go; null: at once. Never rejects. */
  wait(deliveries: readonly Ready[], facts: Facts): Promise<void> | null {
    const fresh = deliveries.filter(({ row }) => !this.hasServed(row.deliveryId));
    const subjects = subjectsOf(fresh, facts);
    const answered = subjects.length === 0 ? null : this.vantages.ask(subjects, askedPeers(facts));
    return (
      answered?.then(() => {
        for (const { row } of deliveries) this.served.add(row.deliveryId);
      }) ?? null
    );
  }

  /** Writes down what the peers said, before anything is decided by it or told of it. */
  async keepFindings(): Promise<void> {
    const { sql, write, clock } = this.options;
    for (;;) {
      const { found, left } = this.vantages.take();
      if (found.length + left.length === 0) return;
      const at = clock.now();
      await write([
        ...found.flatMap((one) => operationsOfFinding(one, incidents.find(sql, one.subject.incident), at)),
        ...left.map((subject) => operationOfLeavingOut(subject, at)),
      ]);
    }
  }

  /** These are on their way; answers whether any had waited. */
  release(deliveries: readonly Ready[]): boolean {
    return deliveries.filter(({ row }) => this.served.delete(row.deliveryId)).length > 0;
  }

  /** What is over needs no remembering. */
  forget(incident: string, deliveryIds: readonly string[]): void {
    this.vantages.forget(incident);
    for (const id of deliveryIds) this.served.delete(id);
  }
}
