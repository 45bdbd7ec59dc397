/** What a delivery remembers of why its channel was added while the outage lasted. */
import { type EventFields, fieldsOf, numberIn, type PayloadJson, textIn } from './stored.ts';

/** What adds a channel while an outage lasts. */
export interface AddedBy {
  /** The step of an escalation; 0: the route of the monitor. */
  readonly number: number;
  /** The escalation; null: none. */
  readonly of: string | null;
  /** Its turn began later: the next step does not count from it. */
  readonly isRelief: boolean;
}

/** What added the channel of a delivery; null: it was routed when the outage began, or by a reload. */
export function stepOf({ payload }: { readonly payload: PayloadJson }): AddedBy | null {
  const fields = fieldsOf(payload);
  const number = numberIn(fields, 'step');
  return number === null
    ? null
    : { number, of: textIn(fields, 'escalation'), isRelief: fields['isRelief'] === true };
}

/** What of it the webhook says: the step of an escalation. */
export function stepJson(step: AddedBy | null = null): EventFields {
  return step === null || step.of === null ? {} : { escalation: step.of, step: step.number };
}
