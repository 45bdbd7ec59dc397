/** Keeps deliveries waiting for what other nodes see, no longer than 12 s and never twice. */
import type { Operation } from '../../../db/store/operation.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { incidents } from '../../../db/tables/incidents.ts';
import type { DeliveryContext } from '../context.ts';
import type { Ready } from '../plan.ts';
import type { PeerAsking } from './ask.ts';
import { operationOfLeavingOut, operationsOfFinding } from './finding.ts';
import { askedPeers, subjectsOf } from './question.ts';
import { PeerQuestions } from './questions.ts';

export interface PeerConfirmationOptions extends PeerAsking {
  readonly sql: SqlReader;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

export class PeerConfirmation {
  private readonly options: PeerConfirmationOptions;
  private readonly questions: PeerQuestions;
  private readonly served = new Set<string>();

  constructor(options: PeerConfirmationOptions) {
    this.options = options;
    this.questions = new PeerQuestions(options);
  }

  /** What has waited for the peers once: it waits for nobody again, whatever they said. */
  hasServed(deliveryId: string): boolean {
    return this.served.has(deliveryId);
  }

  /** Resolves when the deliveries can go; null: at once. Never rejects. */
  wait(deliveries: readonly Ready[], context: DeliveryContext): Promise<void> | null {
    const fresh = deliveries.filter(({ row }) => !this.hasServed(row.deliveryId));
    const subjects = subjectsOf(fresh, context);
    const answered = subjects.length === 0 ? null : this.questions.ask(subjects, askedPeers(context));
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
      const { found, left } = this.questions.take();
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
    this.questions.forget(incident);
    for (const id of deliveryIds) this.served.delete(id);
  }
}
